// Programs for an ATmega328P under avr8js: reads a request from standard input, and writes an answer to standard output.
//
// {"cases": [{"flash": "0c94...", "steps": 100, "ram_start": 256, "ram_end": 2303}]} runs each program for so many
// instructions and gives its registers and RAM. With "far_at" the flash has 256 KiB, and "far" stands there.
// {"flash": "...", "cycles": 1000000} runs one program for so many cycles with all peripherals, SPI looped back, and
// gives what it printed, and the processor time that it took.
import {
  AVRADC, AVRClock, AVREEPROM, AVRIOPort, AVRSPI, AVRTimer, AVRUSART, AVRWatchdog, CPU, EEPROMMemoryBackend, adcConfig,
  avrInstruction, clockConfig, eepromConfig, portBConfig, portCConfig, portDConfig, spiConfig, timer0Config, timer1Config,
  timer2Config, usart0Config, watchdogConfig,
} from "avr8js";
import { readFileSync } from "node:fs";

const FLASH_BYTES = 32768;
const FAR_FLASH_BYTES = 262144;
const RAM_BYTES = 2048;
const RAMPZ = 0x5b;
const EIND = 0x5c;
const CLOCK_HZ = 16e6;

function load(hex, flashBytes = FLASH_BYTES, ramBytes = RAM_BYTES) {
  const words = new Uint16Array(flashBytes / 2).fill(0xffff);
  new Uint8Array(words.buffer).set(Buffer.from(hex, "hex"));
  return new CPU(words, ramBytes);
}

function stepped({ flash, far, far_at, steps, ram_start, ram_end }) {
  // What it calls RAM begins at 256, whatever registers of the chip lie there.
  const cpu = load(flash, far_at ? FAR_FLASH_BYTES : FLASH_BYTES, ram_end + 1 - 256);
  if (far_at) cpu.progBytes.set(Buffer.from(far, "hex"), far_at);
  for (let step = 0; step < steps; step++) {
    avrInstruction(cpu);
    cpu.tick();
  }
  const registers = [...cpu.data.slice(0, 32)];
  const ram = Buffer.from(cpu.data.slice(ram_start)).toString("hex");
  const pages = [cpu.data[RAMPZ], cpu.data[EIND]];
  return { registers, sreg: cpu.SREG, sp: cpu.SP, pc: cpu.pc * 2, cycles: cpu.cycles, ram, pages };
}

function run({ flash, cycles }) {
  const cpu = load(flash);
  for (const port of [portBConfig, portCConfig, portDConfig]) new AVRIOPort(cpu, port);
  for (const timer of [timer0Config, timer1Config, timer2Config]) new AVRTimer(cpu, timer);
  const clock = new AVRClock(cpu, CLOCK_HZ, clockConfig);
  new AVRWatchdog(cpu, watchdogConfig, clock);
  new AVREEPROM(cpu, new EEPROMMemoryBackend(1024), eepromConfig);
  const adc = new AVRADC(cpu, adcConfig);
  adc.channelValues.fill(0);
  const spi = new AVRSPI(cpu, spiConfig, CLOCK_HZ);
  spi.onTransfer = (byte) => byte;
  const usart = new AVRUSART(cpu, usart0Config, CLOCK_HZ);
  let text = "";
  usart.onByteTransmit = (byte) => { text += String.fromCharCode(byte); };
  const before = process.cpuUsage();
  while (cpu.cycles < cycles) {
    avrInstruction(cpu);
    cpu.tick();
  }
  return { console: text, cycles: cpu.cycles, cpu_us: process.cpuUsage(before).user };
}

const request = JSON.parse(readFileSync(0, "utf8"));
const answer = request.cases ? { results: request.cases.map(stepped) } : run(request);
process.stdout.write(JSON.stringify(answer));
