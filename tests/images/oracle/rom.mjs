// A stand-in for the boot ROM, which is not in the npm package: look-up, flash functions and single-precision
// arithmetic, each a breakpoint and a return in ROM space whose work is done here in JavaScript. It shows that an
// image calls the ROM rightly and what values it should get; it says nothing of the time that the ROM takes.

const FUNCTION_BASE = 0x100;
const FUNCTION_TABLE = 0x800;
const DATA_TABLE = 0x900;
const FLOAT_TABLE = 0xa00;
const FIRST_BREAKPOINT = 1;

const float = (bits) => new Float32Array(new Uint32Array([bits]).buffer)[0];
const bits = (value) => new Uint32Array(new Float32Array([value]).buffer)[0];
const binary = (operation) => (mcu, r) => (r[0] = bits(operation(float(r[0]), float(r[1]))));
const unary = (operation) => (mcu, r) => (r[0] = bits(operation(float(r[0]))));
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

function lookUp(mcu, registers) {
  for (let at = registers[0]; mcu.readUint16(at) !== 0; at += 4) {
    if (mcu.readUint16(at) === registers[1]) {
      registers[0] = mcu.readUint16(at + 2);
      return;
    }
  }
  registers[0] = 0;
}

function erase(mcu, registers) {
  mcu.flash.fill(0xff, registers[0], registers[0] + registers[1]);
}

function program(mcu, registers) {
  for (let index = 0; index < registers[2]; index++) {
    mcu.flash[registers[0] + index] &= mcu.readUint8(registers[1] + index);
  }
}

// Breakpoint numbers count from FIRST_BREAKPOINT in this order.
const CALLS = [
  ['look-up', lookUp],
  ['IF', () => {}],
  ['EX', () => {}],
  ['RE', erase],
  ['RP', program],
  ['FC', () => {}],
  ['CX', () => {}],
  ['fadd', binary((a, b) => a + b)],
  ['fsub', binary((a, b) => a - b)],
  ['fmul', binary((a, b) => a * b)],
  ['fdiv', binary((a, b) => a / b)],
  ['fsqrt', unary(Math.sqrt)],
  ['float2int', (mcu, r) => (r[0] = clamp(Math.floor(float(r[0])), -(2 ** 31), 2 ** 31 - 1))],
  ['int2float', (mcu, r) => (r[0] = bits(r[0] | 0))],
];
// Offsets in the single-precision table (RP2040 datasheet 2.8.3.2.1).
const FLOAT_OFFSETS = { fadd: 0x00, fsub: 0x04, fmul: 0x08, fdiv: 0x0c, fsqrt: 0x18, float2int: 0x1c, int2float: 0x2c };

export function installRom(mcu) {
  const bytes = new DataView(mcu.bootrom.buffer);
  const code = (name) => name.charCodeAt(0) | (name.charCodeAt(1) << 8);
  let row = FUNCTION_TABLE;
  CALLS.forEach(([name], index) => {
    const address = FUNCTION_BASE + 4 * index;
    bytes.setUint16(address, 0xbe00 | (FIRST_BREAKPOINT + index), true);
    bytes.setUint16(address + 2, 0x4770, true);
    if (name in FLOAT_OFFSETS) bytes.setUint32(FLOAT_TABLE + FLOAT_OFFSETS[name], address | 1, true);
    if (name.length === 2) {
      bytes.setUint32(row, code(name) | ((address | 1) << 16), true);
      row += 4;
    }
  });
  bytes.setUint32(DATA_TABLE, code('SF') | (FLOAT_TABLE << 16), true);
  bytes.setUint32(0x14, FUNCTION_TABLE | (DATA_TABLE << 16), true);
  bytes.setUint16(0x18, FUNCTION_BASE | 1, true);
}

export function romCall(mcu, breakpoint) {
  const call = CALLS[breakpoint - FIRST_BREAKPOINT];
  if (!call || mcu.core.PC >= 0x4000) return false;
  call[1](mcu, mcu.core.registers);
  return true;
}
