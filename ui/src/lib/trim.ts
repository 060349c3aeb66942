// Cuts a run of one character off the end. A pattern such as /=+$/ tries every run again and takes quadratic time,
// which is a way to freeze the window with a few megabytes.

/** The text without the run of `char` (one UTF-16 unit) that it ends with. */
export function withoutEnd(text: string, char: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === char) end -= 1;
  return text.slice(0, end);
}
