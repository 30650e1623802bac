// What became of the messages, where their time goes, and what a person noted meanwhile.

import { bar, make, swatch } from "./dom";
import { config, element, type Mark } from "./messages";
import type { Row } from "./row";
import { count, duration, share } from "./units";

const SMALLEST_SHARE = 0.01;

/** A bar of outcomes for each row that is shown. */
export function drawOutcomes(rows: Row[]): void {
  const place = element("outcomes");
  const blocks = rows.filter((row) => row.count > 0).map((row) => {
    const parts = config.outcomes.map((outcome, at) => ({ ...outcome, found: row.outcomes[at]!, share: row.outcomes[at]! / row.count }));
    const shown = parts.filter((part, at) => at < 4 || part.found > 0);
    const words = shown.map((part) =>
      make("li", {}, swatch(part.colour), `${part.name} ${count(part.found)} (${share(part.found, row.count)})`));
    return make("div", { class: "block" }, make("h3", {}, row.name), bar(parts), make("ul", { class: "legend" }, ...words));
  });
  replace(place, "Outcomes", blocks);
}

/** The stages of each row that is shown and has spans. */
export function drawStages(rows: Row[]): void {
  const place = element("stages");
  const staged = rows.filter((row) => row.stages !== null);
  place.hidden = staged.length === 0;
  const blocks = staged.map((row) => {
    const { of, stages } = row.stages!;
    const total = stages.reduce((sum, stage) => sum + stage.ps, 0);
    const colour = (cause: string) => config.causes[cause]?.colour ?? "var(--unknown)";
    const parts = stages.map((stage) => ({ name: stage.name, share: stage.ps / total, colour: colour(stage.cause) }));
    const told = stages.filter((stage) => stage.ps >= SMALLEST_SHARE * total);
    const words = told.map((stage) =>
      make("li", {}, swatch(colour(stage.cause)), make("span", {}, stage.name), make("span", { class: "n" }, `${duration(stage.ps)} (${share(stage.ps, total)})`)));
    const note = make("p", { class: "note" }, `${of[0]!.toUpperCase()}${of.slice(1)}: a sum by stage, the largest first, not a sequence.`);
    return make("div", { class: "block" }, make("h3", {}, row.name), bar(parts), make("ul", { class: "staged" }, ...words), note);
  });
  replace(place, "Where the time goes", blocks);
}

/** What a person noted. */
export function drawMarks(marks: Mark[]): void {
  element("marks").hidden = marks.length === 0;
  const items = marks.map((mark) => {
    const places = Object.entries(mark.places).map(([name, [before, ps]]) => `${name} after ${count(before)} at ${duration(ps)}`);
    return make("li", {}, make("b", {}, mark.text), make("span", { class: "note" }, ` ${new Date(mark.at).toLocaleTimeString("en-GB")}: ${places.join("; ")}`));
  });
  element("notes").replaceChildren(...items);
}

const told = new Map<Element, string>();

function replace(place: Element, title: string, blocks: HTMLElement[]): void {
  const found = blocks.map((block) => block.outerHTML).join("");
  if (told.get(place) === found) return;
  told.set(place, found);
  place.replaceChildren(make("h2", {}, title), make("div", { class: "blocks" }, ...blocks));
}
