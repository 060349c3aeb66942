// Tests what `cargo xtask run --headless` and the check of an installed package do.

import assert from "node:assert/strict";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { demonstrate } from "./demonstration.mjs";
import { pictures } from "./desktop.mjs";
import { mooringOk, withWindow } from "./person.mjs";

test("the demonstration goes from an empty window to a picture of a call's result", () =>
  withWindow("demonstration", async (desktop) => {
    const picture = join(pictures(), "demonstration.png");
    rmSync(picture, { force: true });
    await demonstrate(desktop.session, "demonstration");
    assert.ok(statSync(picture).size > 10_000, "a picture with something on it");
    const { result } = JSON.parse(mooringOk(desktop, "logs", "--json", "--method", "tools/call", "--direction", "in"));
    assert.deepEqual(
      result.map(({ status, body }) => [status, body.includes("42")]),
      [["ok", true]],
    );
  }));
