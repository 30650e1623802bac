// Programs for an ATmega328P under avr8js: reads a request from standard input, and writes an answer to standard output.
//
// {"cases": [{"flash": "0c94...", "steps": 100}]} runs each program for so many instructions and gives its registers.
// {"flash": "...", "cycles": 1000000} runs one program for so many cycles with all peripherals, SPI looped back, and
// gives what it printed, and the processor time that it took.
import {
  AVRADC, AVRClock, AVREEPROM, AVRIOPort, AVRSPI, AVRTimer, AVRUSART, AVRWatchdog, CPU, EEPROMMemoryBackend, adcConfig,
  avrInstruction, clockConfig, eepromConfig, portBConfig, portCConfig, portDConfig, spiConfig, timer0Config, timer1Config,
  timer2Config, usart0Config, watchdogConfig,
} from "avr8js";
import { readFileSync } from "node:fs";

const FLASH_BYTES = 32768;
const RAM_BYTES = 2048;
const CLOCK_HZ = 16e6;

function load(hex) {
  const words = new Uint16Array(FLASH_BYTES / 2).fill(0xffff);
  new Uint8Array(words.buffer).set(Buffer.from(hex, "hex"));
  return new CPU(words, RAM_BYTES);
}

function stepped({ flash, steps }) {
  const cpu = load(flash);
  for (let step = 0; step < steps; step++) {
    avrInstruction(cpu);
    cpu.tick();
  }
  const registers = [...cpu.data.slice(0, 32)];
  const ram = Buffer.from(cpu.data.slice(256)).toString("hex");
  return { registers, sreg: cpu.SREG, sp: cpu.SP, pc: cpu.pc * 2, cycles: cpu.cycles, ram };
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
