import { logRow } from "@dev/log-row";
import { describe, expect, it } from "vitest";
import type { LogRow } from "@/ipc/bindings/LogRow";
import { fieldsOf, sayingOf, tellsMore } from "./saying";

const row = (part: Partial<LogRow>) => logRow({ kind: "verdict", direction: "none", preview: "", ...part });

describe("what Mooring recorded about its own doing", () => {
  it("is a verdict with its caller and rule", () => {
    const body = '{"argumentsSha256":"ab","caller":"workbench","calls":1,"decision":"allow","rule":"gesture","tool":"echo"}';
    const saying = sayingOf(row({ status: "ok", subject: "echo" }), body);
    expect(saying).toEqual({ about: "verdict", decision: "allowed", tool: "echo", caller: "workbench", rule: "gesture" });
    expect(saying && tellsMore(body, saying)).toBe(false);
    expect(sayingOf(row({ status: "error" }), body)).toMatchObject({ decision: "denied" });
  });

  it("is a change of state with the reason of a failure", () => {
    const body = '{"attempt":2,"failure":{"evidence":"boom","kind":"exited","message":"exit code 3"},"state":"failed"}';
    const saying = sayingOf(row({ kind: "state", subject: "failed", status: "error" }), body);
    expect(saying).toEqual({ about: "state", from: null, to: "failed", reason: "exit code 3" });
    expect(saying && tellsMore(body, saying)).toBe(true);
    expect(sayingOf(row({ kind: "state", subject: "ready" }), '{"state":"ready","reason":null,"attempt":1,"failure":null}')).toMatchObject({
      to: "ready",
      reason: null,
    });
  });

  it("is a gap", () => {
    expect(sayingOf(row({ kind: "gap" }), '{"count":12,"reason":"disk full"}')).toEqual({
      about: "gap",
      count: 12,
      deleted: false,
      cleared: false,
      reason: "disk full",
    });
    expect(sayingOf(row({ kind: "gap" }), '{"deleted":7,"upTo":1}')).toEqual({
      about: "gap",
      count: 7,
      deleted: true,
      cleared: false,
      reason: null,
    });
    expect(sayingOf(row({ kind: "gap" }), '{"deleted":7,"cleared":true}')).toMatchObject({ count: 7, cleared: true });
    expect(sayingOf(row({ kind: "gap" }), "")).toEqual({ about: "gap", count: 0, deleted: false, cleared: false, reason: null });
  });

  it("is the end of a call, an oddity, or noise", () => {
    expect(
      sayingOf(row({ kind: "diagnostic", subject: "slow", status: "timed_out" }), '{"call":"slow","message":"no answer for 60 s"}'),
    ).toEqual({ about: "end", message: "no answer for 60 s" });
    expect(sayingOf(row({ kind: "diagnostic" }), '{"kind":"missing","message":"no schema","path":"tools[2]"}')).toEqual({
      about: "oddity",
      message: "no schema",
      path: "tools[2]",
    });
    expect(sayingOf(row({ kind: "diagnostic", direction: "in", status: "error" }), '{"message":"not ours"}')).toEqual({ about: "noise" });
    expect(sayingOf(row({ kind: "diagnostic" }), "Listening on port 3000")).toEqual({ about: "noise" });
  });

  it("carries its sentence, so that it can be said in every language", () => {
    const said = '"said":{"code":"exit code {code}","params":{"code":"3"}}';
    const sentence = { code: "exit code {code}", params: { code: "3" }, text: "exit code 3" };
    const whole = `{"state":"failed","reason":"exit code 3",${said},"attempt":1,"failure":{"evidence":"boom"}}`;
    expect(sayingOf(row({ kind: "state" }), whole)).toMatchObject({ to: "failed", reason: sentence });
    // Truncated after the sentence, and inside it.
    expect(sayingOf(row({ kind: "state" }), whole.slice(0, -20))).toMatchObject({ to: "failed", reason: sentence });
    expect(sayingOf(row({ kind: "state" }), whole.slice(0, 60))).toMatchObject({ to: "failed", reason: "exit code 3" });
    expect(sayingOf(row({ kind: "gap" }), `{"count":2,"reason":"x",${said}}`)).toMatchObject({ reason: sentence });
  });

  it("is nothing for what a server sent", () => {
    expect(sayingOf(row({ kind: "frame" }), "{}")).toBeNull();
  });
});

describe("reading a body of ours", () => {
  it("takes its scalar members", () => {
    expect([...fieldsOf('{"decision":"allow","rule":null,"n":3,"more":{"a":1}}')]).toEqual([
      ["decision", "allow"],
      ["n", "3"],
    ]);
  });

  it("takes the beginning that a preview holds", () => {
    expect(fieldsOf('{"state":"failed","reason":"could not conn').get("reason")).toBe("could not conn…");
  });

  it("takes nothing out of anything else", () => {
    expect([...fieldsOf("plain words"), ...fieldsOf("[1,2"), ...fieldsOf('{"a":')]).toEqual([]);
  });
});
