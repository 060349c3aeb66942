import "./workbench-screen";
import { openApp } from "@dev/render";
import { freshWorkbench } from "@dev/workbench";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { clearSearch, forgetFolds } from "./tree/tree-state";

// Whole screens are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

afterEach(() => window.happyDOM?.setViewport({ width: 1280, height: 800 }));
beforeEach(() => {
  freshWorkbench();
  forgetFolds();
  clearSearch();
});

const strip = () => screen.findByRole("tablist", { name: "Open calls" });
const tabs = async () => within(await strip()).getAllByRole("tab");
/** The open calls: an unedited one in brackets, the selected one with a star. */
const open = async () =>
  (await tabs()).map((tab) => {
    const name = tab.querySelector("bdi")?.textContent ?? "";
    return `${tab.dataset["kept"] === "true" ? name : `(${name})`}${tab.getAttribute("aria-selected") === "true" ? "*" : ""}`;
  });
const shows = (...expected: string[]) => waitFor(async () => expect(await open()).toEqual(expected));
const row = async (name: string) =>
  within(await screen.findByRole("tree", { name: "Servers" })).findByText(name, { selector: "[role=treeitem] *" });

async function openEcho() {
  const app = openApp("/workbench?server=10&tool=echo", "offers");
  await screen.findByRole("heading", { name: "echo" });
  const choose = async (name: string) => {
    await app.user.click(await row(name));
    await screen.findByRole("heading", { name });
  };
  return { ...app, choose };
}

/** echo with “Ahoy” filled in, and add, which is selected and unedited. */
async function openTwo() {
  const app = await openEcho();
  await app.user.type(screen.getByRole("textbox", { name: "text" }), "Ahoy");
  await app.choose("add");
  await shows("echo", "(add)*");
  return app;
}

describe("open calls", () => {
  it("one that was only looked at makes room for the next", async () => {
    const { choose } = await openEcho();
    await shows("(echo)*");
    await choose("add");
    await shows("(add)*");
  });

  it("an edit keeps one, with its arguments", async () => {
    const { user } = await openTwo();
    await user.click((await tabs())[0]!);
    await screen.findByRole("heading", { name: "echo" });
    expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: "text" }).value).toBe("Ahoy");
    await shows("echo*", "(add)");
    expect((await tabs())[0]!.textContent).toContain("edited");
  });

  it("a run keeps one, with its result, and ends the mark of edits", async () => {
    const { user, choose } = await openEcho();
    await user.type(screen.getByRole("textbox", { name: "text" }), "Ahoy");
    await user.keyboard("{Control>}{Enter}{/Control}");
    await within(await screen.findByRole("tabpanel", { name: "Result" })).findByText("Ahoy");
    expect((await tabs())[0]!.textContent).not.toContain("edited");
    await choose("add");
    await user.click((await tabs())[0]!);
    await within(await screen.findByRole("tabpanel", { name: "Result" })).findByText("Ahoy");
  });

  it("a double click keeps one", async () => {
    const { user, choose } = await openEcho();
    await user.dblClick((await tabs())[0]!);
    await choose("add");
    await shows("echo", "(add)*");
  });

  it("says which call runs", async () => {
    const { user, choose } = await openEcho();
    await choose("progress");
    await user.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(async () => expect((await tabs())[0]!.textContent).toContain("running"));
    await user.keyboard("{Control>}.{/Control}");
    await waitFor(async () => expect((await tabs())[0]!.textContent).not.toContain("running"));
  });

  it("says which call waits for the person", async () => {
    const { user, choose } = await openEcho();
    await choose("register_ship");
    await user.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(async () => expect((await tabs())[0]!.textContent).toContain("waiting for you"));
  });

  it("close by Ctrl W, and the one beside it is worked on", async () => {
    const { user, router } = await openTwo();
    await user.keyboard("{Control>}w{/Control}");
    await shows("echo*");
    expect(router.state.location.search).toEqual({ server: 10, tool: "echo" });
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "text" })));
    await user.keyboard("{Control>}w{/Control}");
    await waitFor(() => expect(screen.queryByRole("tablist", { name: "Open calls" })).toBeNull());
    expect(router.state.location.search).toEqual({ server: 10 });
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("tree", { name: "Servers" })));
  });

  it("leave the keyboard at the tree's button in a narrow window", async () => {
    window.happyDOM?.setViewport({ width: 900, height: 800 });
    const { user } = openApp("/workbench?server=10&tool=echo", "offers");
    await strip();
    await user.keyboard("{Control>}w{/Control}");
    await waitFor(() => expect(screen.queryByRole("tablist", { name: "Open calls" })).toBeNull());
    await waitFor(() => expect(document.activeElement?.id).toBe("workbench-tree-opener"));
  });

  it("close by the cross and by the middle button", async () => {
    const { user } = await openTwo();
    await user.click((await tabs())[0]!.querySelector("[data-close]")!);
    await shows("(add)*");
    fireEvent((await tabs())[0]!, new MouseEvent("auxclick", { bubbles: true, cancelable: true, button: 1 }));
    await waitFor(() => expect(screen.queryByRole("tablist", { name: "Open calls" })).toBeNull());
  });

  it("close others from the menu", async () => {
    await openTwo();
    fireEvent.contextMenu((await tabs())[0]!);
    fireEvent.click(await screen.findByRole("menuitem", { name: "Close others" }));
    await shows("echo*");
    await screen.findByRole("heading", { name: "echo" });
  });

  it("are walked with the arrows, and closed by Delete", async () => {
    const { user } = await openTwo();
    (await tabs())[1]!.focus();
    await user.keyboard("{ArrowRight}");
    await shows("echo*", "(add)");
    await waitFor(async () => expect(document.activeElement).toBe((await tabs())[0]));
    await user.keyboard("{Delete}");
    await shows("(add)*");
    await waitFor(async () => expect(document.activeElement).toBe((await tabs())[0]));
  });

  it("are walked with Ctrl and the page keys from a field", async () => {
    const { user } = await openTwo();
    await user.click(screen.getByRole("textbox", { name: "a" }));
    await user.keyboard("{Control>}{PageDown}{/Control}");
    await shows("echo*", "(add)");
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "text" })));
    await user.keyboard("{Control>}{PageUp}{/Control}");
    await shows("echo", "(add)*");
  });

  it("are there again after another screen", async () => {
    const { router } = await openTwo();
    await router.navigate({ to: "/settings" });
    await screen.findByRole("main", { name: "Settings" });
    await router.navigate({ to: "/workbench", search: {} });
    await shows("echo", "(add)*");
  });

  it("kept ones are there again after a restart, without addresses", async () => {
    localStorage.setItem("mooring.workbench.tabs", '[[10,"tool","echo"],[10,"resource","file:///secret"],7]');
    openApp("/workbench?server=10&tool=add", "offers");
    await shows("echo", "(add)*");
    expect(localStorage.getItem("mooring.workbench.tabs")).toBe('[[10,"tool","echo"]]');
  });
});

it("forgets open calls of servers that are gone", async () => {
  localStorage.setItem("mooring.workbench.tabs", '[[999,"tool","lost"],[10,"tool","echo"]]');
  openApp("/workbench?server=10&tool=echo", "offers");
  await shows("echo*");
  await waitFor(() => expect(localStorage.getItem("mooring.workbench.tabs")).toBe('[[10,"tool","echo"]]'));
});

describe("in a narrow window", () => {
  it("the page where nothing is chosen opens the list", async () => {
    window.happyDOM?.setViewport({ width: 900, height: 800 });
    const { user } = openApp("/workbench?server=10", "offers");
    await user.click(await screen.findByRole("button", { name: "Choose a tool" }));
    await screen.findByRole("tree", { name: "Servers" });
  });
  it("a tool that was never run opens on its arguments", async () => {
    window.happyDOM?.setViewport({ width: 900, height: 800 });
    const { user, router } = openApp("/workbench?server=10&tool=echo", "offers");
    await user.click(await screen.findByRole("tab", { name: "Result" }));
    await screen.findByText("No result yet");
    await router.navigate({ to: "/workbench", search: { server: 10, tool: "add" } });
    await waitFor(() => expect(screen.getByRole("tab", { name: "Arguments" }).getAttribute("aria-selected")).toBe("true"));
  });
});

describe("the tree follows what is open", () => {
  const selected = () => document.querySelector("[role=treeitem][aria-selected=true]")?.textContent;

  it("unfolds what a link opens, and gives its search up", async () => {
    const { user, router } = await openEcho();
    (await screen.findByRole("tree", { name: "Servers" })).focus();
    await user.keyboard("{ArrowLeft}{ArrowLeft}");
    await user.type(screen.getByRole("textbox", { name: /^Search/ }), "postgres");
    await waitFor(() => expect(selected()).toBeUndefined());
    await router.navigate({ to: "/workbench", search: { server: 10, resource: "demo://harbour/weather" } });
    await waitFor(() => expect(selected() ?? "").toContain("weather"));
    expect(screen.getByRole<HTMLInputElement>("textbox", { name: /^Search/ }).value).toBe("");
  });

  it("goes on from what was opened elsewhere", async () => {
    const { user, router, choose } = await openEcho();
    await choose("add");
    await router.navigate({ to: "/workbench", search: { server: 3, tool: "query" } });
    await screen.findByRole("heading", { name: "query" });
    (await screen.findByRole("tree", { name: "Servers" })).focus();
    await user.keyboard("{ArrowDown} ");
    await screen.findByRole("heading", { name: "explain" });
  });

  it("keeps its search while something is chosen in it", async () => {
    const { user } = await openEcho();
    await user.type(screen.getByRole("textbox", { name: /^Search/ }), "expl");
    await user.click(await screen.findByRole("treeitem", { name: /^expl/ }));
    await screen.findByRole("heading", { name: "explain" });
    expect(screen.getByRole<HTMLInputElement>("textbox", { name: /^Search/ }).value).toBe("expl");
  });
});
