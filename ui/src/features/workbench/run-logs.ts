// What servers log while calls run, kept beside the calls until it is shown: an event costs no copy of the lines
// before it, a line is kept as far as it is shown, and all lines of a call together stay within bounds.

export interface LogLine {
  readonly level: string;
  readonly logger: string | null;
  /** JSON text as sent, its end left out when it is very long. */
  readonly data: string;
  /** Milliseconds after the call began. */
  readonly at: number;
}

export const LOG_LIMITS = { lines: 1_000, characters: 1024 * 1024, line: 16 * 1024, word: 256, message: 1_000 } as const;

/** The lines of one call. The newest stay; those before them are counted, and kept by the journal. */
export class RunLogs {
  dropped = 0;
  private lines: LogLine[] = [];
  /** Where the kept lines begin: room is made now and then, not for every line. */
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

  /** The lines kept now, oldest first. */
  kept(): readonly LogLine[] {
    return this.lines.slice(this.from);
  }
}

/** How many characters a line holds. */
export function sizeOf(line: LogLine): number {
  return line.level.length + (line.logger?.length ?? 0) + line.data.length;
}

/** The beginning of a text as a text of its own: a slice would keep the whole alive. */
function beginning(text: string, length: number): string {
  const unit = text.charCodeAt(length);
  const end = unit >= 0xdc00 && unit <= 0xdfff ? length - 1 : length;
  return new TextDecoder().decode(new TextEncoder().encode(text.slice(0, end)));
}

/** A text of at most so many characters and a sign that there was more. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${beginning(text, most)}…`;
}

/** The beginning of JSON text. A string stays a string, so that it can still be read as one. */
function shortenedJson(json: string, most: number): string {
  if (json.length <= most) return json;
  const head = beginning(json, most);
  if (!head.startsWith('"')) return `${head}…`;
  // An escape has up to six characters; it is left out when it was cut.
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
    return false; // cut within an escape
  }
}
