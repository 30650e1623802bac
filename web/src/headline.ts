// The result so far in a sentence for each row, to look at and to hear.

import { OK } from "./messages";
import type { Row } from "./row";
import { count, duration, share, significant } from "./units";

/** `uart: 9,998 of 10,000 messages ok (99.98 %), median 125.2 us, p99 210 us.` */
export function sentence(row: Row): string {
  const ok = row.outcomes[OK]!;
  if (row.kind === "bulk") return `${row.name}: ${significant(row.megabits)}\u00a0Mbit/s over ${significant(row.seconds, 3)}\u00a0s.`;
  const answered = `${row.name}: ${count(ok)} of ${count(row.count)} messages ok (${share(ok, row.count)})`;
  if (ok === 0) return `${answered}.`;
  return `${answered}, median ${duration(row.histogram.quantile(0.5))}, p99 ${duration(row.histogram.quantile(0.99))}.`;
}

/** All that is shown, a sentence for each row. */
export function headline(rows: Row[]): string[] {
  const measured = rows.filter((row) => row.count > 0);
  return measured.length === 0 ? ["Nothing was measured yet."] : measured.map(sentence);
}
