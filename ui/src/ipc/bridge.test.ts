import { describe, expect, it } from "vitest";
import { IpcError } from "./bridge";

describe("whatever a command rejects with", () => {
  it("becomes one kind of error", () => {
    expect(IpcError.from({ code: "name_taken", message: "taken", details: { field: "name" } })).toMatchObject({
      code: "name_taken",
      message: "taken",
      details: { field: "name" },
    });
    expect(IpcError.from("invalid args `id` for command `start_server`")).toMatchObject({
      code: "ipc",
      message: "invalid args `id` for command `start_server`",
    });
    expect(IpcError.from(new TypeError("x"))).toMatchObject({ code: "internal", message: "x" });
    const error = new IpcError("store", "b", null);
    expect(IpcError.from(error)).toBe(error);
  });
});
