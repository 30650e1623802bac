// All latencies of a row, counted in bins of equal ratio: percentiles, bars and the ECDF come from here at any time.

const PER_DECADE = 8000;
const LEAST_PS = 1e3;
const DECADES = 13;
const BINS = PER_DECADE * DECADES;

export interface Curve {
  x: number[];
  y: number[];
}

export class Histogram {
  count = 0;
  leastPs = Infinity;
  mostPs = -Infinity;
  private readonly bins = new Uint32Array(BINS);

  add(ps: number): void {
    this.bins[binOf(ps)]! += 1;
    this.count += 1;
    if (ps < this.leastPs) this.leastPs = ps;
    if (ps > this.mostPs) this.mostPs = ps;
  }

  /** A percentile of type 7, as in reports, to half the width of a bin. */
  quantile(part: number): number {
    if (this.count === 0) return NaN;
    const rank = part * (this.count - 1);
    const lower = Math.floor(rank);
    let below = 0;
    let found = NaN;
    for (let bin = binOf(this.leastPs); bin <= binOf(this.mostPs); bin += 1) {
      below += this.bins[bin]!;
      if (Number.isNaN(found) && below > lower) found = this.middle(bin);
      if (below > lower + 1) return found + (rank - lower) * (this.middle(bin) - found);
    }
    return found + (rank - lower) * (this.mostPs - found);
  }

  private middle(bin: number): number {
    return Math.min(this.mostPs, Math.max(this.leastPs, 10 ** logOf(bin + 0.5)));
  }

  /** Shares of messages in `bars` bins of equal ratio between two logarithms of picoseconds. */
  bars(low: number, high: number, bars: number): Float64Array {
    const shares = new Float64Array(bars);
    if (this.count === 0) return shares;
    const scale = bars / (high - low);
    for (let bin = binOf(this.leastPs); bin <= binOf(this.mostPs); bin += 1) {
      const found = this.bins[bin]!;
      if (found === 0) continue;
      const place = Math.floor((logOf(bin + 0.5) - low) * scale);
      shares[Math.min(bars - 1, Math.max(0, place))]! += found / this.count;
    }
    return shares;
  }

  /** The cumulated share at logarithms of picoseconds, at most a step for each of `steps` parts of the range. */
  ecdf(low: number, high: number, steps: number): Curve {
    const curve: Curve = { x: [], y: [] };
    if (this.count === 0) return curve;
    const [first, last] = [binOf(this.leastPs), binOf(this.mostPs)];
    const stride = Math.max(1, Math.floor(((high - low) * PER_DECADE) / steps));
    curve.x.push(Math.log10(this.leastPs));
    curve.y.push(0);
    let below = 0;
    for (let bin = first; bin <= last; bin += 1) {
      const found = this.bins[bin]!;
      below += found;
      if (bin === last || (found > 0 && (bin - first) % stride === 0) || (bin - first) % (8 * stride) === 0) {
        curve.x.push(Math.min(Math.log10(this.mostPs), logOf(bin + 1)));
        curve.y.push(below / this.count);
      }
    }
    return curve;
  }
}

function binOf(ps: number): number {
  const bin = Math.floor((Math.log10(Math.max(ps, LEAST_PS)) - 3) * PER_DECADE);
  return Math.min(BINS - 1, bin);
}

function logOf(bin: number): number {
  return 3 + bin / PER_DECADE;
}
