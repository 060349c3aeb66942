import { afterEach, describe, expect, it, vi } from "vitest";
import { dayOf, formatClock, formatDay, formatLocal, formatStamp, formatUtc, zoneOf } from "./format";

const at = (iso: string): number => new Date(iso).getTime() * 1_000;

afterEach(() => vi.unstubAllEnvs());

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

  it.each([
    ["UTC", "2025-11-20T12:04:31.020345+00:00"],
    ["Asia/Kolkata", "2025-11-20T17:34:31.020345+05:30"],
    ["America/St_Johns", "2025-11-20T08:34:31.020345-03:30"],
    ["Pacific/Auckland", "2025-11-21T01:04:31.020345+13:00"],
  ])("stamps an event in the local time of %s, with its offset", (zone, stamp) => {
    vi.stubEnv("TZ", zone);
    // Resets the clock's cached second.
    formatClock(0);
    expect(formatStamp(1_763_640_271_020_345)).toBe(stamp);
  });

  it("says the local time, its zone, and the same moment in UTC", () => {
    vi.stubEnv("TZ", "Asia/Kolkata");
    formatClock(0);
    const moment = 1_763_640_271_020_345;
    expect([formatLocal(moment, "en"), zoneOf(moment, "en")]).toEqual(["Nov 20, 2025, 17:34:31.020", "GMT+5:30"]);
    expect(formatLocal(moment, "zh-CN")).toBe("2025年11月20日 17:34:31.020");
    expect(formatUtc(moment)).toBe("2025-11-20T12:04:31.020345Z");
  });
});
