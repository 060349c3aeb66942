// Log messages of servers during calls, stored outside of the calls until they are shown: adding a line doesn't copy
// the others, long lines are truncated, and each call's total is limited.

export interface LogLine {
  readonly level: string;
  readonly logger: string | null;
  /** JSON text as sent, truncated if it is very long. */
  readonly data: string;
  /** Milliseconds since the call started. */
  readonly at: number;
}

export const LOG_LIMITS = { lines: 1_000, characters: 1024 * 1024, line: 16 * 1024, word: 256, message: 1_000 } as const;

/** The lines of a call. The newest stay. Older ones are only counted, and are in the log. */
export class RunLogs {
  dropped = 0;
  private lines: LogLine[] = [];
  /** The index of the first stored line. Lines are removed in batches. */
  private from = 0;
  private characters = 0;

  add(line: LogLine): void {
    const kept = {
      level: shortened(line.level, LOG_LIMITS.word),
      logger: line.logger === null ? null : shortened(line.logger, LOG_LIMITS.word),
      data: shortenedJson(line.data, LOG_LIMITS.line),
      at: line.at,
    };
    this.lines.push(kept);
    this.characters += sizeOf(kept);
    while (this.lines.length - this.from > LOG_LIMITS.lines || this.characters > LOG_LIMITS.characters) {
      const oldest = this.lines[this.from];
      if (oldest === undefined) break;
      this.characters -= sizeOf(oldest);
      this.from += 1;
      this.dropped += 1;
    }
    if (this.from < LOG_LIMITS.lines) return;
    this.lines = this.lines.slice(this.from);
    this.from = 0;
  }

  /** The stored lines, oldest first. */
  kept(): readonly LogLine[] {
    return this.lines.slice(this.from);
  }
}

/** The number of characters in a line. */
export function sizeOf(line: LogLine): number {
  return line.level.length + (line.logger?.length ?? 0) + line.data.length;
}

/** The beginning of a text as a copy, because a slice would keep the whole text in memory. */
function beginning(text: string, length: number): string {
  const unit = text.charCodeAt(length);
  const end = unit >= 0xdc00 && unit <= 0xdfff ? length - 1 : length;
  return new TextDecoder().decode(new TextEncoder().encode(text.slice(0, end)));
}

/** A text truncated to this many characters, with an ellipsis. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${beginning(text, most)}…`;
}

/** The beginning of JSON text. A string stays a valid string. */
function shortenedJson(json: string, most: number): string {
  if (json.length <= most) return json;
  const head = beginning(json, most);
  if (!head.startsWith('"')) return `${head}…`;
  // An escape has up to six characters. A truncated one is left out.
  for (let cut = 0; cut < 6; cut += 1) {
    const closed = `${head.slice(0, head.length - cut)}…"`;
    if (isJson(closed)) return closed;
  }
  return `${head}…`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // truncated inside an escape
  }
}
