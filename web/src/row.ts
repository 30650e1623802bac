// A row, target or channel as the page knows it: every sample is counted once, when it comes.

import type { Batch } from "./batch";
import { Histogram } from "./histogram";
import { OK, config, type Kind, type Stage } from "./messages";
import { Points } from "./points";
import { Rates } from "./rates";
import { PS_PER_S } from "./units";

export class Row {
  count = 0;
  bytes = 0;
  firstPs = Infinity;
  lastPs = -Infinity;
  readonly outcomes = config.outcomes.map(() => 0);
  readonly histogram = new Histogram();
  readonly points = new Points();
  readonly rates = new Rates();
  stages: { of: string; stages: Stage[] } | null = null;

  constructor(
    readonly name: string,
    readonly kind: Kind,
    /** Of two measurements side by side, which one it is of. */
    readonly target: string,
  ) {}

  /** Counts the samples of a batch; gives whether it was the next one. */
  add(batch: Batch): boolean {
    if (batch.first !== this.count) return false;
    for (let place = 0; place < batch.count; place += 1) {
      const [triggerPs, latencyPs] = [batch.triggerPs[place]!, batch.latencyPs[place]!];
      const outcome = batch.outcome[place]!;
      const isOk = outcome === OK && latencyPs === latencyPs;
      this.outcomes[outcome]! += 1;
      this.firstPs = Math.min(this.firstPs, triggerPs);
      this.lastPs = Math.max(this.lastPs, triggerPs);
      this.points.add(triggerPs, isOk ? Math.log10(Math.max(latencyPs, 1e3)) : NaN, outcome);
      if (!isOk) continue;
      this.histogram.add(latencyPs);
      this.bytes += batch.bytes[place]!;
      this.rates.add(triggerPs + latencyPs, batch.bytes[place]!);
    }
    this.count += batch.count;
    return true;
  }

  /** How long it was measured, up to the last trigger. */
  get seconds(): number {
    return this.count > 1 ? (this.lastPs - this.firstPs) / PS_PER_S : 0;
  }

  /** Answered messages per second, over all of the run. */
  get perSecond(): number {
    return this.seconds > 0 ? this.outcomes[OK]! / this.seconds : NaN;
  }

  /** Megabits per second, over all of the run. */
  get megabits(): number {
    return this.seconds > 0 ? (8e-6 * this.bytes) / this.seconds : NaN;
  }
}
