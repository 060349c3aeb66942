// Splits a long text into rows that can be drawn separately.

const WIDEST = 1_000;

/** The lines of a text, with very long ones split. Together with the line breaks they are the text. */
export function rowsOf(text: string): string[] {
  const rows: string[] = [];
  let from = 0;
  for (;;) {
    const found = text.indexOf("\n", from);
    const end = found < 0 ? text.length : found;
    let at = from;
    do {
      let to = Math.min(end, at + WIDEST);
      // Never split a surrogate pair.
      const unit = text.charCodeAt(to);
      if (to < end && unit >= 0xdc00 && unit <= 0xdfff) to -= 1;
      rows.push(text.slice(at, to));
      at = to;
    } while (at < end);
    if (found < 0) return rows;
    from = found + 1;
  }
}

/** The number of lines of a text. */
export function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** The beginning of a text: at most this many lines and characters. */
export function headLines(text: string, lines: number, characters: number): string {
  let at = -1;
  for (let count = 0; count < lines; count += 1) {
    const next = text.indexOf("\n", at + 1);
    if (next < 0 || next > characters) {
      at = -1;
      break;
    }
    at = next;
  }
  const end = at < 0 ? characters : at;
  const unit = text.charCodeAt(end);
  return text.slice(0, end < text.length && unit >= 0xdc00 && unit <= 0xdfff ? end - 1 : end);
}
