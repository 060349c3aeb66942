import "./workbench-screen";
import { stopDate } from "@dev/clock";
import { openApp } from "@dev/render";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import axe from "axe-core";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { forgetTexts } from "./args/texts";
import { forgetAutoRead } from "./resource/auto-read";
import { forgetRuns } from "./runs";
import { forgetSelection } from "./selection";
import { clearSearch, forgetFolds } from "./tree/tree-state";

// Whole screens are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

beforeEach(() => {
  forgetAutoRead();
  forgetRuns();
  forgetSelection();
  forgetTexts();
  forgetFolds();
  clearSearch();
  // Tests have no layout, and lists that only draw visible rows need a height.
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(4_000);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(400);
});

const tree = () => screen.findByRole("tree", { name: "Servers" });
const panel = (name: string) => screen.findByRole("tabpanel", { name });
const clean = async () => {
  const { violations } = await axe.run(document.body, {
    rules: { "color-contrast": { enabled: false }, "aria-hidden-focus": { enabled: false }, region: { enabled: false } },
  });
  expect(violations.map((violation) => `${violation.id}: ${violation.nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
};

/** Opens an item of the demo server. */
async function open(search: Record<string, unknown>) {
  const app = openApp("/workbench?server=10", "offers");
  await tree();
  await app.router.navigate({ to: "/workbench", search: { server: 10, ...search } });
  return app;
}

describe("the tree", () => {
  it("has tools, resources, templates and prompts with their counts, and finds all of them", async () => {
    const { user, router } = openApp("/workbench?server=10", "offers");
    const rows = within(await tree());
    const texts = () => rows.getAllByRole("treeitem").map((row) => row.textContent);
    await waitFor(() =>
      expect(texts()).toEqual(expect.arrayContaining(["Tools25", "Resources14", "Templates2", "Prompts4", "Tasks1 waiting2 running"])),
    );
    // With many servers, the others are collapsed until they are opened.
    expect(texts()).not.toContain("Resources640");
    await user.click(rows.getByRole("treeitem", { name: /^filesystem/ }));
    await waitFor(() => expect(texts()).toContain("Resources640"));
    expect(rows.getByRole("treeitem", { name: "Resources 640" }).getAttribute("aria-expanded")).toBe("false");
    await user.keyboard("/");
    await user.keyboard("fog horn");
    await user.keyboard("{Enter}");
    await waitFor(() => expect(router.state.location.search).toEqual({ server: 10, resource: "demo://harbour/horn.wav" }));
  });

  it("is walked from an item to its heading, which folds and unfolds", async () => {
    const { user } = await open({ prompt: "passage_plan" });
    await screen.findByRole("heading", { name: "passage_plan" });
    (await tree()).focus();
    await user.keyboard("{ArrowLeft}{ArrowLeft}");
    const heading = () => screen.getByRole("treeitem", { name: "Prompts 4" });
    await waitFor(() => expect(heading().getAttribute("aria-expanded")).toBe("false"));
    expect(screen.queryByRole("treeitem", { name: "explain_guide" })).toBeNull();
    await user.keyboard("{ArrowRight}");
    await screen.findByRole("treeitem", { name: "explain_guide" });
  });

  it("says where a list could not be read, beside those that could", async () => {
    openApp("/workbench?server=10", "unread");
    const rows = within(await tree());
    await waitFor(() => expect(rows.getAllByText("unavailable").length).toBeGreaterThan(0));
    await rows.findByText("passage_plan");
    const notice = await screen.findByRole("alert");
    expect(notice.textContent).toContain("Couldn’t load everything this server offers.");
  });

  it("says why nothing of a server could be read, where nothing of it is chosen", async () => {
    const { host } = openApp("/workbench?server=2", "failed_list_tools");
    host.servers = host.servers.map((server) => ({ ...server, capabilities: '{"tools":{}}', resourceCount: null, promptCount: null }));
    const notice = await screen.findByRole("alert");
    expect(notice.textContent).toMatch(/Couldn’t load what this server offers\..*database is locked/);
    within(notice).getByRole("button", { name: "Restart" });
    expect(screen.queryByText("Choose something to try")).toBeNull();
  });

  it("says nothing of the whole while a list may yet be read", async () => {
    const { host } = openApp("/workbench?server=3", "failed_list_tools");
    const { list_resources: ofResources, list_prompts: ofPrompts } = host;
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    host.list_resources = (wanted) => asked.then(() => ofResources(wanted));
    host.list_prompts = (wanted) => asked.then(() => ofPrompts(wanted));
    const part = "Couldn’t load everything this server offers.";
    expect((await screen.findByRole("alert")).textContent).toContain(part);
    answer();
    await within(await tree()).findByRole("treeitem", { name: /tune-a-query|Tune a query/ });
    expect(screen.getByRole("alert").textContent).toContain(part);
  });

  it("has the states of servers in the words that they have everywhere", async () => {
    const { host } = openApp("/workbench");
    const rows = within(await tree());
    await rows.findByText("Failed", { selector: "span:not(.sr-only)" });
    for (const [state, word] of [
      ["starting", "Starting"],
      ["reconnecting", "Trying again"],
    ] as const) {
      host.servers = host.servers.map((server) => (server.id === 10 ? { ...server, state } : server));
      Reflect.apply(Reflect.get(host, "tell") as (event: object) => void, host, [{ kind: "server", id: 10 }]);
      await rows.findByText(word, { selector: "span:not(.sr-only)" });
    }
  });
});

// Requirements: RES-01, RES-02, RES-03, RES-10, RES-11.
describe("a resource", () => {
  it("is read when it is opened and shown with its kind, its size and its exact text", async () => {
    const { user } = await open({ resource: "harbour://guide" });
    await screen.findByRole("heading", { name: "guide" });
    const about = within(screen.getByRole("region", { name: "About" }));
    about.getByText("harbour://guide");
    about.getByText("text/markdown");
    about.getByText("user");
    await within(await panel("Contents")).findByText(/channel 12/);
    await clean();
    await user.click(screen.getByRole("tab", { name: "Raw" }));
    expect((await panel("Raw")).textContent).toContain('{"uri":"harbour://guide"}');
    await user.click(screen.getByRole("tab", { name: "History" }));
    expect(within(await screen.findByRole("list", { name: "Reads of this resource" })).getAllByRole("listitem").length).toBe(1);
  });

  it("is a tree where it is JSON, bytes where nobody knows it, and several cards where it holds several", async () => {
    const { user, router } = await open({ resource: "demo://harbour/weather" });
    await user.click(await screen.findByRole("button", { name: /^Read/ }));
    const contents = within(await panel("Contents"));
    await contents.findByText("Mole 3", { exact: false });
    contents.getByRole("radio", { name: "Formatted", checked: true });
    await router.navigate({ to: "/workbench", search: { server: 10, resource: "demo://harbour/plan.bin" } });
    await screen.findByRole("heading", { name: "plan.bin" });
    await user.click(screen.getByRole("button", { name: /^Read/ }));
    const bytes = within(await panel("Contents"));
    expect((await bytes.findByRole("region", { name: "4.9 KiB of data" })).textContent).toContain("53 4f 55 4e  44 49 4e 47");
    await router.navigate({ to: "/workbench", search: { server: 10, resource: "demo://harbour/" } });
    await screen.findByRole("heading", { name: "harbour" });
    await user.click(screen.getByRole("button", { name: /^Read/ }));
    const several = within(await panel("Contents"));
    await several.findByText(/demo:\/\/harbour\/stamp · application\/octet-stream/);
    several.getByText("Unknown content");
  });

  it("may be gone, empty, too large, or not in the list at all", async () => {
    const { user, router } = await open({ resource: "demo://harbour/atlantis" });
    await user.click(await screen.findByRole("button", { name: /^Read/ }));
    expect((await within(await panel("Contents")).findByRole("alert")).textContent).toContain("The server has no resource with this URI.");
    await router.navigate({ to: "/workbench", search: { server: 10, resource: "demo://harbour/odd" } });
    await screen.findByRole("heading", { name: /odd/ });
    expect(screen.getByRole("heading", { name: /odd/ }).textContent).toContain("U+202E");
    await user.click(screen.getByRole("button", { name: /^Read/ }));
    await within(await panel("Contents")).findByText(/returned no content/);
    await router.navigate({ to: "/workbench", search: { server: 10, resource: "demo://harbour/soundings.tar" } });
    await screen.findByText("Over the message size limit of 16 MiB");
    await router.navigate({ to: "/workbench", search: { server: 10, resource: "demo://berths/Hamburg" } });
    await screen.findByText(/doesn’t list this URI/);
    await user.click(screen.getByRole("button", { name: /^Read/ }));
    await within(await panel("Contents")).findByText("Hamburg", { exact: false, selector: "figure *" });
  });

  it("is read when it is opened, once, unless it is large", async () => {
    const { host, router } = await open({ tool: "echo" });
    const read = vi.spyOn(host, "read_resource");
    await router.navigate({ to: "/workbench", search: { server: 10, resource: "demo://harbour/weather" } });
    await within(await panel("Contents")).findByText("Mole 3", { exact: false });
    await router.navigate({ to: "/workbench", search: { server: 10, resource: "demo://harbour/soundings.tar" } });
    await screen.findByText("Over the message size limit of 16 MiB");
    await router.navigate({ to: "/workbench", search: { server: 10, resource: "demo://harbour/weather" } });
    await within(await panel("Contents")).findByText("Mole 3", { exact: false });
    expect(read.mock.calls.map(([{ uri }]) => uri)).toEqual(["demo://harbour/weather"]);
  });

  it("that could not be read is read again, and listed again", async () => {
    const { user, host } = await open({ resource: "demo://harbour/atlantis" });
    const notice = within(await within(await panel("Contents")).findByRole("alert"));
    const read = vi.spyOn(host, "read_resource");
    await user.click(notice.getByRole("button", { name: "Read again" }));
    await waitFor(() => expect(read).toHaveBeenCalledTimes(1));
    const list = vi.spyOn(host, "list_resources");
    await user.click(await screen.findByRole("button", { name: "Reload the list" }));
    await waitFor(() => expect(list).toHaveBeenCalledWith({ id: 10, refresh: true }, expect.anything()));
  });

  it("leads from its links to the server's other resources", async () => {
    const { user, host, router } = await open({ tool: "echo" });
    const text = "# Guide\n\n[weather](weather) [berths](../berths/Kiel) [lost](lost.md) [script](javascript:alert(1))\n";
    const contents = [{ uri: "demo://harbour/guide", mimeType: "text/markdown", text }];
    vi.spyOn(host, "read_resource").mockResolvedValue({
      status: "ok",
      result: JSON.stringify({ contents }),
      error: null,
      diagnostics: [],
      elapsedMs: 1,
      bytes: 1,
    });
    await router.navigate({ to: "/workbench", search: { server: 10, resource: "demo://harbour/guide" } });
    const frame = within(await panel("Contents"));
    await user.click(await frame.findByRole("button", { name: "weather" }));
    await waitFor(() => expect(router.state.location.search).toEqual({ server: 10, resource: "demo://harbour/weather" }));
    await router.navigate({ to: "/workbench", search: { server: 10, resource: "demo://harbour/guide" } });
    const again = within(await panel("Contents"));
    await again.findByText("demo://harbour/lost.md");
    expect(again.queryByRole("button", { name: "lost" })).toBeNull();
    again.getByText(/\[script\]\(javascript/);
  });

  it("is found from a link in a tool's result", async () => {
    const { user, router } = await open({ tool: "link" });
    await user.click(await screen.findByRole("button", { name: /^Run/ }));
    await user.click(await within(await panel("Result")).findByRole("button", { name: "Open in Workbench" }));
    await waitFor(() => expect(router.state.location.search).toEqual({ server: 10, resource: "harbour://guide" }));
  });
});

// Requirements: SUB-15, RES-07.
describe("following a resource", () => {
  it("counts what the server announces, and reads again when that is wanted", async () => {
    const { user, host } = await open({ resource: "demo://harbour/weather" });
    await user.click(await screen.findByRole("switch", { name: "Subscribe" }));
    await screen.findByText(/No updates yet/);
    expect(host.live.subscriptionsOf(10).map((item) => item.uri)).toEqual(["demo://harbour/weather"]);
    host.live.update(10, "demo://harbour/weather");
    await screen.findByText(/^1 update, at/);
    const read = vi.spyOn(host, "read_resource");
    await user.click(screen.getByRole("checkbox", { name: "Read again after each update" }));
    await waitFor(() => expect(read).toHaveBeenCalledTimes(1));
    await within(await panel("Contents")).findByText("Mole 3", { exact: false });
    host.live.update(10, "demo://harbour/weather");
    await screen.findByText(/^2 updates, last at/);
    await waitFor(() => expect(read).toHaveBeenCalledTimes(2));
    expect(screen.queryByText(/Show latest/)).toBeNull();
    await user.click(screen.getByRole("switch", { name: "Subscribe" }));
    await waitFor(() => expect(host.live.subscriptionsOf(10)).toEqual([]));
  });

  // Requirements: LIFE-10.
  it("is not offered where the server announces nothing", async () => {
    const app = openApp("/workbench", "offers");
    app.host.servers = app.host.servers.map((server) => (server.id === 10 ? { ...server, capabilities: '{"resources":{}}' } : server));
    await tree();
    await app.router.navigate({ to: "/workbench", search: { server: 10, resource: "harbour://guide" } });
    await screen.findByText("This server doesn’t support subscriptions.");
    expect(screen.queryByRole("switch")).toBeNull();
  });
});

// Requirements: RES-04, COMP-01, COMP-03, COMP-05, COMP-06.
describe("a template", () => {
  it("is filled in with what the server suggests, shows its address as it grows, and is read there", async () => {
    const { user, host } = await open({ template: "demo://berths/{city}{?from,to}" });
    const ask = vi.spyOn(host, "complete_argument");
    const city = await screen.findByRole("combobox", { name: "city" });
    city.focus();
    for (const typed of ["r", "ro", "ros", "rost"]) fireEvent.change(city, { target: { value: typed } });
    await screen.findByRole("option", { name: "Rostock" });
    // One request after typing has paused, not one per letter.
    expect(ask.mock.calls.map(([{ value }]) => value)).toEqual(["rost"]);
    await user.keyboard("{ArrowDown}{Enter}");
    expect((city as HTMLInputElement).value).toBe("Rostock");
    await screen.findByText("demo://berths/Rostock");
    const from = screen.getByRole("combobox", { name: "from" });
    await user.type(from, "ro");
    await waitFor(() =>
      expect(ask.mock.calls.at(-1)?.[0]).toMatchObject({
        argument: "from",
        value: "ro",
        context: { city: "Rostock" },
        reference: { kind: "template", uriTemplate: "demo://berths/{city}{?from,to}" },
      }),
    );
    await screen.findByRole("option", { name: "Rotterdam" });
    await clean();
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("option")).toBeNull();
    await screen.findByText("demo://berths/Rostock?from=ro");
    await user.keyboard("{Control>}{Enter}{/Control}");
    await within(await panel("Contents")).findByText("Rostock", { exact: false, selector: "figure *" });
  });

  it("says what is missing before anything is sent, and can be read all the same", async () => {
    const { user, host } = await open({ template: "demo://berths/{city}{?from,to}" });
    const read = vi.spyOn(host, "read_resource");
    await user.click(await screen.findByRole("button", { name: /^Read/ }));
    await screen.findByText("1 value is missing");
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("combobox", { name: "city" })));
    expect(read).not.toHaveBeenCalled();
    await user.click(screen.getByRole("button", { name: "Read anyway" }));
    await waitFor(() => expect(read.mock.calls[0]?.[0]).toMatchObject({ uri: "demo://berths/" }));
  });
});

// Requirements: PROM-01, PROM-02, PROM-03, PROM-04, PROM-05.
describe("a prompt", () => {
  it("wants what it requires first, then shows its messages by who speaks", async () => {
    const { user, host } = await open({ prompt: "passage_plan" });
    const get = vi.spyOn(host, "get_prompt");
    await user.click(await screen.findByRole("button", { name: /^Get prompt/ }));
    await screen.findByText("2 values are missing");
    expect(get).not.toHaveBeenCalled();
    await user.type(screen.getByRole("combobox", { name: "from" }), "Hamburg");
    await user.type(screen.getByRole("combobox", { name: "to" }), "Santos");
    await user.keyboard("{Control>}{Enter}{/Control}");
    const messages = within(await panel("Messages"));
    const said = within(await messages.findByRole("region", { name: "Messages" })).getAllByRole("listitem");
    expect(said.map((item) => item.textContent.slice(0, 9))).toEqual(["UserWrite", "Assistant"]);
    expect(get.mock.calls[0]?.[0]).toMatchObject({ prompt: "passage_plan", arguments: '{"from":"Hamburg","to":"Santos"}' });
    await clean();
    await user.click(screen.getByRole("tab", { name: "History" }));
    await user.clear(screen.getByRole("combobox", { name: "to" }));
    await user.click(screen.getByRole("button", { name: "Edit arguments" }));
    expect(screen.getByRole<HTMLInputElement>("combobox", { name: "to" }).value).toBe("Santos");
  });

  it("spells out hidden characters and keeps roles and content that nobody knows", async () => {
    const { user } = await open({ prompt: "everything" });
    await user.click(await screen.findByRole("button", { name: /^Get prompt/ }));
    const messages = await panel("Messages");
    await within(messages).findByText("narrator");
    expect(messages.textContent).toContain("U+202E");
    within(messages).getByText("Unknown content");
    within(messages).getByText("Embedded resource");
  });

  it("tells no server a secret before it is sent, and masks it", async () => {
    const { user, host } = await open({ prompt: "review_log" });
    const ask = vi.spyOn(host, "complete_argument");
    const key = await screen.findByLabelText("api_key");
    expect(key.getAttribute("type")).toBe("password");
    await user.type(key, "s3cret");
    await user.type(screen.getByRole("textbox", { name: "text" }), "x");
    expect(ask).not.toHaveBeenCalled();
  });
});

// Requirements: TSKX-13, TSKX-11.
describe("tasks", () => {
  it("are listed with their state and the server's words, move as they change, and can be given up", async () => {
    stopDate();
    const { user, host } = await open({ view: "tasks" });
    const list = within(await screen.findByRole("list", { name: "Tasks" }));
    expect(list.getAllByRole("listitem").length).toBe(6);
    for (const word of ["Working", "Waiting for you", "Done", "Failed", "Cancelled", "dreaming"])
      expect(list.getAllByText(word).length).toBe(1);
    list.getByText("sounding data of 3 May is missing");
    expect(list.getAllByRole("button", { name: /^Cancel “/ }).length).toBe(3);
    // Polling details are not shown.
    expect(list.queryByText(/checked every/)).toBeNull();
    expect(list.getAllByTitle("checked every 2 s").length).toBe(3);
    list.getByText(/running for 31 seconds · expires in 14 minutes/);
    await clean();
    host.live.change(10, "t-2", { status: "completed", statusMessage: null });
    await waitFor(() => expect(list.getAllByText("Done").length).toBe(2));
    await user.click(list.getByRole("button", { name: "Cancel “draw_chart”" }));
    await waitFor(() => expect(host.live.tasksOf(10).find((task) => task.taskId === "t-1")?.status).toBe("cancelled"));
    await waitFor(() => expect(list.getAllByText("Cancelled").length).toBe(2));
  });

  it("lead to what they ask, which comes first", async () => {
    const { user, router } = await open({ view: "tasks" });
    const list = within(await screen.findByRole("list", { name: "Tasks" }));
    const [first] = list.getAllByRole("listitem");
    expect(first?.textContent).toContain("book_berth");
    await user.click(await list.findByRole("button", { name: "Answer “book_berth”" }));
    await waitFor(() => expect(router.state.location.href).toBe("/inbox?id=71"));
  });

  it("that another window began lead to what Activity has of them", async () => {
    const { user, router } = await open({ view: "tasks" });
    const list = within(await screen.findByRole("list", { name: "Tasks" }));
    const [done] = await list.findAllByRole("button", { name: /^Show result in Activity: “.+”$/ });
    await user.click(done!);
    await waitFor(() =>
      expect(router.state.location).toMatchObject({ pathname: "/activity", search: { serverId: 10, text: expect.stringMatching(/^t-/) } }),
    );
  });

  it("are named at the call that became one", async () => {
    const { user } = await open({ tool: "draw_chart" });
    await user.click(await screen.findByRole("button", { name: /^Run/ }));
    const result = within(await panel("Result"));
    await result.findByText("Running in background");
    await user.click(result.getByRole("button", { name: "Show tasks" }));
    await screen.findByRole("list", { name: "Tasks" });
  });
});
