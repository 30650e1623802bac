// Reads an image file (ELF, UF2 or bin) into segments and says where a chip starts it. Only what rp2040js needs;
// refuses what is not for this chip with one sentence.

const FLASH_BASE = 0x10000000;
const SRAM_BASE = 0x20000000;

function elfSegments(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes[4] !== 1 || view.getUint16(18, true) !== 40) throw new Error('The ELF file is not for 32-bit Arm.');
  const segments = [];
  const table = view.getUint32(28, true);
  for (let index = 0; index < view.getUint16(44, true); index++) {
    const at = table + index * view.getUint16(42, true);
    const offset = view.getUint32(at + 4, true);
    const length = view.getUint32(at + 16, true);
    if (view.getUint32(at, true) === 1 && length > 0) {
      segments.push({ address: view.getUint32(at + 12, true), data: bytes.subarray(offset, offset + length) });
    }
  }
  return segments;
}

function uf2Segments(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const segments = [];
  for (let at = 0; at + 512 <= bytes.length; at += 512) {
    if (view.getUint32(at + 28, true) !== 0xe48bff56) throw new Error('The UF2 file is not for the RP2040 family.');
    const length = view.getUint32(at + 16, true);
    segments.push({ address: view.getUint32(at + 12, true), data: bytes.subarray(at + 32, at + 32 + length) });
  }
  return segments;
}

// Symbols of an ELF file, as a map from name to address; empty for other files.
export function symbols(bytes) {
  const found = new Map();
  if (bytes[0] !== 0x7f) return found;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sections = view.getUint32(32, true);
  const section = (index) => sections + index * view.getUint16(46, true);
  for (let index = 0; index < view.getUint16(48, true); index++) {
    if (view.getUint32(section(index) + 4, true) !== 2) continue;
    const names = view.getUint32(section(view.getUint32(section(index) + 24, true)) + 16, true);
    const first = view.getUint32(section(index) + 16, true);
    const size = view.getUint32(section(index) + 20, true);
    for (let at = first; at < first + size; at += 16) {
      const start = names + view.getUint32(at, true);
      const name = Buffer.from(bytes.subarray(start, bytes.indexOf(0, start))).toString('latin1');
      if (name) found.set(name, view.getUint32(at + 4, true));
    }
  }
  return found;
}

// A file that is neither ELF nor UF2 is taken as raw bytes for `base`.
export function segmentsOf(bytes, base) {
  const magic = Buffer.from(bytes.subarray(0, 4)).toString('latin1');
  if (magic === '\x7fELF') return elfSegments(bytes);
  if (magic === 'UF2\n') return uf2Segments(bytes);
  return [{ address: base, data: bytes }];
}

// The checksum by which the boot ROM knows a boot2 (RP2040 datasheet 2.8.1.3.1).
function boot2IsValid(flash) {
  let crc = 0xffffffff;
  for (let index = 0; index < 252; index++) {
    crc ^= flash[index] << 24;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  }
  return crc >>> 0 === new DataView(flash.buffer, flash.byteOffset).getUint32(252, true);
}

// Loads the segments and sets SP, PC, LR and VTOR as the boot ROM leaves them: an image in SRAM is entered at its
// first byte; boot2 is copied to the top of SRAM and entered there with LR zero; an image without boot2 is entered
// through a vector table at the start of the flash.
export function start(mcu, segments) {
  for (const { address, data } of segments) {
    if (address >= SRAM_BASE && address + data.length <= SRAM_BASE + mcu.sram.length) {
      mcu.sram.set(data, address - SRAM_BASE);
    } else if (address >= FLASH_BASE && address + data.length <= FLASH_BASE + mcu.flash.length) {
      mcu.flash.set(data, address - FLASH_BASE);
    } else {
      throw new Error(`The image has a segment at 0x${address.toString(16)}, which is neither flash nor SRAM.`);
    }
  }
  const lowest = Math.min(...segments.map((segment) => segment.address));
  const { core } = mcu;
  if (lowest >= SRAM_BASE) {
    core.SP = 0x20042000;
    core.PC = lowest;
    return 'sram';
  }
  if (boot2IsValid(mcu.flash)) {
    mcu.sram.set(mcu.flash.subarray(0, 256), 0x41f00);
    core.SP = 0x20041f00;
    core.LR = 0;
    core.PC = 0x20041f00;
    return 'boot2';
  }
  core.VTOR = FLASH_BASE;
  core.SP = mcu.readUint32(FLASH_BASE);
  core.PC = mcu.readUint32(FLASH_BASE + 4) & ~1;
  return 'vectors';
}
