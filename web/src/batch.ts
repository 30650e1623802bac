// A batch of samples as it comes over the wire: a header, then a Float64 column for each thing that is known of them.

const VERSION = 1;
const HEADER_BYTES = 24;
const COLUMNS = 4;

export interface Batch {
  series: number;
  first: number;
  count: number;
  triggerPs: Float64Array;
  latencyPs: Float64Array;
  outcome: Float64Array;
  bytes: Float64Array;
}

/** The columns of a batch, which are read where they are. */
export function decode(buffer: ArrayBuffer): Batch {
  const header = new DataView(buffer);
  const count = header.getUint32(8, true);
  const isOurs = header.getUint32(0, true) === VERSION && header.getUint32(12, true) === COLUMNS;
  if (!isOurs || buffer.byteLength !== HEADER_BYTES + 8 * COLUMNS * count) {
    throw new Error("the server speaks another version; load the page again");
  }
  const column = (place: number) => new Float64Array(buffer, HEADER_BYTES + 8 * count * place, count);
  return {
    series: header.getUint32(4, true),
    first: header.getFloat64(16, true),
    count,
    triggerPs: column(0),
    latencyPs: column(1),
    outcome: column(2),
    bytes: column(3),
  };
}
