// Colours of the style sheet for canvases, which know no custom properties.

/** The value of a colour such as `var(--mark)`, as the style sheet has it now. */
export function resolved(colour: string): string {
  const name = /^var\((--[a-z]+[0-9]*)\)$/.exec(colour)?.[1];
  return name === undefined ? colour : getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Red, green and blue of a colour such as `#0072b2`. */
export function components(colour: string): [number, number, number] {
  const value = Number.parseInt(resolved(colour).slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}
