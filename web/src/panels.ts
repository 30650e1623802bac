// The charts of the rows that are shown: a strip for each side by side, and histogram, ECDF and throughput that they share.

import { Bars, Ecdf, Throughput } from "./distribution";
import { make, swatch } from "./dom";
import { config, type Mark } from "./messages";
import type { Row } from "./row";
import { Strip } from "./strip";

interface Chart {
  draw(rows: Row[], marks: Mark[]): void;
  remove(): void;
}

export class Panels {
  private charts: Chart[] = [];
  private shown = "";

  constructor(
    private readonly place: HTMLElement,
    onCleared: () => void,
  ) {
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.clear();
      onCleared();
    });
  }

  draw(rows: Row[], marks: Mark[]): void {
    const measured = rows.filter((row) => row.count > 0);
    const shown = JSON.stringify(measured.map((row) => [row.name, row.kind]));
    if (shown !== this.shown) this.build(measured, shown);
    for (const chart of this.charts) chart.draw(measured, marks);
  }

  /** Removes all charts; they are made anew in the colours of then. */
  clear(): void {
    for (const chart of this.charts) chart.remove();
    this.charts = [];
    this.shown = "";
    this.place.replaceChildren();
  }

  private build(rows: Row[], shown: string): void {
    this.clear();
    this.shown = shown;
    // Intervals of a bulk transfer have a length, which says nothing.
    const timed = rows.filter((row) => row.kind === "messages");
    for (const row of timed) {
      const colour = config.series[rows.indexOf(row)]!;
      const strip = new Strip(this.figure("Latency over time", [row], rows, timed.length < 2), colour);
      const chart = {
        draw: (_: Row[], marks: Mark[]) => strip.draw(row, timed, placesOf(row, marks)),
        remove: () => strip.remove(),
      };
      this.charts.push(chart);
    }
    if (timed.length > 0 && timed.length === rows.length) {
      this.charts.push(new Bars(this.figure("Histogram", rows, rows)));
      this.charts.push(new Ecdf(this.figure("ECDF", rows, rows)));
    }
    const inMegabits = timed.length < rows.length;
    if (rows.length > 0) this.charts.push(new Throughput(this.figure("Throughput", rows, rows, true), inMegabits, rows.length < 2));
  }

  private figure(title: string, named: Row[], rows: Row[], isWide = false): HTMLElement {
    const plot = make("div", { class: "plot", role: "img" });
    const legend = make("span", { class: "legend" });
    for (const row of named) {
      const place = rows.indexOf(row);
      legend.append(make("span", {}, swatch(config.series[place]!, place > 0), row.name));
    }
    const caption = make("figcaption", {}, make("h3", {}, title), legend);
    this.place.append(make("figure", { class: isWide ? "wide" : "" }, caption, plot));
    return plot;
  }
}

function placesOf(row: Row, marks: Mark[]): number[] {
  return marks.flatMap((mark) => {
    const place = mark.places[row.name];
    return place === undefined || place[0] === 0 ? [] : [place[1]];
  });
}
