// Messages and bytes over time, in intervals that become twice as long whenever there are too many.

const MOST = 4096;
const FIRST_PS = 5e10;
/** Fewer messages in an interval say more of themselves than of the rate. */
const FEWEST = 8;
const FEWEST_INTERVALS = 4;

export interface Rate {
  /** The middle of each interval in picoseconds. */
  timesPs: number[];
  /** Messages per second. */
  messages: number[];
  /** Megabits per second. */
  megabits: number[];
}

export class Rates {
  private intervalPs = FIRST_PS;
  private startPs = NaN;
  private endPs = 0;
  private used = 0;
  private count = 0;
  private readonly messages = new Float64Array(MOST);
  private readonly bytes = new Float64Array(MOST);

  add(donePs: number, bytes: number): void {
    if (Number.isNaN(this.startPs)) this.startPs = donePs;
    let place = Math.floor((donePs - this.startPs) / this.intervalPs);
    while (place >= MOST) {
      this.fold();
      place = Math.floor((donePs - this.startPs) / this.intervalPs);
    }
    // What ended before the first that was told of counts in the first interval.
    place = Math.max(0, place);
    this.count += 1;
    this.messages[place]! += 1;
    this.bytes[place]! += bytes;
    this.used = Math.max(this.used, place + 1);
    this.endPs = Math.max(this.endPs, donePs);
  }

  /** At most `most` intervals; the last one, which is not full, is left out where there are others. */
  read(most: number): Rate {
    const filled = Math.min(this.used / FEWEST_INTERVALS, (FEWEST * this.used) / Math.max(1, this.count));
    const wanted = Math.max(1, this.used / most, filled);
    const each = 2 ** Math.ceil(Math.log2(wanted));
    const whole = Math.floor((this.endPs - this.startPs) / (this.intervalPs * each));
    const shown = whole > 0 ? whole : Math.ceil(this.used / each);
    const lengthS = (this.intervalPs * each) / 1e12;
    const rate: Rate = { timesPs: [], messages: [], megabits: [] };
    for (let place = 0; place < shown; place += 1) {
      let messages = 0;
      let bytes = 0;
      for (let bin = place * each; bin < (place + 1) * each && bin < this.used; bin += 1) {
        messages += this.messages[bin]!;
        bytes += this.bytes[bin]!;
      }
      rate.timesPs.push(this.startPs + (place + 0.5) * this.intervalPs * each);
      rate.messages.push(messages / lengthS);
      rate.megabits.push((8e-6 * bytes) / lengthS);
    }
    return rate;
  }

  private fold(): void {
    for (let place = 0; place < MOST / 2; place += 1) {
      this.messages[place] = this.messages[2 * place]! + this.messages[2 * place + 1]!;
      this.bytes[place] = this.bytes[2 * place]! + this.bytes[2 * place + 1]!;
    }
    this.messages.fill(0, MOST / 2);
    this.bytes.fill(0, MOST / 2);
    this.used = Math.ceil(this.used / 2);
    this.intervalPs *= 2;
  }
}
