import { describe, expect, it } from "vitest";
import { LOG_LIMITS, type LogLine, RunLogs, sizeOf } from "./run-logs";

const line = (data: string, more: Partial<LogLine> = {}): LogLine => ({ level: "info", logger: null, data, at: 0, ...more });
const textOf = (kept: LogLine | undefined): unknown => JSON.parse(kept?.data ?? "null");

describe("what a server logs while a call runs", () => {
  it("is kept up to a number of lines, the newest", () => {
    const log = new RunLogs();
    for (let number = 0; number < LOG_LIMITS.lines * 3 + 5; number += 1) log.add(line(`${number}`));
    expect(log.kept()).toHaveLength(LOG_LIMITS.lines);
    expect([log.kept()[0]?.data, log.kept().at(-1)?.data, log.dropped]).toEqual([
      `${LOG_LIMITS.lines * 2 + 5}`,
      `${LOG_LIMITS.lines * 3 + 4}`,
      LOG_LIMITS.lines * 2 + 5,
    ]);
  });

  it("is kept up to a size, each line as far as it is shown", () => {
    const log = new RunLogs();
    const huge = JSON.stringify("x".repeat(4 * 1024 * 1024));
    for (let number = 0; number < 300; number += 1) log.add(line(huge, { logger: "l".repeat(100_000), level: "v".repeat(100_000) }));
    const kept = log.kept();
    expect(kept.reduce((sum, item) => sum + sizeOf(item), 0)).toBeLessThanOrEqual(LOG_LIMITS.characters);
    expect(kept.length).toBeGreaterThan(50);
    expect(kept.length + log.dropped).toBe(300);
    expect(textOf(kept[0])).toBe(`${"x".repeat(LOG_LIMITS.line - 1)}…`);
    expect([kept[0]?.logger?.length, kept[0]?.level.length]).toEqual([LOG_LIMITS.word + 1, LOG_LIMITS.word + 1]);
  });

  it.each([String.raw`\n`, String.raw`\u0041`, String.raw`\\`, String.raw`\"`, "😀"])("stays text when it is cut among %s", (unit) => {
    for (let shift = 0; shift < 7; shift += 1) {
      const log = new RunLogs();
      log.add(line(`"${"a".repeat(shift)}${unit.repeat(LOG_LIMITS.line)}"`));
      const whole = String(JSON.parse(`"${"a".repeat(shift)}${unit.repeat(LOG_LIMITS.line)}"`));
      const text = String(textOf(log.kept()[0]));
      expect(text.endsWith("…")).toBe(true);
      expect(whole.startsWith(text.slice(0, -1))).toBe(true);
    }
  });

  it("is cut although it is no text", () => {
    const log = new RunLogs();
    log.add(line(`[${"1,".repeat(LOG_LIMITS.line)}1]`));
    expect(log.kept()[0]?.data).toHaveLength(LOG_LIMITS.line + 1);
  });
});
