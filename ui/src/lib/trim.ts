// Removes trailing characters. A pattern such as /=+$/ retries every run and takes quadratic time, so a few megabytes
// could freeze the window.

/** The text without trailing `char` (one UTF-16 unit). */
export function withoutEnd(text: string, char: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === char) end -= 1;
  return text.slice(0, end);
}
