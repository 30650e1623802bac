// The live view: takes samples as they come, and draws what is shown a few times a second.

import type { Batch } from "./batch";
import { Connection } from "./connection";
import { say } from "./dom";
import { headline } from "./headline";
import { element, type Mark, type Told } from "./messages";
import { Panels } from "./panels";
import { Row } from "./row";
import { drawMarks, drawOutcomes, drawStages } from "./sections";
import { Table } from "./table";

const DRAW_EVERY_MS = 250;
/** Drawing takes no more than this share of the time. */
const DRAWING_SHARE = 0.06;
/** A screen reader is told of the figures no more often. */
const SPEAK_EVERY_MS = 15_000;

class Live {
  private rows: Row[] = [];
  private marks: Mark[] = [];
  private session = "";
  private isPaused = false;
  private isDue = true;
  private spokeAt = -Infinity;
  private state = "connecting";
  private readonly panels = new Panels(element("charts"), () => this.draw());
  private readonly table = new Table(element<HTMLTableElement>("table"), () => this.draw());
  private readonly connection: Connection;

  constructor() {
    this.connection = new Connection({
      onHello: (session) => this.begin(session),
      onText: (told) => this.hear(told),
      onBatch: (batch) => this.take(batch),
      onLost: () => this.show("disconnected", "the command has ended, or this computer is busy"),
    });
    this.listen();
    this.drawLater(0);
  }

  private begin(session: string): number[] {
    if (session !== this.session) {
      this.rows = [];
      this.marks = [];
      this.panels.clear();
    }
    this.session = session;
    return this.rows.map((row) => row.count);
  }

  private hear(told: Told): void {
    if (told.type === "series") {
      for (const { name, kind, target } of told.series.slice(this.rows.length)) this.rows.push(new Row(name, kind, target));
    } else if (told.type === "stages") {
      const row = this.rows[told.series];
      if (row !== undefined) row.stages = { of: told.of, stages: told.stages };
    } else if (told.type === "marks") {
      this.marks = told.marks;
      drawMarks(this.marks);
    } else if (told.type === "state") {
      const hasEnded = told.state !== "running" && told.state !== this.state;
      this.show(told.state, told.sentence);
      // Whoever reads that it is over sees all of it.
      if (hasEnded && !this.isPaused) this.draw();
    } else if (told.type === "answer") {
      say(element("answer"), told.sentence);
    }
    this.isDue = true;
  }

  private take(batch: Batch): boolean {
    this.isDue = true;
    return this.rows[batch.series]?.add(batch) ?? false;
  }

  private show(state: string, sentence: string): void {
    const hasChanged = state !== this.state;
    this.state = state;
    element("state").dataset["state"] = state;
    say(element("badge"), state);
    say(element("sentence"), sentence);
    if (hasChanged) this.spokeAt = -Infinity;
  }

  private listen(): void {
    const pause = element("pause");
    pause.addEventListener("click", () => {
      this.isPaused = !this.isPaused;
      pause.setAttribute("aria-pressed", String(this.isPaused));
      say(pause, this.isPaused ? "Resume" : "Pause");
      say(element("answer"), this.isPaused ? "The page stands still; samples are still taken." : "");
      if (!this.isPaused) this.draw();
    });
    const mark = element<HTMLInputElement>("mark");
    element("controls").addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.ask({ type: "mark", text: mark.value })) mark.value = "";
    });
    element("save").addEventListener("click", () => {
      if (this.ask({ type: "save" })) say(element("answer"), "Drawing the report ...");
    });
    document.addEventListener("visibilitychange", () => (this.isDue = true));
  }

  private ask(wish: Record<string, unknown>): boolean {
    const isHeard = this.connection.say(wish);
    if (!isHeard) say(element("answer"), "The server is not there; nothing was done.");
    return isHeard;
  }

  private drawLater(ms: number): void {
    setTimeout(() => {
      let tookMs = 0;
      if (this.isDue && !this.isPaused && !document.hidden) {
        this.isDue = false;
        const begun = performance.now();
        this.draw();
        tookMs = performance.now() - begun;
      }
      this.drawLater(Math.max(DRAW_EVERY_MS, tookMs / DRAWING_SHARE));
    }, ms);
  }

  private draw(): void {
    const shown = this.table.chosen(this.rows);
    this.table.draw(this.rows);
    this.panels.draw(shown, this.marks);
    drawOutcomes(shown);
    drawStages(shown);
    const told = headline(shown);
    say(element("headline"), told.join("\n"));
    const now = performance.now();
    if (now - this.spokeAt >= SPEAK_EVERY_MS) {
      this.spokeAt = now;
      say(element("spoken"), `${this.state}. ${told.join(" ")}`);
    }
    document.body.dataset["ready"] = "true";
  }
}

new Live();
