// The log has the host's names for callers and rules (crates/policy/src/verdict.rs), which are shown under other names.
import { logRow } from "@dev/log-row";
import { render } from "@testing-library/react";
import { useTranslation } from "react-i18next";
import { describe, expect, it } from "vitest";
import type { LogRow } from "@/ipc/bindings/LogRow";
import { callers } from "@/lib/callers";
import { applyLanguage } from "@/lib/i18n";
import { Facts } from "../detail/facts";
import { OwnWords } from "../detail/own-words";
import { EventWords } from "./event-words";
import { sayingOf } from "./saying";

const rules = [
  "gesture",
  "definition_changed",
  "not_approved",
  "no_rule",
  "app_asks",
  "read_only",
  "not_read_only",
  "answer",
  "new_session",
  "nobody_to_ask",
  "cancelled",
  "put_aside",
  "rule 12",
  "session rule 1",
];

const verdict = (caller: string, rule: string) =>
  logRow({
    kind: "verdict",
    direction: "none",
    method: "tools/call",
    subject: "echo",
    status: "ok",
    preview: JSON.stringify({ decision: "allow", caller, rule, tool: "echo" }),
  });

function Verdict({ row }: { row: LogRow }) {
  const { t, i18n } = useTranslation(["activity", "common"]);
  const saying = sayingOf(row, row.preview);
  if (saying === null) throw new Error("not a verdict");
  return (
    <>
      <OwnWords row={row} saying={saying} />
      <Facts row={row} saying={saying} body={row.preview} partner={null} onPartner={() => undefined} />
      <EventWords row={row} room={80} language={i18n.language} t={t} />
    </>
  );
}

function said(caller: string, rule: string): string {
  const { container, unmount } = render(<Verdict row={verdict(caller, rule)} />);
  const text = [...container.querySelectorAll("p, dt, dd, span")].map((element) => element.textContent).join("\n");
  unmount();
  return text.replaceAll("tools/call", "").replaceAll("echo", "").replaceAll("demo", "");
}

const all = callers.flatMap((caller) => rules.map((rule) => [caller, rule] as const));

describe("a verdict", () => {
  it.each(all)("says no word of the host's: %s, %s", async (caller, rule) => {
    expect(said(caller, rule)).not.toMatch(/_|\bsampling\b|\bgesture\b|rule rule/);
    await applyLanguage("zh-CN");
    expect(said(caller, rule).replaceAll(/SHA-256|UTC|ID|\d+ B/g, "")).not.toMatch(/_|[a-z]{2,}/);
  });
  it("says in its row who or what decided", async () => {
    expect(said("workbench", "gesture")).toMatch(/\nby you \(Workbench\)$/);
    expect(said("sampling", "rule 12")).toContain("by rule 12 · called by an AI model");
    expect(said("command_line", "answer")).toContain("your answer · called by you (command line)");
    await applyLanguage("zh-CN");
    expect(said("sampling", "rule 12")).toContain("由规则 12决定 · 由");
  });
  it("names the person's rule by its number", async () => {
    expect(said("sampling", "rule 12")).toMatch(/Called by an AI model used by a server, decided by rule 12\.[^]*\nRule\nrule 12\n/);
    expect(said("workbench", "session rule 1")).toContain("decided by session rule 1.");
    await applyLanguage("zh-CN");
    expect(said("sampling", "rule 12")).toMatch(/由规则 12决定。[^]*\n规则\n规则 12\n/);
  });
  it("calls a change in Chinese what the review of it does", async () => {
    await applyLanguage("zh-CN");
    expect(said("workbench", "definition_changed")).toContain("\n工具有变更，尚未审阅\n");
  });
  it("says in a sentence of its own why there was no rule to decide", () => {
    expect(said("sampling", "no_rule")).toContain("No rule matches this call, so you decide.");
    expect(said("command_line", "nobody_to_ask")).toContain("You have to be asked first, and there was no way to ask you.");
    expect(said("command_line", "gesture")).toContain("You named the tool on the command line.");
  });
});

describe("a step of a sign-in", () => {
  const step = (httpStatus: number | null, status: LogRow["status"]) =>
    logRow({
      kind: "auth",
      direction: "none",
      subject: "resource_metadata",
      status,
      preview: JSON.stringify({ step: "resource_metadata", ok: false, url: "https://a.example/mcp", httpStatus, found: "Not there" }),
    });
  const words = (row: LogRow) => {
    const { container, unmount } = render(<Verdict row={row} />);
    const text = [...container.querySelectorAll("p, span")].map((element) => element.textContent);
    unmount();
    return text.join("\n");
  };
  it("says the status and the path of a request that failed", async () => {
    expect(words(step(404, "error"))).toMatch(/^Not there\nHTTP 404 at \/mcp\n[^]*\nHTTP 404 at \/mcp\nNot there$/);
    for (const row of [step(null, "error"), step(401, "ok")]) expect(words(row)).not.toContain("HTTP");
    await applyLanguage("zh-CN");
    expect(words(step(404, "error"))).toContain("/mcp 返回 HTTP 404");
  });
});
