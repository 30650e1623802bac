// What all charts have in common: axes, fonts and colours of the report, and a size that follows the page.

import uPlot from "uplot";
import { resolved } from "./colours";
import { duration, evenTicks, logTicks, significant } from "./units";

const FONT = "11px system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
const PX_PER_TICK_X = 64;
const PX_PER_TICK_Y = 32;

/** A range of a scale, from what is measured so far. */
export type Range = () => [number, number];

function axis(over: Partial<uPlot.Axis>, along: "x" | "y"): uPlot.Axis {
  const line = { stroke: resolved("var(--grid)"), width: 1 };
  const text = { stroke: resolved("var(--muted)"), font: FONT, labelFont: FONT, labelSize: 16, labelGap: 0, gap: 3 };
  return { ...text, size: along === "x" ? 24 : 62, grid: line, ticks: { ...line, size: 4 }, ...over };
}

/** Values of latency; the scale holds logarithms of picoseconds. */
export function latencyAxis(over: Partial<uPlot.Axis>, along: "x" | "y"): uPlot.Axis {
  return axis({
    label: "latency",
    splits: (u, _axis, low, high) => {
      const ticks = logTicks(10 ** low, 10 ** high, room(u, along));
      return ticks.map((tick) => Math.log10(tick));
    },
    values: (_u, splits) => splits.map((log) => duration(10 ** log)),
    ...over,
  }, along);
}

/** Values of time in seconds, shares or rates. */
export function evenAxis(over: Partial<uPlot.Axis>, along: "x" | "y", told = (value: number) => significant(value, 6)): uPlot.Axis {
  return axis({
    splits: (u, _axis, low, high) => evenTicks(low, high, room(u, along)),
    values: (_u, splits) => splits.map(told),
    ...over,
  }, along);
}

function room(u: uPlot, along: "x" | "y"): number {
  const ratio = devicePixelRatio || 1;
  return Math.max(2, along === "x" ? u.bbox.width / ratio / PX_PER_TICK_X : u.bbox.height / ratio / PX_PER_TICK_Y);
}

/** A chart in a place of the page, as wide as that. */
export class Plot {
  private readonly chart: uPlot;
  private readonly observer: ResizeObserver;

  constructor(
    private readonly place: HTMLElement,
    private readonly height: number,
    options: Omit<uPlot.Options, "width" | "height">,
  ) {
    place.replaceChildren();
    const size = { width: place.clientWidth || 300, height };
    const quiet = { legend: { show: false }, cursor: { show: false }, padding: [8, 14, 0, 0] as uPlot.Padding };
    this.chart = new uPlot({ ...quiet, ...options, ...size }, [[0, 1], ...options.series.slice(1).map(() => [null, null])], place);
    this.observer = new ResizeObserver(() => {
      const width = place.clientWidth;
      if (width > 0 && width !== this.chart.width) this.chart.setSize({ width, height: this.height });
    });
    this.observer.observe(place);
  }

  draw(data: uPlot.AlignedData, told: string): void {
    this.place.setAttribute("aria-label", told);
    this.chart.setData(data);
  }

  remove(): void {
    this.observer.disconnect();
    this.chart.destroy();
  }
}
