import "@/features/servers/servers-screen";
import { serversOf } from "@dev/mock/servers";
import { openApp } from "@dev/render";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import type { SortDirection } from "@/components/sort-button";
import { NAME_ROOM } from "@/lib/columns";
import { choosable, columnsFor, nameRoom } from "./columns";
import { type SortColumn, sorted } from "./sort";
import type { Usage } from "./use-usage";

const grid = () => screen.findByRole("grid", { name: "Servers" });
const row = (name: string) => screen.findByRole("row", { name: new RegExp(`^${name}`) });
const heads = async () =>
  within(await grid())
    .getAllByRole("columnheader")
    .map((cell) => cell.textContent);
const rail = () => within(screen.getByRole("navigation"));
afterEach(() => {
  window.happyDOM?.setViewport({ width: 1280, height: 800 });
});

describe("the columns of the list", () => {
  it("leave room for names at every width", () => {
    const all = new Set(choosable);
    for (let width = 250; width <= 2_000; width += 10) {
      const taken = columnsFor(width, all).reduce((sum, [, given]) => sum + given, 0);
      if (taken > 0) expect(width - taken).toBeGreaterThanOrEqual(NAME_ROOM);
    }
  });
  it("leave by their worth, and stand in their order", () => {
    const ids = (width: number) => columnsFor(width, new Set(choosable)).map(([id]) => id);
    expect(ids(250)).toEqual([]);
    expect(ids(420)).toEqual(["state"]);
    expect(ids(664)).toEqual(["state", "usedBy", "lastUsed"]);
    expect(ids(2_000)).toEqual(["state", "usedBy", "lastUsed", "tools", "load", "account", "protocol", "p95", "error"]);
  });
  it("leave earlier where a name is long, and give the last one room for its words", () => {
    const ids = (names: readonly string[]) => columnsFor(664, new Set(choosable), nameRoom(names)).map(([id]) => id);
    expect(ids(["git", "linear"])).toEqual(["state", "usedBy", "lastUsed"]);
    expect(ids(["git", "the-filesystem-of-the-harbour-office"])).toEqual(["state", "lastUsed"]);
    expect(nameRoom(["青岛港务局 – 船舶调度与泊位查询服务（测试环境）"])).toBe(230);
    expect(columnsFor(484, new Set(choosable))).toEqual([["state", 194]]);
  });
  it("are chosen in a menu, and stay so", async () => {
    const { user } = openApp("/servers");
    expect(await heads()).not.toContain("p95");
    await user.click(screen.getByRole("button", { name: "Choose columns" }));
    await user.click(await screen.findByRole("menuitemcheckbox", { name: "p95" }));
    await user.click(screen.getByRole("menuitemcheckbox", { name: "Used by" }));
    await user.keyboard("{Escape}");
    await waitFor(async () => expect(await heads()).toContain("p95"));
    expect(await heads()).not.toContain("Used by");
    expect(localStorage.getItem("mooring.servers.columns")).toBe("lastUsed tools load account p95 error");
  });
  it("say which apps use a server, and when it was used last", async () => {
    openApp("/servers");
    await waitFor(async () => expect((await row("filesystem")).textContent).toMatch(/Claude Code \+1.*ago/));
    expect((await row("demo")).textContent).not.toContain("ago");
  });
});

describe("the order of the list", () => {
  it("is by need, under headings with a count, until a column sorts it", async () => {
    const { user } = openApp("/servers");
    const headings = async () => [...(await grid()).querySelectorAll("[data-heading]")].map((item) => item.textContent);
    await row("github");
    expect(await headings()).toEqual(["Waiting for you2", "Failed1", "Changed1", "Problems2", "No action needed4"]);
    await user.click(within(await grid()).getByRole("button", { name: "Server" }));
    expect(await headings()).toEqual([]);
  });
  it("is by last use and by users where a column says so, the unknown last", () => {
    const usages = new Map<number, Usage>([
      [1, { usedBy: ["a"], lastUsed: 2_000 }],
      [2, { usedBy: ["a", "b"], lastUsed: 9_000 }],
      [3, { usedBy: [], lastUsed: null }],
      [4, { usedBy: ["a", "b", "c"], lastUsed: 5_000 }],
    ]);
    const list = serversOf("usual").filter(({ id }) => id <= 5);
    const ids = (column: SortColumn, direction: SortDirection) =>
      sorted(list, { column, direction }, "en", (id) => usages.get(id) ?? { usedBy: [], lastUsed: undefined }).map(({ id }) => id);
    expect([ids("lastUsed", "ascending"), ids("lastUsed", "descending")]).toEqual([
      [2, 4, 1, 3, 5],
      [1, 4, 2, 3, 5],
    ]);
    expect([ids("usedBy", "ascending"), ids("usedBy", "descending")]).toEqual([
      [3, 5, 1, 2, 4],
      [4, 2, 1, 3, 5],
    ]);
  });
});

describe("the tone of what needs the person", () => {
  it("is amber for a server that changed, in its row and in the banner", async () => {
    openApp("/servers");
    const mark = (await row("weather")).querySelector("[data-state-mark=changed]");
    expect(mark?.className).toContain("text-warn");
    const banner = (await screen.findByText(/^“weather” changed since you approved it/)).closest("[role=status]");
    expect(banner?.className).toContain("bg-warn-soft");
  });
  it("is amber for a value that is missing, which waits for the person and is no failure", async () => {
    const { user, router } = openApp("/servers", "servers_value_missing");
    const mark = (await row("postgres-prod")).querySelector("[data-state-mark=value_missing]");
    expect(mark?.className).toContain("text-warn");
    const rows = [...(await grid()).querySelectorAll("tbody tr")];
    const above = rows.slice(0, rows.indexOf(await row("postgres-prod"))).filter((item) => item.matches("[data-heading]"));
    expect(above.at(-1)?.textContent).toBe("Waiting for you3");
    const status = within(screen.getByRole("contentinfo", { name: "Status" }));
    expect(status.getByText("1 failed")).toBeDefined();
    const link = status.getByRole("link", { name: "1 needs a value" });
    expect(link.querySelector(".text-warn")).not.toBeNull();
    await user.click(link);
    await waitFor(() => expect(router.state.location.search).toEqual({ id: 3, tab: "settings" }));
    const notice = within(await screen.findByRole("complementary", { name: "Details of “postgres-prod”" }));
    expect((await notice.findByRole("alert")).querySelector("svg")?.getAttribute("class")).toContain("text-warn");
  });
});

describe("a row of the list", () => {
  it("offers under the pointer to stop its server, which opens nothing", async () => {
    window.happyDOM?.setViewport({ width: 900, height: 800 });
    const { user, host, router } = openApp("/servers");
    const filesystem = await row("filesystem");
    expect(within(filesystem).queryByRole("button")).toBeNull();
    await user.hover(filesystem);
    fireEvent.click(within(filesystem).getByRole("button", { name: "Stop “filesystem”" }));
    await waitFor(() => expect(host.servers.find(({ id }) => id === 1)?.state).toBe("stopped"));
    expect(router.state.location.search).toEqual({});
  });
  it("has its buttons one Tab away", async () => {
    const { user, router } = openApp("/servers?id=1");
    (await row("filesystem")).focus();
    await user.tab();
    await user.tab();
    await user.tab();
    expect(document.activeElement?.getAttribute("aria-label")).toBe("Open “filesystem” in Workbench");
    await user.keyboard("{Enter}");
    await waitFor(() => expect(router.state.location.pathname).toBe("/workbench"));
  });
});

describe("the rail", () => {
  it("has the servers that need something, and those that are pinned", async () => {
    const { user } = openApp("/servers");
    const filesystem = await row("filesystem");
    expect(rail().queryByRole("link", { name: /filesystem/ })).toBeNull();
    rail().getByRole("link", { name: /figma-dev/ });
    await user.pointer({ keys: "[MouseRight]", target: filesystem });
    await user.click(await screen.findByRole("menuitem", { name: "Pin to sidebar" }));
    within(await screen.findByRole("list", { name: "Pinned" })).getByRole("link", { name: /filesystem/ });
    expect(localStorage.getItem("mooring.servers.pinned")).toBe("1");
    await user.pointer({ keys: "[MouseRight]", target: filesystem });
    await user.click(await screen.findByRole("menuitem", { name: "Unpin from sidebar" }));
    await waitFor(() => expect(rail().queryByRole("link", { name: /filesystem/ })).toBeNull());
  });
});

describe("the menu of the rows", () => {
  it("is that of the row under the pointer, and a heading has none", async () => {
    const { user } = openApp("/servers");
    const heading = (await grid()).querySelector("[data-heading]");
    await user.pointer({ keys: "[MouseRight]", target: heading as Element });
    expect(screen.queryByRole("menu")).toBeNull();
    await user.pointer({ keys: "[MouseRight]", target: await row("postgres-prod") });
    await screen.findByRole("menu");
    await waitFor(() => expect(document.querySelector("tr[aria-selected=true]")?.textContent).toContain("postgres-prod"));
  });
  it("means no other server where its own goes", async () => {
    const { user, host } = openApp("/servers");
    await user.pointer({ keys: "[MouseRight]", target: await row("postgres-prod") });
    await screen.findByRole("menuitem", { name: /^Remove/ });
    const id = (await host.list_servers()).find(({ name }) => name === "postgres-prod")?.id;
    await host.remove_server({ id: id ?? 0 });
    await waitFor(() => expect(screen.queryByRole("menuitem", { name: /^Remove/ })).toBeNull());
  });
});
