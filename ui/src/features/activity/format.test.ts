import { describe, expect, it } from "vitest";
import { dayOf, formatClock, formatDay, formatIso } from "./format";

const at = (iso: string): number => new Date(iso).getTime() * 1_000;

describe("times of events", () => {
  it("shows the local time of day with milliseconds", () => {
    expect(formatClock(at("2025-11-20T12:04:31.020"))).toBe("12:04:31.020");
    expect(formatClock(at("2025-11-20T12:04:31.999") + 999)).toBe("12:04:31.999");
    expect(formatClock(at("2025-11-20T00:00:00.000"))).toBe("00:00:00.000");
  });

  it("tells days apart in local time", () => {
    expect(dayOf(at("2025-11-20T23:59:59.999"))).toBe(20251120);
    expect(dayOf(at("2025-11-21T00:00:00.000"))).toBe(20251121);
  });

  it("names a day, with the year when it is another", () => {
    const now = new Date("2025-12-01T00:00:00").getTime();
    expect(formatDay(at("2025-11-20T12:00:00"), "en", now)).toBe("Nov 20");
    expect(formatDay(at("2024-11-20T12:00:00"), "en", now)).toBe("Nov 20, 2024");
    expect(formatDay(at("2025-11-20T12:00:00"), "zh-CN", now)).toBe("11月20日");
  });

  it("keeps the microseconds of the exact stamp", () => {
    expect(formatIso(1_763_640_271_020_345)).toBe("2025-11-20T12:04:31.020345Z");
  });
});
