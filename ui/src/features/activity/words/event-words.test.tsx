import { logRow } from "@dev/log-row";
import { said } from "@dev/mock/say";
import { reset } from "@dev/mock-bridge";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { useTranslation } from "react-i18next";
import { afterEach, describe, expect, it } from "vitest";
import type { LogRow } from "@/ipc/bindings/LogRow";
import { applyLanguage } from "@/lib/i18n";
import { EventWords } from "./event-words";

const reason = said("{host} answered with HTTP status {status}", { host: "tools.a-rather-long-name.example.test", status: "503" });
const body = JSON.stringify({ from: "starting", to: "failed", reason: reason.text, attempt: 3, padding: "x".repeat(120), said: reason });
const state = logRow({ kind: "state", direction: "none", size: body.length, preview: body.slice(0, 240) });

function Row({ row }: { row: LogRow }) {
  const { t, i18n } = useTranslation(["activity", "common"]);
  return <EventWords row={row} room={80} language={i18n.language} t={t} />;
}

function show(row: LogRow): string[] {
  const asked: string[] = [];
  const host = reset("usual");
  const entry = host.log_entry;
  host.log_entry = async (args) => {
    asked.push(String(args.id));
    const found = await entry.call(host, args);
    return { ...found, id: args.id, body } as typeof found;
  };
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Row row={row} />
    </QueryClientProvider>,
  );
  return asked;
}

describe("a row with the beginning of what Mooring recorded", () => {
  afterEach(() => applyLanguage("en"));

  it("says its reason in Chinese, which ends behind the beginning", async () => {
    await applyLanguage("zh-CN");
    show(state);
    await screen.findByText(/503/);
    expect(document.body.textContent).not.toMatch(/answered/);
  });

  it("reads nothing more where the beginning says it in English", async () => {
    const asked = show(state);
    await screen.findByText(/answered with HTTP status 503/);
    await new Promise((done) => setTimeout(done, 400));
    expect(asked).toEqual([]);
  });
});
