import { describe, expect, it } from "vitest";
import { toggled } from "./filters/facets";
import { activitySearch, filterKey, filterOf, isFiltered, switched, unfiltered, without } from "./search";

describe("the filter in the address", () => {
  it("keeps what makes sense and drops the rest", () => {
    expect(
      activitySearch({
        server: "github",
        direction: "up",
        method: "tools/call",
        kind: "stderr,nonsense,frame",
        text: " ",
        event: "12",
        x: 1,
      }),
    ).toEqual({ server: "github", method: "tools/call", kind: "frame,stderr", event: 12 });
    expect(activitySearch({ event: "-3", direction: "none", kind: "" })).toEqual({});
    expect(activitySearch({ server: 42 })).toEqual({ server: "42" });
    expect(activitySearch({ serverId: "7" })).toEqual({ serverId: 7 });
    expect(activitySearch({ serverId: "seven" })).toEqual({});
    expect(activitySearch({ outcome: "timed_out,none,error", took: "250" })).toEqual({ outcome: "error,timed_out", took: 250 });
    expect(activitySearch({ outcome: "fine", took: "-1" })).toEqual({});
  });

  it("finds a saved server by its number, whatever it was called", () => {
    expect(filterOf({ serverId: 7 })).toMatchObject({ source: null, serverId: 7 });
    expect(isFiltered({ serverId: 7 })).toBe(true);
    expect(unfiltered({ serverId: 7, text: "a", event: 3 })).toEqual({ event: 3 });
    expect(toggled("server", "old name", { serverId: 7 })).toEqual({ server: "old name" });
  });

  it("becomes the filter of the journal", () => {
    expect(
      filterOf({ server: "github", direction: "out", kind: "frame,verdict", outcome: "error", took: 250, text: "error", event: 4 }),
    ).toEqual({
      source: "github",
      serverId: null,
      app: null,
      call: null,
      direction: "out",
      method: null,
      kinds: ["frame", "verdict"],
      statuses: ["error"],
      minDurationUs: 250_000,
      text: "error",
    });
  });

  it("is the same filter whichever event is open", () => {
    expect(filterKey({ server: "a", event: 1 })).toBe(filterKey({ server: "a", event: 2 }));
    expect(filterKey({ server: "a" })).not.toBe(filterKey({ server: "b" }));
  });

  it("knows when nothing is filtered", () => {
    expect(isFiltered({ event: 4 })).toBe(false);
    expect(isFiltered({ kind: "gap" })).toBe(true);
    expect(isFiltered({ outcome: "error" })).toBe(true);
    expect(isFiltered({ took: 100 })).toBe(true);
    expect(unfiltered({ outcome: "error", took: 100, event: 3 })).toEqual({ event: 3 });
  });

  it("writes kinds in one order and none as absent", () => {
    expect(switched("kind", "frame", { text: "a", kind: "gap" })).toEqual({ text: "a", kind: "frame,gap" });
    expect(switched("kind", "gap", { text: "a", kind: "gap" })).toEqual({ text: "a" });
  });

  it("drops parts and leaves the open event", () => {
    expect(without({ server: "a", text: "b", event: 3 }, "server", "text", "kind")).toEqual({ event: 3 });
  });
});
