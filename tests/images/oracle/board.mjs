// What rp2040js leaves to its user: time that follows clk_sys, pads whose inputs follow their outputs, wires between
// pins, SPI frames that take their time, PIO state machines stepped by the same clock as the core, and the calls of
// the boot ROM, which the package does not hold. Everything is deterministic.

import { GPIOPinState } from 'rp2040js';
import { installRom, romCall } from './rom.mjs';

export class Board {
  constructor(mcu, { input = '', wire = [], adc = [], until = '' }) {
    this.mcu = mcu;
    this.text = '';
    this.until = until;
    this.input = Buffer.from(input);
    this.inputSent = 0;
    this.edges = [];
    this.levels = new Array(30).fill(false); // every pad starts with its pull-down
    this.warnings = new Map();
    this.instructions = 0;
    this.cyclesAsleep = 0;
    this.wires = wire.map((pair) => pair.split(':').map(Number));
    this.captureWarnings();
    installRom(mcu);
    mcu.uart[0].onByte = (byte) => (this.text += String.fromCharCode(byte));
    mcu.gpio.forEach((pin, index) => pin.addListener((state) => this.pinChanged(index, state)));
    mcu.spi.forEach((spi, index) => this.connectSpi(spi, index));
    mcu.pio.forEach((pio) => this.takeOverPio(pio));
    mcu.adc.channelValues[4] = 876; // 0.706 V of 3.3 V: the sensor at 27 degrees (RP2040 datasheet 4.9.5)
    for (const setting of adc) {
      const [channel, value] = setting.split('=').map(Number);
      mcu.adc.channelValues[channel] = value;
    }
  }

  captureWarnings() {
    const note = (text) => this.warnings.set(text, (this.warnings.get(text) ?? 0) + 1);
    const log = (name, text) => note(`${name}: ${text}`);
    this.mcu.logger = { debug() {}, info() {}, warn: log, error: log };
    console.warn = note;
  }

  // Cycles since the start, asleep or not; inside a batch of PIO cycles, the cycle of the batch that is at work.
  get cycle() {
    return this.pioCycle ?? this.mcu.core.cycles + this.cyclesAsleep;
  }

  pinChanged(pin, state) {
    const driven = state === GPIOPinState.High || state === GPIOPinState.Low;
    const level = driven ? state === GPIOPinState.High : state === GPIOPinState.InputPullUp;
    if (this.levels[pin] !== level) this.edges.push([pin, level ? 1 : 0, this.cycle]);
    this.levels[pin] = level;
    const inputs = [pin, ...this.wires.filter(([from]) => from === pin).map(([, to]) => to)];
    for (const index of inputs) {
      const gpio = this.mcu.gpio[index];
      if (gpio.rawInputValue !== level) gpio.setInputValue(level);
    }
  }

  // A frame lasts its bits; MISO is what goes out if the loopback bit or a wire from TX to RX says so, else 0.
  connectSpi(spi, index) {
    const done = this.mcu.clock.createAlarm(() => spi.completeTransmit(this.spiAnswers[index]));
    this.spiAnswers ??= [0, 0];
    const wired = this.wires.some(([from, to]) => index === 0 && from === 19 && to === 16);
    spi.onTransmit = (value) => {
      this.spiAnswers[index] = spi.control1 & 1 || wired ? value : 0;
      done.schedule((spi.dataBits * 1e9) / spi.clockFrequency);
    };
  }

  // The package steps its state machines from the host's event loop, with no relation to the core's clock, and only
  // counts the delay cycles of an instruction; here each machine is held for them.
  takeOverPio(pio) {
    pio.run = () => {};
    pio.machines.forEach((machine) => Object.assign(machine, { credit: 0, hold: 0 }));
  }

  stepMachine(machine) {
    if (!machine.enabled) return;
    machine.credit += 256;
    const divider = (machine.clockDivInt || 65536) * 256 + machine.clockDivFrac;
    if (machine.credit < divider) return;
    machine.credit -= divider;
    if (machine.hold > 0) {
      machine.hold--;
      return;
    }
    const before = machine.cycles;
    machine.step();
    machine.hold = Math.max(0, machine.cycles - before - 1);
  }

  get pioRuns() {
    const runs = (machine) => machine.enabled && (!machine.waiting || machine.hold > 0);
    return this.mcu.pio.some((pio) => !pio.stopped && pio.machines.some(runs));
  }

  // Steps both blocks through the cycles that have just passed; their edges carry the cycle of each.
  stepPio(cycles) {
    const from = this.cycle - cycles;
    for (let cycle = 1; cycle <= cycles; cycle++) {
      this.pioCycle = from + cycle;
      for (const pio of this.mcu.pio) {
        if (pio.stopped) continue;
        pio.machines.forEach((machine) => this.stepMachine(machine));
        pio.checkChangedPins();
      }
    }
    this.pioCycle = undefined;
  }

  feedInput() {
    const uart = this.mcu.uart[0];
    if (this.inputSent < this.input.length && uart.rxFIFO.empty && uart.enabled) {
      uart.feedByte(this.input[this.inputSent++]);
    }
  }

  // Sleeps until the next alarm; false if nothing can wake the core any more. SysTick and interrupts that were pending
  // before the WFI do not wake the package's core by themselves.
  sleep(endNanos) {
    const { core, clock } = this.mcu;
    if (core.pendingInterrupts & core.enabledInterrupts || core.pendingSystick) {
      core.waiting = false;
      return true;
    }
    const nanosPerCycle = 1e9 / this.mcu.clkSys;
    const { pioRuns } = this;
    if (!clock.nextAlarm && !pioRuns) return false;
    let nanos = clock.nextAlarm ? Math.min(clock.nanosToNextAlarm, endNanos - clock.nanos) : Infinity;
    if (pioRuns) nanos = Math.min(nanos, nanosPerCycle);
    const cycles = Math.max(1, Math.ceil(nanos / nanosPerCycle));
    this.cyclesAsleep += cycles;
    clock.tick(cycles * nanosPerCycle);
    if (pioRuns) this.stepPio(cycles);
    return true;
  }

  run(seconds, exitBreakpoint) {
    const { mcu } = this;
    const { core, clock } = mcu;
    const endNanos = seconds * 1e9;
    let ended = null;
    mcu.onBreak = (code) => {
      if (code === exitBreakpoint) ended = 'exit';
      else if (!romCall(mcu, code)) ended = `breakpoint ${code}`;
    };
    const from = process.hrtime.bigint();
    while (!ended) {
      if (core.waiting) {
        this.feedInput();
        if (!this.sleep(endNanos)) ended = 'asleep for good';
      } else {
        const before = core.cycles;
        core.executeInstruction();
        const cycles = core.cycles - before;
        this.instructions++;
        clock.tick((cycles * 1e9) / mcu.clkSys);
        if (!mcu.pio[0].stopped || !mcu.pio[1].stopped) this.stepPio(cycles);
        if ((this.instructions & 0x3ff) === 0) this.feedInput();
      }
      if (clock.nanos >= endNanos) ended ??= 'time';
      if (this.until && this.text.endsWith(this.until)) ended ??= 'text';
    }
    const wallSeconds = Number(process.hrtime.bigint() - from) / 1e9;
    return {
      console: this.text,
      edges: this.edges,
      ended,
      cycles: core.cycles,
      cycles_asleep: this.cyclesAsleep,
      instructions: this.instructions,
      simulated_seconds: clock.nanos / 1e9,
      wall_seconds: wallSeconds,
      warnings: Object.fromEntries(this.warnings),
    };
  }
}
