// Time against latency. Samples that fall onto the same dot make it stronger; what was not ok is marked along the top, each
// outcome in a line of its own, where nothing can hide it.

import uPlot from "uplot";
import { components, resolved } from "./colours";
import { OK, config } from "./messages";
import { Plot, evenAxis, latencyAxis } from "./plot";
import type { Row } from "./row";
import { PS_PER_S, count, duration } from "./units";

const FEW = 1500;
const DOT_PX = 2;
const LINE_PX = 6;
const FAINTEST = 0.3;
const ROOM_FOR_FAULTS = 0.1;

export class Strip {
  private readonly plot: Plot;
  private row: Row | null = null;
  private rows: Row[] = [];
  private marksPs: number[] = [];

  constructor(
    place: HTMLElement,
    private readonly colour: string,
  ) {
    this.plot = new Plot(place, 260, {
      scales: { x: { time: false, range: () => this.times() }, y: { range: () => this.latencies() } },
      axes: [evenAxis({ label: "time in s" }, "x"), latencyAxis({}, "y")],
      series: [{}, { paths: () => null, points: { show: false } }],
      hooks: { draw: [(u) => this.paint(u)] },
    });
  }

  /** Draws a row; `rows` are all that are shown, on one scale of latency. */
  draw(row: Row, rows: Row[], marksPs: number[]): void {
    this.row = row;
    this.rows = rows;
    this.marksPs = marksPs;
    const [low, high] = this.times();
    const { histogram } = row;
    const range = histogram.count ? ` between ${duration(histogram.leastPs)} and ${duration(histogram.mostPs)}` : "";
    this.plot.draw([[low, high], [null, null]], `Latency of ${count(row.count)} messages of ${row.name} over time${range}.`);
  }

  remove(): void {
    this.plot.remove();
  }

  private times(): [number, number] {
    const row = this.row;
    if (row === null || row.count === 0) return [0, 1];
    const low = row.firstPs / PS_PER_S;
    return [low, Math.max(low + 1e-3, row.lastPs / PS_PER_S)];
  }

  private latencies(): [number, number] {
    const [low, high] = logRange(this.rows);
    return [low, high + ROOM_FOR_FAULTS * (high - low)];
  }

  private paint(u: uPlot): void {
    const row = this.row;
    if (row === null || row.count === 0) return;
    const { ctx, bbox } = u;
    const ratio = devicePixelRatio || 1;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    const [columns, rows] = [bbox.width, bbox.height].map((px) => Math.max(1, Math.floor(px / ratio / DOT_PX))) as [number, number];
    const grid = this.counted(u, row, columns, rows);
    ctx.imageSmoothingEnabled = false;
    ctx.drawImage(this.dots(grid.counts, columns, rows, row.points.length <= FEW), bbox.left, bbox.top, bbox.width, bbox.height);
    this.paintFaults(ctx, bbox, grid.faults, columns, ratio);
    this.paintMarks(u);
    ctx.restore();
  }

  private counted(u: uPlot, row: Row, columns: number, rows: number): { counts: Uint32Array; faults: Uint8Array[] } {
    const counts = new Uint32Array(columns * rows);
    const faults = config.outcomes.map(() => new Uint8Array(columns));
    const [low, high] = [u.scales["x"]!.min! * PS_PER_S, u.scales["x"]!.max! * PS_PER_S];
    const [bottom, top] = [u.scales["y"]!.min!, u.scales["y"]!.max!];
    const { timesPs, logs, outcomes, length } = row.points;
    const [perPs, perLog] = [columns / (high - low), rows / (top - bottom)];
    for (let place = 0; place < length; place += 1) {
      const column = Math.min(columns - 1, Math.max(0, Math.floor((timesPs[place]! - low) * perPs)));
      if (outcomes[place] !== OK) {
        faults[outcomes[place]!]![column] = 1;
        continue;
      }
      const line = Math.min(rows - 1, Math.max(0, Math.floor((top - logs[place]!) * perLog)));
      counts[line * columns + column]! += 1;
    }
    return { counts, faults };
  }

  private dots(counts: Uint32Array, columns: number, rows: number, areFew: boolean): HTMLCanvasElement {
    const canvas = document.createElement("canvas");
    canvas.width = columns;
    canvas.height = rows;
    const context = canvas.getContext("2d")!;
    const image = context.createImageData(columns, rows);
    const [red, green, blue] = components(this.colour);
    let most = 1;
    for (const found of counts) if (found > most) most = found;
    const scale = (1 - FAINTEST) / Math.log(1 + most);
    const pixels = new Uint32Array(image.data.buffer);
    for (let place = 0; place < counts.length; place += 1) {
      const found = counts[place]!;
      if (found === 0) continue;
      const alpha = areFew ? 255 : Math.round(255 * (FAINTEST + scale * Math.log(1 + found)));
      const pixel = ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0;
      pixels[place] = pixel;
      // A few samples are to be seen from afar.
      if (areFew) for (const beside of [1, columns, columns + 1]) pixels[place + beside] = pixel;
    }
    context.putImageData(image, 0, 0);
    return canvas;
  }

  private paintFaults(ctx: CanvasRenderingContext2D, bbox: uPlot.BBox, faults: Uint8Array[], columns: number, ratio: number): void {
    let top = bbox.top;
    faults.forEach((found, outcome) => {
      if (outcome === OK || !found.includes(1)) return;
      ctx.fillStyle = resolved(config.outcomes[outcome]!.colour);
      found.forEach((is, column) => {
        if (is) ctx.fillRect(bbox.left + (column * bbox.width) / columns, top, 2 * ratio, LINE_PX * ratio);
      });
      top += (LINE_PX + 1) * ratio;
    });
  }

  private paintMarks(u: uPlot): void {
    u.ctx.strokeStyle = resolved("var(--hot)");
    u.ctx.lineWidth = devicePixelRatio || 1;
    u.ctx.setLineDash([4, 3]);
    for (const ps of this.marksPs) {
      const x = Math.round(u.valToPos(ps / PS_PER_S, "x", true));
      u.ctx.beginPath();
      u.ctx.moveTo(x, u.bbox.top);
      u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
      u.ctx.stroke();
    }
    u.ctx.setLineDash([]);
  }
}

/** Logarithms around all latencies of some rows, with a margin. */
export function logRange(rows: Row[]): [number, number] {
  const low = Math.min(...rows.map((row) => row.histogram.leastPs));
  const high = Math.max(...rows.map((row) => row.histogram.mostPs));
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [6, 9];
  const [bottom, top] = [Math.log10(Math.max(low, 1e3)), Math.log10(Math.max(high, 1e3))];
  const margin = Math.max(0.06 * (top - bottom), 0.005);
  return [bottom - margin, top + margin];
}
