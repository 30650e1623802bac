// The samples of a row as the strip draws them. Memory is bounded: beyond a million every second one is left out, which
// nobody sees at that density. Counts and percentiles do not come from here.

const MOST = 1 << 20;

export class Points {
  length = 0;
  timesPs = new Float64Array(4096);
  /** Logarithms of picoseconds; NaN where there is no latency. */
  logs = new Float32Array(4096);
  outcomes = new Uint8Array(4096);
  private stride = 1;
  private skipped = 0;

  add(timePs: number, log: number, outcome: number): void {
    this.skipped += 1;
    if (this.skipped < this.stride) return;
    this.skipped = 0;
    if (this.length === this.timesPs.length) this.makeRoom();
    this.timesPs[this.length] = timePs;
    this.logs[this.length] = log;
    this.outcomes[this.length] = outcome;
    this.length += 1;
  }

  private makeRoom(): void {
    if (this.length < MOST) {
      this.timesPs = grown(this.timesPs, new Float64Array(2 * this.length));
      this.logs = grown(this.logs, new Float32Array(2 * this.length));
      this.outcomes = grown(this.outcomes, new Uint8Array(2 * this.length));
      return;
    }
    this.length /= 2;
    for (let place = 0; place < this.length; place += 1) {
      this.timesPs[place] = this.timesPs[2 * place]!;
      this.logs[place] = this.logs[2 * place]!;
      this.outcomes[place] = this.outcomes[2 * place]!;
    }
    this.stride *= 2;
  }
}

function grown<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}
