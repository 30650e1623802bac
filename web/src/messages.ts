// What the server says in text, and what the page's frame holds: python/airwire/live/protocol.py and page.py.

export interface Config {
  columns: string[];
  outcomes: { name: string; colour: string }[];
  units: { symbol: string; ps: number }[];
  causes: Record<string, { colour: string; words: string }>;
  series: string[];
}

export type Kind = "messages" | "bulk";

export interface Stage {
  name: string;
  cause: string;
  ps: number;
}

export interface Mark {
  text: string;
  at: string;
  places: Record<string, [number, number]>;
}

export type Told =
  | { type: "hello"; protocol: number; session: string; title: string; started: string }
  | { type: "series"; series: { name: string; kind: Kind; target: string }[] }
  | { type: "state"; state: "running" | "finished" | "failed"; sentence: string }
  | { type: "marks"; marks: Mark[] }
  | { type: "stages"; series: number; of: string; stages: Stage[] }
  | { type: "answer"; sentence: string };

export const config = JSON.parse(element("config").textContent ?? "") as Config;
export const OK = config.outcomes.findIndex((outcome) => outcome.name === "ok");

/** An element of the page's frame. */
export function element<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element ${id}`);
  return found as T;
}
