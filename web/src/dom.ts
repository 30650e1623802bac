// Elements with their text and children; what is there already is left alone, so that readers of the page are not disturbed.

/** A new element. Texts are never read as HTML. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Sets a text, if it is another. */
export function say(place: Element, text: string): void {
  if (place.textContent !== text) place.textContent = text;
}

/** A square in a colour, as legends have it; styles are set here, as the page allows none in its HTML. */
export function swatch(colour: string, dashed = false): HTMLElement {
  const made = make("i", { class: dashed ? "swatch dashed" : "swatch", "aria-hidden": "true" });
  made.style.setProperty("--c", colour);
  return made;
}

export interface Part {
  name: string;
  share: number;
  colour: string;
}

/** A stacked bar; its parts are told beside it in words. */
export function bar(parts: Part[]): HTMLElement {
  const made = make("span", { class: "bar", "aria-hidden": "true" });
  for (const part of parts.filter((one) => one.share > 0)) {
    const piece = make("i");
    piece.style.width = `${100 * part.share}%`;
    piece.style.background = part.colour;
    made.append(piece);
  }
  return made;
}
