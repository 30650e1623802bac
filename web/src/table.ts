// The figures of all rows as text, and which rows are shown above.

import { make, say } from "./dom";
import { config } from "./messages";
import type { Row } from "./row";
import { count, duration, significant } from "./units";

const MOST_SHOWN = 2;
const PERCENTILES: [string, number][] = [["median", 0.5], ["p95", 0.95], ["p99", 0.99], ["p99.9", 0.999]];

interface Column {
  head: string;
  of: (row: Row) => string;
}

const time = (row: Row, ps: () => number) => (row.kind === "bulk" || row.histogram.count === 0 ? "–" : duration(ps()));

function columnsOf(rows: Row[]): Column[] {
  const found = config.outcomes.map((outcome, place) => ({ head: outcome.name, place }));
  // What only captures have is shown where it occurs.
  const outcomes = found.filter(({ place }) => place < 4 || rows.some((row) => row.outcomes[place]! > 0));
  return [
    { head: "samples", of: (row) => count(row.count) },
    ...outcomes.map(({ head, place }) => ({ head, of: (row: Row) => count(row.outcomes[place]!) })),
    { head: "messages/s", of: (row) => (row.kind === "bulk" ? "–" : significant(row.perSecond)) },
    { head: "Mbit/s", of: (row) => (row.bytes > 0 ? significant(row.megabits) : "–") },
    { head: "min", of: (row) => time(row, () => row.histogram.leastPs) },
    ...PERCENTILES.map(([head, part]) => ({ head, of: (row: Row) => time(row, () => row.histogram.quantile(part)) })),
    { head: "max", of: (row) => time(row, () => row.histogram.mostPs) },
  ];
}

export class Table {
  private shown: Row[] = [];
  private wasChosen = false;
  private built = "";
  private cells: HTMLElement[][] = [];
  /** How many samples of each row its figures are of. */
  private drawn: number[] = [];

  constructor(
    private readonly place: HTMLTableElement,
    private readonly onChoice: () => void,
  ) {}

  /** The rows that are shown: those that were chosen, else all of few, and of many the last one of each target. */
  chosen(rows: Row[]): Row[] {
    const measured = rows.filter((row) => row.count > 0);
    if (!this.wasChosen) this.shown = measured.length > MOST_SHOWN ? lastOfEach(measured) : measured;
    return this.shown.filter((row) => rows.includes(row));
  }

  draw(rows: Row[]): void {
    const columns = columnsOf(rows);
    const shown = this.chosen(rows);
    const key = JSON.stringify([columns.map((column) => column.head), rows.map((row) => row.name), shown.map((row) => row.name)]);
    if (key !== this.built) this.build(rows, columns, shown, key);
    rows.forEach((row, place) => {
      if (this.drawn[place] === row.count) return;
      this.drawn[place] = row.count;
      columns.forEach((column, at) => say(this.cells[place]![at]!, column.of(row)));
    });
  }

  private build(rows: Row[], columns: Column[], shown: Row[], key: string): void {
    const focused = document.activeElement instanceof HTMLInputElement ? document.activeElement.value : null;
    this.built = key;
    this.drawn = [];
    const heads = columns.map((column) => make("th", { scope: "col", class: "n" }, column.head));
    this.cells = rows.map(() => columns.map(() => make("td", { class: "n" })));
    const lines = rows.map((row, place) => make("tr", {}, this.head(row, place, shown), ...this.cells[place]!));
    const head = make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "row"), ...heads));
    this.place.replaceChildren(make("caption", { class: "visually-hidden" }, "Figures of all rows"), head, make("tbody", {}, ...lines));
    for (const box of this.place.querySelectorAll("input")) {
      if (focused !== null && box.value === focused && box.type === "checkbox") box.focus();
    }
  }

  private head(row: Row, place: number, shown: Row[]): HTMLElement {
    const box = make("input", { type: "checkbox", value: String(place) });
    box.checked = shown.includes(row);
    box.addEventListener("change", () => {
      this.wasChosen = true;
      const others = this.shown.filter((one) => one !== row);
      this.shown = box.checked ? [...others, row].slice(-MOST_SHOWN) : others;
      this.onChoice();
    });
    return make("th", { scope: "row" }, make("label", {}, box, row.name));
  }
}

function lastOfEach(rows: Row[]): Row[] {
  const last = new Map(rows.map((row) => [row.target, row]));
  return [...last.values()];
}
