// The keyboard focus after an action: where the person types or decides next.
import "@/features/workbench/workbench-screen";
import "@/features/servers/servers-screen";
import { openApp } from "@dev/render";
import { screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { beginFirstSteps } from "@/lib/first-steps";
import { forgetSelection } from "@/features/workbench/selection";
import { clearSearch } from "@/features/workbench/tree/tree-state";

// Whole screens are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

type App = ReturnType<typeof openApp>;

beforeEach(() => {
  localStorage.clear();
  forgetSelection();
  clearSearch();
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(4_000);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(400);
});

const tree = () => screen.findByRole("tree", { name: "Servers" });
const searchBox = () => screen.findByRole("textbox", { name: /^Search/ });
/** The name of the focused element. */
const focused = () => {
  const at = document.activeElement;
  return (
    at?.getAttribute("aria-label") ??
    document.getElementById(at?.getAttribute("aria-labelledby") ?? "-")?.textContent ??
    at?.textContent ??
    ""
  );
};

/** Searches in the palette and opens the result. */
const palette = (typed: string) => async (app: App) => {
  await app.user.keyboard("{Control>}k{/Control}");
  await app.user.type(await screen.findByRole("combobox"), typed);
  // Other results contain the word before the tools are read.
  await screen.findAllByRole("option", { name: new RegExp(`^${typed}`) });
  await app.user.keyboard("{Enter}");
};
/** Searches the tree of the Workbench, and opens the first result. */
const search = (typed: string) => async (app: App) => {
  await app.user.type(await searchBox(), typed);
  await app.user.keyboard("{Enter}");
};
/** Pastes and adds a server in the dialog that a key opens. */
const add = (pasted: string, submit: string, way?: string) => async (app: App) => {
  await screen.findByRole("grid", { name: "Servers" });
  expect(document.activeElement).toBe(document.body);
  await app.user.keyboard("n");
  await app.user.click(await screen.findByRole("textbox", { name: "Command" }));
  await app.user.paste(pasted);
  if (way !== undefined) await app.user.click(await screen.findByRole("button", { name: way }));
  const button = await screen.findByRole("button", { name: new RegExp(`^${submit}`) });
  await waitFor(() => expect(button).toHaveProperty("disabled", false));
  await app.user.click(button);
};
const treeRow = async (app: App, name: string) => app.user.click(await screen.findByText(name, { selector: "[role=treeitem] *" }));

describe("the keyboard goes where one types or decides next", () => {
  it.each<[string, string, (app: App) => Promise<unknown>, RegExp]>([
    ["a tool in the palette", "/servers", palette("echo"), /^text/],
    ["a tool without arguments in the palette", "/servers", palette("link"), /^Run/],
    ["a search of the Workbench and Enter", "/workbench", search("echo"), /^text/],
    ["a row of the tree", "/workbench?server=10", (app) => treeRow(app, "echo"), /^text/],
    [
      "Enter in the tree",
      "/workbench?server=10&tool=add",
      async (app) => {
        await screen.findByRole("heading", { name: "add" });
        (await tree()).focus();
        await app.user.keyboard("{ArrowDown}{Enter}");
        await waitFor(() => expect(app.router.state.location.search).not.toMatchObject({ tool: "add" }));
      },
      /./,
    ],
    ["Add and start", "/servers", add("npx tides", "Add and start"), /^tides/],
    ["an import", "/servers", add('{"mcpServers":{"tides":{"command":"npx"}}}', "Add and start 1", "Read it"), /^tides/],
    [
      // The calls of this scene count, so only the step about the messages is left.
      "Show me of the first steps",
      "/servers",
      async (app) => {
        beginFirstSteps(10);
        localStorage.setItem("mooring.firstSteps", "10");
        await app.user.click(await screen.findByRole("button", { name: "Show me" }));
      },
      /^Events/,
    ],
  ])("after %s", async (_, at, act, expected) => {
    const app = openApp(at, "offers");
    await screen.findByRole("main");
    await act(app);
    await waitFor(() => expect(document.activeElement?.closest("main")).not.toBeNull());
    await waitFor(() => expect(focused()).toMatch(expected));
    await waitFor(() => expect(document.activeElement?.closest("[role=tree]") ?? null).toBeNull());
  });

  it("after an Enter that comes before anything is found", async () => {
    const app = openApp("/workbench", "offers");
    const { list_tools: listed } = app.host;
    const read = Promise.withResolvers<undefined>();
    app.host.list_tools = async (args) => {
      await read.promise;
      return listed.call(app.host, args);
    };
    await search("echo")(app);
    expect(focused()).toMatch(/^Search/);
    read.resolve(undefined);
    await waitFor(() => expect(focused()).toMatch(/^text/));
    expect((await searchBox()).getAttribute("value")).toBe("");
  });

  it("after the palette, the tree shows what was opened and searches for nothing", async () => {
    const app = openApp("/workbench?server=10&tool=add", "offers");
    await app.user.type(await searchBox(), "nothing like it");
    await palette("echo")(app);
    await waitFor(async () => expect((await searchBox()).getAttribute("value") ?? "").toBe(""));
    await waitFor(() => expect(document.querySelector("[role=treeitem][aria-selected=true]")?.textContent).toContain("echo"));
  });
});
