// Histogram and ECDF of the rows that are shown, on one axis of latency, and their rates over time.

import uPlot from "uplot";
import { resolved } from "./colours";
import { config } from "./messages";
import { Plot, evenAxis, latencyAxis } from "./plot";
import type { Row } from "./row";
import { logRange } from "./strip";
import { PS_PER_S, count, duration, significant } from "./units";

const BARS = 64;
const STEPS = 400;
const INTERVALS = 120;
const DASHES: (number[] | undefined)[] = [undefined, [7, 3]];

function lines(fill: boolean): uPlot.Series[] {
  const stepped = uPlot.paths.stepped!({ align: 1 });
  return config.series.map((colour, place) => {
    const dash = DASHES[place];
    const own: uPlot.Series = { stroke: resolved(colour), width: 1.6, points: { show: false }, paths: stepped };
    if (dash !== undefined) own.dash = dash;
    if (fill) own.fill = `${resolved(colour)}2e`;
    return own;
  });
}

function percent(value: number): string {
  return `${Number((100 * value).toPrecision(4))} %`;
}

/** All x values of some curves, and each curve on them. */
function joined(curves: { x: number[]; y: number[] }[], series: number): uPlot.AlignedData {
  const tables = curves.map((curve) => [curve.x, curve.y] as uPlot.AlignedData);
  const data = tables.length > 1 ? uPlot.join(tables) : (tables[0] ?? [[], []]);
  const rest = Array.from({ length: series + 1 - data.length }, () => Array.from(data[0], () => null));
  return [...data, ...rest] as unknown as uPlot.AlignedData;
}

abstract class Shared {
  protected rows: Row[] = [];
  protected abstract readonly plot: Plot;

  remove(): void {
    this.plot.remove();
  }
}

export class Bars extends Shared {
  protected readonly plot: Plot;

  constructor(place: HTMLElement) {
    super();
    this.plot = new Plot(place, 220, {
      scales: { x: { time: false, range: () => logRange(this.rows) }, y: { range: (_u, _low, high) => [0, 1.05 * (high || 1)] } },
      axes: [latencyAxis({}, "x"), evenAxis({ label: "share of messages" }, "y", percent)],
      series: [{}, ...lines(true)],
    });
  }

  draw(rows: Row[]): void {
    this.rows = rows;
    const [low, high] = logRange(rows);
    const x = Array.from({ length: BARS + 1 }, (_, bar) => low + ((high - low) * bar) / BARS);
    const all = rows.map((row) => [...row.histogram.bars(low, high, BARS), 0]);
    const curves = all.map((y) => ({ x, y }));
    const told = rows.map((row) => `${row.name}: median ${duration(row.histogram.quantile(0.5))}`);
    this.plot.draw(joined(curves, config.series.length), `Histogram of latencies. ${told.join("; ")}.`);
  }
}

export class Ecdf extends Shared {
  protected readonly plot: Plot;

  constructor(place: HTMLElement) {
    super();
    this.plot = new Plot(place, 220, {
      scales: { x: { time: false, range: () => logRange(this.rows) }, y: { range: () => [0, 1.02] } },
      axes: [latencyAxis({}, "x"), evenAxis({ label: "share at most" }, "y", percent)],
      series: [{}, ...lines(false).map((line) => ({ ...line, spanGaps: true }))],
    });
  }

  draw(rows: Row[]): void {
    this.rows = rows;
    const [low, high] = logRange(rows);
    const curves = rows.map((row) => row.histogram.ecdf(low, high, STEPS));
    const told = rows.map((row) => `${row.name}: 99 % within ${duration(row.histogram.quantile(0.99))}`);
    this.plot.draw(joined(curves, config.series.length), `Cumulated share of messages by latency. ${told.join("; ")}.`);
  }
}

export class Throughput extends Shared {
  protected readonly plot: Plot;

  constructor(
    place: HTMLElement,
    private readonly inMegabits: boolean,
    isAlone: boolean,
  ) {
    super();
    const label = inMegabits ? "Mbit/s" : "messages/s";
    this.plot = new Plot(place, 220, {
      scales: { x: { time: false, range: (_u, low, high) => [low, Math.max(high, low + 1e-3)] }, y: { range: (_u, _low, high) => [0, 1.1 * (high || 1)] } },
      axes: [evenAxis({ label: "time in s" }, "x"), evenAxis({ label }, "y", (value) => significant(value, 5))],
      series: [{}, ...lines(isAlone).map((line) => ({ ...line, paths: uPlot.paths.linear!(), spanGaps: true }))],
    });
  }

  draw(rows: Row[]): void {
    this.rows = rows;
    const curves = rows.map((row) => {
      const rate = row.rates.read(INTERVALS);
      return { x: rate.timesPs.map((ps) => ps / PS_PER_S), y: this.inMegabits ? rate.megabits : rate.messages };
    });
    const told = rows.map((row) => this.inMegabits ? `${significant(row.megabits)} Mbit/s` : `${count(row.perSecond)} messages/s`);
    const means = rows.map((row, place) => `${row.name}: ${told[place]} in the mean`);
    this.plot.draw(joined(curves, config.series.length), `Throughput over time. ${means.join("; ")}.`);
  }
}
