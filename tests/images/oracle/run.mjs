// Runs one image under rp2040js and prints what came out: console text of UART0, pin edges in order, cycles and
// instructions. With --speed it runs the bare loop of the speed comparison instead: core and clock, nothing else.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { RP2040 } from 'rp2040js';
import { Board } from './board.mjs';
import { segmentsOf, start, symbols } from './image.mjs';

const USAGE = `Usage: node run.mjs IMAGE.(elf|uf2|bin) --for SECONDS [--json] [--speed] [--input TEXT] [--until TEXT]
  [--wire OUT:IN]... [--adc CHANNEL=VALUE]... [--base ADDRESS, of a bin file]`;
const SEMIHOSTING_BREAKPOINT = 0xab;

function settings() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      for: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      speed: { type: 'boolean', default: false },
      input: { type: 'string', default: '' },
      wire: { type: 'string', multiple: true, default: [] },
      adc: { type: 'string', multiple: true, default: [] },
      until: { type: 'string', default: '' },
      base: { type: 'string', default: '0x10000000' },
    },
  });
  if (positionals.length !== 1 || !(Number(values.for) > 0)) {
    console.error(USAGE);
    process.exit(2);
  }
  return { ...values, image: positionals[0], seconds: Number(values.for) };
}

// The speed comparison's own loop: no pins, no warnings, 8 ns a cycle.
function runForSpeed(mcu) {
  const { core, clock } = mcu;
  let stopped = false;
  let instructions = 0;
  mcu.onBreak = () => (stopped = true);
  const from = process.hrtime.bigint();
  while (!stopped) {
    const cycles = core.executeInstruction();
    clock.tick(cycles * 8);
    instructions++;
  }
  const wallSeconds = Number(process.hrtime.bigint() - from) / 1e9;
  return { cycles: core.cycles, instructions, wall_seconds: wallSeconds, mhz: core.cycles / wallSeconds / 1e6 };
}

function main() {
  const options = settings();
  const bytes = new Uint8Array(readFileSync(options.image));
  const mcu = new RP2040();
  const started = start(mcu, segmentsOf(bytes, Number(options.base)));
  const names = symbols(bytes);
  let report;
  if (options.speed) {
    report = runForSpeed(mcu);
  } else {
    const board = new Board(mcu, options);
    report = board.run(options.seconds, SEMIHOSTING_BREAKPOINT);
  }
  if (names.has('result')) report.result = mcu.readUint32(names.get('result'));
  report = { schema: 'airwire.oracle/1', image: basename(options.image), started, ...report };
  if (options.json) {
    console.log(JSON.stringify(report));
  } else {
    process.stdout.write(report.console ?? '');
    const { console: text, edges, ...rest } = report;
    console.error({ ...rest, edges: edges?.length });
  }
}

main();
