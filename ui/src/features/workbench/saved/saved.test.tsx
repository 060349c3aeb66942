import "../workbench-screen";
import { dialogWithKeyboard, openApp } from "@dev/render";
import { freshWorkbench } from "@dev/workbench";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { LoggedCallContent } from "@/ipc/bindings/LoggedCallContent";
import { forgetOpened } from "../logged";
import { clearSearch, forgetFolds } from "../tree/tree-state";

// Whole screens are slow on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

beforeEach(() => {
  freshWorkbench();
  forgetOpened();
  forgetFolds();
  clearSearch();
  // Tests have no layout, and lists that only draw visible rows need a height.
});

const QUERY = "/workbench?server=3&tool=query";
const tree = async () => within(await screen.findByRole("tree", { name: "Servers" }));
const sql = () => screen.findByRole<HTMLTextAreaElement>("textbox", { name: "sql" });
const callsOf = (host: ReturnType<typeof openApp>["host"]) => vi.spyOn(host, "call_tool");

async function openSaved() {
  const app = openApp(QUERY);
  app.host.saved.save({ serverId: 3, kind: "tool", item: "query", name: "Berths", arguments: '{"sql":"select 2"}' });
  await sql();
  await app.client.invalidateQueries({ queryKey: ["list_saved_calls"] });
  await (await tree()).findByRole("treeitem", { name: /Berths/ });
  return app;
}

describe("a saved call", () => {
  it("is saved under a name, opened, renamed, deleted and brought back", async () => {
    const { user, host } = openApp(QUERY);
    await user.type(await sql(), "select 1");
    await user.click(screen.getByRole("button", { name: "Save call…" }));
    const dialog = within(await dialogWithKeyboard("Save call…"));
    await user.keyboard("One row{Enter}");
    const row = await (await tree()).findByRole("treeitem", { name: /One row/ });
    expect(host.saved.saved).toMatchObject([{ name: "One row", item: "query", arguments: '{"sql":"select 1"}' }]);
    expect(dialog.queryByRole("alert")).toBeNull();

    await user.clear(await sql());
    await user.click(row);
    await waitFor(async () => expect((await sql()).value).toBe("select 1"));
    // Opening it focuses its field. Back in the tree, its keys work again.
    await waitFor(async () => expect(document.activeElement).toBe(await sql()));
    screen.getByRole("tree", { name: "Servers" }).focus();
    await user.keyboard("{F2}");
    await dialogWithKeyboard("Rename saved call");
    await user.keyboard("{Control>}a{/Control}First row{Enter}");
    await (await tree()).findByRole("treeitem", { name: /First row/ });

    screen.getByRole("tree", { name: "Servers" }).focus();
    await user.keyboard("{Delete}");
    await waitFor(async () => expect((await tree()).queryByRole("treeitem", { name: /First row/ })).toBeNull());
    await user.click(await screen.findByRole("button", { name: /^Undo/ }));
    await (await tree()).findByRole("treeitem", { name: /First row/ });
  });

  it("runs from the palette", async () => {
    const { user, host, router } = await openSaved();
    const called = callsOf(host);
    await router.navigate({ to: "/settings" });
    await screen.findByRole("main", { name: "Settings" });
    await user.keyboard("{Control>}k{/Control}");
    const option = await screen.findByRole("option", { name: /Run: Berths/ });
    expect(option.textContent).toContain("select 2");
    await user.keyboard("run: berths{Enter}");
    await waitFor(() => expect(called).toHaveBeenCalledTimes(1));
    expect(called.mock.calls[0]?.[0]).toMatchObject({ id: 3, tool: "query", arguments: '{"sql":"select 2"}' });
    await within(await screen.findByRole("tabpanel", { name: "Result" })).findByText("Done");
    expect((await sql()).value).toBe("select 2");
    expect(router.state.location.pathname).toBe("/workbench");
  });

  it("leaves out what looks like a secret, and asks for it before it runs", async () => {
    const { user, host, client } = openApp(QUERY);
    const called = callsOf(host);
    await sql();
    host.saved.save({ serverId: 3, kind: "tool", item: "query", name: "Secret", arguments: '{"sql":"a"}' }, ["api_key"]);
    await client.invalidateQueries({ queryKey: ["list_saved_calls"] });
    await user.click(await (await tree()).findByRole("button", { name: "Run “Secret”" }));
    await screen.findByText(/“api_key” wasn’t saved with this call/);
    expect((await sql()).value).toBe("a");
    expect(called).not.toHaveBeenCalled();
  });
});

describe("a favourite", () => {
  it("is marked on the item and stands first in the tree and the palette", async () => {
    const { user, host } = openApp(QUERY);
    await sql();
    await user.click(screen.getByRole("button", { name: "Favourite" }));
    await waitFor(() => expect(host.saved.saved).toMatchObject([{ name: null, kind: "tool", item: "query" }]));
    const rows = (await tree()).getAllByRole("treeitem").map((row) => row.textContent);
    expect(rows.slice(0, 2)).toEqual(["Favourites1", "query · postgres-prod"]);
    await user.keyboard("{Control>}k{/Control}");
    expect((await screen.findAllByRole("option"))[0]?.textContent).toBe("querypostgres-prod");
    await user.keyboard("{Escape}");
    await user.click(screen.getByRole("button", { name: "Favourite", pressed: true }));
    await waitFor(() => expect(host.saved.saved).toEqual([]));
  });
});

describe("the history", () => {
  const past = (id: number, content: Partial<LoggedCallContent> = {}) => ({
    item: { serverId: 3, kind: "tool", name: "query" } as const,
    call: {
      id,
      answer: id + 1,
      at: Date.UTC(2026, 0, id) * 1_000,
      caller: "command_line",
      status: "ok",
      durationUs: 9_000,
      size: 20,
      excerpt: '{"sql":"select 7"}',
    } as const,
    content: {
      arguments: { text: '{"sql":"select 7"}', withheld: [] },
      result: '{"content":[{"type":"text","text":"from the log"}]}',
      error: null,
      said: null,
      ...content,
    },
  });

  it("has calls of earlier, which open and run again", async () => {
    const { user, host } = openApp(QUERY);
    host.saved.past = [past(2)];
    const called = callsOf(host);
    await sql();
    await user.click(screen.getByRole("tab", { name: "History" }));
    const row = await screen.findByRole("button", { name: /you \(command line\).*select 7/i });
    await user.click(row);
    const result = within(await screen.findByRole("tabpanel", { name: "Result" }));
    await result.findByText("from the log");
    result.getByText(/From Activity, Jan 2, 2026/);
    await user.click(screen.getByRole("tab", { name: "History" }));
    await user.click(screen.getByRole("button", { name: "Run again" }));
    await waitFor(() => expect(called.mock.calls[0]?.[0]).toMatchObject({ arguments: '{"sql":"select 7"}' }));
    await user.click(screen.getByRole("tab", { name: "History" }));
    await waitFor(() => expect(screen.getAllByRole("button", { name: "Run again" })).toHaveLength(2));
  });

  it("asks for what was redacted before it runs a call again", async () => {
    const { user, host } = openApp(QUERY);
    const called = callsOf(host);
    host.saved.past = [past(2, { arguments: { text: '{"sql":"s"}', withheld: ["password"] } })];
    await sql();
    await user.click(screen.getByRole("tab", { name: "History" }));
    await user.click(await screen.findByRole("button", { name: "Run again" }));
    await screen.findByText(/“password” wasn’t saved with this call/);
    expect(called).not.toHaveBeenCalled();
  });

  it("is read by page", async () => {
    const { user, host } = openApp(QUERY);
    host.saved.past = Array.from({ length: 60 }, (_, index) => past(60 - index));
    await sql();
    await user.click(screen.getByRole("tab", { name: "History" }));
    await waitFor(() => expect(screen.getAllByRole("button", { name: "Run again" })).toHaveLength(50));
    await user.click(screen.getByRole("button", { name: "Show more" }));
    await waitFor(() => expect(screen.getAllByRole("button", { name: "Run again" })).toHaveLength(60));
    expect(screen.queryByRole("button", { name: "Show more" })).toBeNull();
  });
});
