import "./workbench-screen";
import { dialogWithKeyboard, openApp } from "@dev/render";
import { freshWorkbench } from "@dev/workbench";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { forgetSelection, rememberView } from "./selection";
import { clearSearch } from "./tree/tree-state";

// Whole screens are slow on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

beforeEach(() => {
  freshWorkbench();
  clearSearch();
  // Tests have no layout, and lists that only draw visible rows need a height.
});

const tree = () => screen.findByRole("tree", { name: "Servers" });
const tools = async () =>
  within(await tree())
    .getAllByRole("treeitem")
    .map((item) => item.textContent);
const result = () => screen.findByRole("tabpanel", { name: "Result" });

/** Starts the demo server and opens one of its tools. */
async function openDemo(tool: string) {
  const app = openApp("/workbench?server=10");
  const server = app.host.servers.find((item) => item.id === 10);
  if (!server) throw new Error("no demo server in the scene");
  app.host.servers = app.host.servers.map((item) => (item.id === 10 ? { ...item, state: "ready", toolCount: 13 } : item));
  await app.router.navigate({ to: "/workbench", search: { server: 10, tool } });
  await screen.findByRole("heading", { name: tool });
  return app;
}

describe("after a restart", () => {
  it("the Workbench is at the tool where it was", async () => {
    localStorage.setItem("mooring.workbench.view", "2 tool get_issue");
    openApp("/workbench");
    await screen.findByRole("heading", { name: "get_issue" });
  });
  it("what is remembered of it has no addresses, and nonsense is no place", async () => {
    rememberView({ server: 2, spot: { kind: "resource", name: "file:///secret" } });
    expect(localStorage.getItem("mooring.workbench.view")).toBe("2");
    forgetSelection();
    localStorage.setItem("mooring.workbench.view", "{}");
    openApp("/workbench");
    await screen.findByText("Choose something to try");
  });
  it("a tool that is off says so beside its name", async () => {
    const { user, host, router } = openApp("/workbench?server=2&tool=get_issue", "no_rules");
    await screen.findByRole("heading", { name: "get_issue" });
    const deny = { effect: "deny", server: 2, tool: "get_issue", caller: null, destructiveOnly: false, expiresAt: null } as const;
    await host.policies.save(null, { ...deny, arguments: [] });
    await user.click(await screen.findByRole("link", { name: "Off" }));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ id: 2, tab: "tools" }));
  });
  it("a server that waits for the vault leads to it", async () => {
    const { user, host } = openApp("/workbench?server=6");
    await screen.findByRole("heading", { name: "weather" });
    host.fail(6, "vault_locked");
    await user.click(await screen.findByRole("button", { name: "Unlock vault" }));
    await dialogWithKeyboard("Vault");
  });
});

describe("the tree", () => {
  it("is searched with / and opened with Enter", async () => {
    const { user } = openApp("/workbench?server=3");
    await tree();
    await within(await tree()).findByText("query");
    await user.keyboard("/");
    await user.keyboard("expl");
    expect(await tools()).toEqual(["postgres-prodReady", "explain"]);
    await user.keyboard("{Enter}");
    await screen.findByRole("heading", { name: "explain" });
  });

  it("is walked with the arrow keys, folded and unfolded", async () => {
    const { user, router } = openApp("/workbench?server=3&tool=query");
    await screen.findByRole("heading", { name: "query" });
    (await tree()).focus();
    // Space shows it, and the tree keeps the focus. Enter moves to its form.
    await user.keyboard("{ArrowDown} ");
    await screen.findByRole("heading", { name: "explain" });
    expect(router.state.location.search).toEqual({ server: 3, tool: "explain" });
    await user.keyboard("{ArrowLeft}{ArrowLeft}");
    await waitFor(async () => expect(await tools()).not.toContain("explain"));
    await user.keyboard("{ArrowRight}");
    await waitFor(async () => expect(await tools()).toContain("explain"));
  });

  it("says why a server shows no tools and starts a stopped one", async () => {
    const { user, host } = openApp("/workbench");
    const rows = within(await tree());
    await rows.findByText("Failed", { selector: "span:not(.sr-only)" });
    expect(rows.getByText("Sign-in needed", { selector: "span:not(.sr-only)" })).toBeTruthy();
    await user.click(rows.getByRole("button", { name: "Start “demo”" }));
    await waitFor(() => expect(host.servers.find((server) => server.id === 10)?.state).toBe("ready"));
    await rows.findByText("book_berth");
  });
});

describe("a call", () => {
  // Requirements: TOOL-20.
  it("sends what the form holds and shows the rows that come back", async () => {
    const { user } = openApp("/workbench?server=3&tool=query");
    await user.type(await screen.findByRole("textbox", { name: "sql" }), "select 1");
    await user.type(screen.getByRole("textbox", { name: "row_limit" }), "12345678901234567890");
    await user.click(screen.getByRole("button", { name: /^Run/ }));
    // 12345678901234567890 is over the limit, and the form says so before anything is sent.
    await screen.findByText("Must be at most 1000");
    await user.click(screen.getByRole("button", { name: "Run anyway" }));
    const shown = within(await result());
    expect((await shown.findAllByRole("columnheader")).map((cell) => cell.textContent)).toEqual(["city", "berths"]);
    expect(shown.getByText("connection reused (pool 3/8)")).toBeTruthy();
    await user.click(screen.getByRole("tab", { name: "Raw" }));
    const raw = within(await screen.findByRole("tabpanel", { name: "Raw" }));
    expect(raw.getByText("12345678901234567890")).toBeTruthy();
  });

  // Requirements: TOOL-20.
  it("is not sent while something required is missing, and the first gap gets the focus", async () => {
    const { user } = await openDemo("echo");
    await user.keyboard("{Control>}{Enter}{/Control}");
    await screen.findByText("Required");
    expect(screen.getByText("1 argument needs fixing")).toBeTruthy();
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "text" })));
    await user.keyboard("Ahoy{Control>}{Enter}{/Control}");
    expect(await within(await result()).findByText("Ahoy")).toBeTruthy();
  });

  // Requirements: CANC-09, TOOL-03.
  it("shows progress, goes on while another screen is open, and can be cancelled", async () => {
    const { user, router } = await openDemo("progress");
    await user.keyboard("{Control>}{Enter}{/Control}");
    await within(await result()).findByText("Running");
    await router.navigate({ to: "/settings" });
    await screen.findByRole("main", { name: "Settings" });
    await router.navigate({ to: "/workbench", search: {} });
    const shown = within(await result());
    await shown.findByText("Running");
    await shown.findByText(/of 40 fathoms/);
    expect(shown.getByRole("progressbar", { name: "Progress" }).getAttribute("aria-valuenow")).not.toBeNull();
    await user.keyboard("{Control>}.{/Control}");
    await shown.findByText("Cancelled");
  });

  it("puts a tool's error inside the server's frame", async () => {
    const { user } = await openDemo("fail");
    await user.keyboard("{Control>}{Enter}{/Control}");
    const frame = (await within(await result()).findByText("demo", { selector: "bdi" })).closest("figure");
    expect(frame?.textContent).toContain("reports an error");
    expect(frame?.textContent).toContain("the anchor is fouled");
    expect((await result()).textContent).toContain("Tool error");
  });

  it.each([
    ["Protocol error", "The server returned an error.", "Error -32603"],
    ["No answer", "The server didn’t answer in time.", "Run again"],
    ["Connection ends", "The connection closed before the answer arrived.", "Run again"],
    ["Answer too large", "The answer is larger than the limit of 16 MiB: it has 17 MiB.", "raise the limit"],
  ])("explains: %s", async (kind, title, more) => {
    const { user } = await openDemo("break");
    await user.click(screen.getByRole("combobox", { name: "kind" }));
    await user.click(await screen.findByRole("option", { name: kind }));
    await user.click(screen.getByRole("button", { name: /^Run/ }));
    const notice = await within(await result()).findByRole("alert");
    expect(notice.textContent).toContain(title);
    expect(notice.textContent).toContain(more);
  });

  it("shows the beginning of an answer that is too large, in the server's frame", async () => {
    const { user } = await openDemo("break");
    await user.click(screen.getByRole("combobox", { name: "kind" }));
    await user.click(await screen.findByRole("option", { name: "Answer too large" }));
    await user.click(screen.getByRole("button", { name: /^Run/ }));
    const frame = await within(await result()).findByRole("group", { name: "demo" });
    expect(frame.closest("figure")?.querySelector("figcaption")?.textContent).toBe("demo began its answer with");
    expect(frame.textContent).toMatch(/^\{"jsonrpc":"2.0"/);
  });

  it("keeps earlier runs to look at, to run again, and to edit", async () => {
    const { user } = await openDemo("echo");
    const text = screen.getByRole("textbox", { name: "text" });
    for (const word of ["one", "two"]) {
      await user.clear(text);
      await user.type(text, word);
      await user.keyboard("{Control>}{Enter}{/Control}");
      await within(await result()).findByText(word);
    }
    await user.click(screen.getByRole("tab", { name: "History" }));
    const rows = within(await screen.findByRole("list", { name: "Calls to this tool" })).getAllByRole("listitem");
    expect(rows.map((row) => row.textContent.includes('"one"'))).toEqual([false, true]);
    const [, first] = rows;
    if (!first) throw new Error("no first run");
    await user.click(within(first).getByRole("button", { name: "Edit arguments" }));
    expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: "text" }).value).toBe("one");
    await user.click(within(first).getByText(/"one"/));
    await within(await result()).findByText(/Result from/);
    await user.click(screen.getByRole("button", { name: "Show latest" }));
    expect(within(await result()).getByText("two")).toBeTruthy();
  });
});

describe("what a server claims of a tool", () => {
  it("stands inside the server's frame", async () => {
    await openDemo("add");
    const claims = await screen.findByRole("list", { name: "The server says:" });
    expect(claims.textContent).toBe("Read-onlyLocal only");
    expect(claims.closest("[data-theirs]")?.closest("figure")?.querySelector("figcaption")?.textContent).toContain("demo");
  });
});

describe("what a server sends", () => {
  // Requirements: SEC-03, SEC-18.
  it("is never more than text, whatever it pretends to be", async () => {
    const { user } = await openDemo("odd");
    await user.keyboard("{Control>}{Enter}{/Control}");
    const shown = await result();
    await within(shown).findByText("hologram");
    expect(shown.querySelectorAll("script, svg script, img[src=x], a").length).toBe(0);
    expect(shown.textContent).toContain("<img src=x onerror=alert(1)> **not bold**");
    expect(shown.textContent).toContain("U+202E");
    expect(shown.textContent).not.toMatch(/\u202e|\u200b/);
    expect(shown.textContent).toContain("<script>alert(1)</script>");
    expect(within(shown).getByText(/in a format that can’t be shown/)).toBeTruthy();
    expect(within(shown).getByText(/The data isn’t base64/)).toBeTruthy();
    expect(within(shown).getByText("9007199254740993")).toBeTruthy();
    for (const image of shown.querySelectorAll("img")) expect(image.src).toMatch(/^blob:/);
  });

  // Requirements: INFO-10.
  it("shows a link as an address, never as something to follow", async () => {
    const { user } = await openDemo("link");
    await user.keyboard("{Control>}{Enter}{/Control}");
    const shown = within(await result());
    expect((await shown.findAllByText("harbour://guide")).length).toBeGreaterThan(0);
    expect(shown.queryByRole("link")).toBeNull();
  });
});

describe("a form", () => {
  it("adds groups, items and properties, and chooses between alternatives", async () => {
    const { user } = await openDemo("every_schema");
    await user.click(screen.getByRole("button", { name: "Add tree" }));
    const group = within(screen.getByRole("group", { name: "tree" }));
    await user.type(group.getByRole("textbox", { name: "label" }), "root");
    await user.click(screen.getByRole("button", { name: "Add property" }));
    await user.keyboard("colour{Enter}");
    await user.type(screen.getByRole("textbox", { name: "anything as JSON" }), "[[1,");
    await user.tab();
    expect(screen.getByText("Line 1, column 4: the text ends too early")).toBeTruthy();
    await user.click(screen.getByRole("combobox", { name: "Type of shape" }));
    await user.click(await screen.findByRole("option", { name: "Box" }));
    await screen.findByRole("textbox", { name: "width" });
    expect(screen.queryByRole("textbox", { name: "radius" })).toBeNull();
  });

  it.each<[string, () => HTMLElement]>([
    ["a list", () => screen.getByRole("combobox", { name: /^city/ })],
    ["a switch", () => screen.getAllByRole("radio").at(-1)!],
    ["a checkbox", () => screen.getByRole("checkbox", { name: /pilot/ })],
  ])("is run with Ctrl and Enter from %s", async (_control, control) => {
    const { user } = await openDemo("book_berth");
    control().focus();
    await user.keyboard("{Control>}{Enter}{/Control}");
    await screen.findByText("book_berth: Done");
    expect(screen.queryByRole("listbox")).toBeNull();
  });

  it("takes no candidate of an input method for the name of a property", async () => {
    const { user } = await openDemo("every_schema");
    await user.click(screen.getByRole("button", { name: "Add property" }));
    const box = screen.getByRole("textbox", { name: "Property name" });
    await user.type(box, "yanse");
    fireEvent.keyDown(box, { key: "Escape", keyCode: 229 });
    fireEvent.keyDown(box, { key: "Enter", keyCode: 229 });
    expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Property name" }).value).toBe("yanse");
    await user.keyboard("{Enter}");
    const name = await screen.findByRole<HTMLInputElement>("textbox", { name: "Name of property yanse" });
    await user.type(name, "2");
    fireEvent.keyDown(name, { key: "Escape", keyCode: 229 });
    expect(name.value).toBe("yanse2");
  });

  it("offers null, empty text, defaults and raw JSON for a field", async () => {
    const { user } = await openDemo("book_berth");
    await user.click(screen.getByRole("button", { name: "More actions for remarks" }));
    await user.click(await screen.findByRole("menuitem", { name: "Send null" }));
    await screen.findByText("sends null");
    await user.click(screen.getByRole("button", { name: "More actions for nights" }));
    await user.click(await screen.findByRole("menuitem", { name: "Use default (2)" }));
    expect(screen.getByRole<HTMLInputElement>("textbox", { name: "nights" }).value).toBe("2");
    await user.click(screen.getByRole("button", { name: "More actions for crew" }));
    await user.click(await screen.findByRole("menuitem", { name: "Edit as JSON" }));
    await screen.findByRole("textbox", { name: "crew as JSON" });
  });
});

describe("the arguments", () => {
  it("have the titles that a server gives them among its words, not beside ours", async () => {
    openApp("/workbench?server=10&prompt=review_log", "offers");
    const title = await screen.findByText("How it sounds");
    expect(title.closest("blockquote")?.textContent).toBe("How it soundsBrief unless said otherwise.");
  });

  it("are not compared with a form where there is none", async () => {
    openApp("/workbench?server=3&tool=legacy_report", "offers");
    await screen.findByRole("textbox", { name: /as JSON|legacy_report/ });
    expect(screen.queryByText("Same arguments as the form")).toBeNull();
  });
});

describe("tasks", () => {
  it("are read again on request", async () => {
    const { user, host } = openApp("/workbench?server=2&view=tasks", "failed_list_tasks");
    const again = await screen.findByRole("button", { name: "Try again" });
    Object.assign(host, { scene: "usual" });
    await user.click(again);
    await waitFor(() => expect(screen.queryByText("Couldn’t load the tasks.")).toBeNull());
  });
});

describe("nothing to show", () => {
  it("offers the demo server when there is no server", async () => {
    const { user, host } = openApp("/workbench", "empty");
    await user.click(await screen.findByRole("button", { name: "Start the demo server" }));
    await waitFor(() => expect(host.servers.map((server) => server.name)).toEqual(["demo"]));
    await tree();
  });

  it("says why a failed server has no tools", async () => {
    openApp("/workbench?server=7");
    const notice = await screen.findByRole("alert");
    expect(notice.textContent).toContain("Nothing responds at this URL.");
  });

  it("keeps the arguments when a tool is gone", async () => {
    openApp("/workbench?server=3&tool=gone");
    const heading = await screen.findByRole("heading", { name: "gone is no longer offered" });
    expect(heading.querySelector("[data-theirs]")?.textContent).toBe("gone");
  });
});
