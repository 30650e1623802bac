// Durations, counts and axes as the report writes them (python/airwire/report/units.py); a test compares both.

import { config } from "./messages";

export const PS_PER_S = 1e12;
/** No line ends between a number and its unit. */
const SPACE = "\u00a0";

/** A duration with its unit in at most four significant digits: `12.35 ms`. */
export function duration(ps: number): string {
  const last = config.units[config.units.length - 1]!;
  const unit = config.units.find((one) => Math.abs(ps) >= one.ps) ?? last;
  const value = ps / unit.ps;
  const decimals = value === 0 ? 1 : Math.max(0, Math.min(3, 3 - Math.floor(Math.log10(Math.abs(value)))));
  const text = value.toFixed(decimals);
  return `${text.includes(".") ? text.replace(/\.?0+$/, "") : text}${SPACE}${unit.symbol}`;
}

/** A whole number with commas between thousands. */
export function count(value: number): string {
  return value.toLocaleString("en-GB", { maximumFractionDigits: 0 });
}

/** A share as a percentage in at most three significant digits, never all or nothing where it is not. */
export function share(part: number, whole: number): string {
  if (whole === 0) return `0${SPACE}%`;
  const percent = (100 * part) / whole;
  const rounded = Number(percent.toPrecision(3));
  if (part < whole && rounded === 100) return `> 99.9${SPACE}%`;
  return `${Number(percent > 99 && percent < 100 ? percent.toFixed(2) : rounded)}${SPACE}%`;
}

/** A number in so many significant digits, or more where it is a large one. */
export function significant(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) >= 10 ** (digits - 1)) return count(value);
  return Number(value.toPrecision(digits)).toLocaleString("en-GB", { maximumFractionDigits: 12 });
}

const MANTISSAS: [number, number[]][] = [
  [2000, [1]],
  [100, [1, 3]],
  [12, [1, 2, 5]],
  [0, [1, 1.5, 2, 3, 5, 7]],
];

/** Round values inside a positive domain: decades, 1-2-5, or even steps where it is narrow; at most `most` of them. */
export function logTicks(low: number, high: number, most: number): number[] {
  const ratio = high / low;
  if (ratio < 4) return evenTicks(low, high, most);
  const place = MANTISSAS.findIndex(([bound]) => ratio >= bound);
  // Where the report's ticks have no room, the sparser ones of wider ranges.
  const sparser = MANTISSAS.slice(0, place + 1).reverse().map(([, mantissas]) => ticksOf(mantissas, low, high));
  return sparser.find((ticks) => ticks.length <= most) ?? sparser[sparser.length - 1] ?? [];
}

function ticksOf(mantissas: number[], low: number, high: number): number[] {
  const ticks: number[] = [];
  for (let exponent = Math.floor(Math.log10(low)); exponent <= Math.ceil(Math.log10(high)); exponent += 1) {
    for (const mantissa of mantissas) ticks.push(Number((mantissa * 10 ** exponent).toPrecision(6)));
  }
  return ticks.filter((tick) => tick >= low && tick <= high);
}

/** Round values at even steps. */
export function evenTicks(low: number, high: number, most: number): number[] {
  const rough = (high - low) / Math.max(most, 1);
  if (!(rough > 0)) return [low];
  const scale = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * scale).find((one) => one >= rough) ?? rough;
  const ticks: number[] = [];
  for (let index = Math.ceil(low / step); index * step <= high; index += 1) {
    ticks.push(Number((index * step).toPrecision(9)));
  }
  return ticks;
}
