// The first tab of a server: what it is, what it may use, its last calls, and help after a failure.
import "@/features/servers/servers-screen";
import { openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";

// Whole screens are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const details = async (name: string) => within(await screen.findByRole("complementary", { name: `Details of “${name}”` }));

describe("a server's overview", () => {
  it("leads to the Workbench and to what the server offers", async () => {
    const { user, router } = openApp("/servers?id=2");
    const pane = await details("github");
    within(pane.getByRole("group", { name: "github" })).getByText("GitHub MCP Server");
    await user.click(await pane.findByRole("link", { name: "41 tools" }));
    await waitFor(() => expect(router.state.location.search).toEqual({ id: 2, tab: "tools" }));
    await user.click(pane.getByRole("tab", { name: "Overview" }));
    await user.click(await pane.findByRole("button", { name: "Open in Workbench" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/workbench"));
    expect(router.state.location.search).toEqual({ server: 2 });
  });
  it("says what a local server uses, now and at most in the last hour", async () => {
    openApp("/servers?id=1");
    const pane = await details("filesystem");
    const use = within(await pane.findByRole("region", { name: "What it uses" }));
    const figures = use.getAllByRole("term").map(({ textContent }) => textContent);
    expect(figures).toEqual(["Processor", "Memory", "Processes"]);
    await use.findByText("Up to 90 MiB in the last hour");
  });
  it("says nothing of what a remote server uses", async () => {
    openApp("/servers?id=2");
    const pane = await details("github");
    await pane.findByRole("list", { name: "Last calls" });
    expect(pane.queryByRole("region", { name: "What it uses" })).toBeNull();
  });
  it("says that one is asleep, and starts it", async () => {
    const { user, host } = openApp("/servers?id=1", "servers_asleep");
    const pane = await details("filesystem");
    await pane.findByText("This server is asleep");
    expect(pane.getAllByText("Asleep").length).toBeGreaterThan(0);
    await user.click(pane.getByRole("button", { name: "Start now" }));
    await waitFor(() => expect(host.servers.find(({ id }) => id === 1)?.state).toBe("starting"));
  });
  it("lets one sleep that starts on first use, unless it is used", async () => {
    const { user, host } = openApp("/servers?id=1", "servers_asleep");
    const pane = await details("filesystem");
    const state = () => host.servers.find(({ id }) => id === 1)?.state;
    await user.click(await pane.findByRole("button", { name: "Start now" }));
    await waitFor(() => expect(state()).toBe("ready"), { timeout: 10_000 });
    const letSleep = async () => {
      await user.click(pane.getByRole("button", { name: "More actions" }));
      await user.click(await screen.findByRole("menuitem", { name: "Let sleep" }));
    };
    const { let_server_sleep: sleep } = host;
    host.let_server_sleep = async () => false;
    await letSleep();
    await screen.findByText("“filesystem” is in use and stays awake.");
    host.let_server_sleep = sleep;
    await letSleep();
    await pane.findByText("This server is asleep");
    expect(state()).toBe("asleep");
  });
  it("says what comes first before how it is connected", async () => {
    openApp("/servers?id=1");
    const pane = await details("filesystem");
    const order = [
      await pane.findByRole("button", { name: "Open in Workbench" }),
      await pane.findByRole("list", { name: "Access" }),
      await pane.findByRole("list", { name: "Last calls" }),
      pane.getByText("Connection details"),
    ];
    for (const [at, item] of order.entries()) {
      const next = order[at + 1];
      if (next) expect(item.compareDocumentPosition(next) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    }
    expect(pane.getByText("Connection details").closest("details")?.open).toBe(false);
  });
  it("says what waits for an answer, and leads to it", async () => {
    const { user, router } = openApp("/servers?id=2", "inbox");
    const pane = await details("github");
    const card = within(await pane.findByRole("region", { name: "1 question waits for your answer" }));
    card.getByText("An AI model wants to call “create_issue” of “github”");
    await user.click(card.getByRole("button", { name: "Answer" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/inbox"));
    expect(router.state.location.search).toEqual({ id: 11 });
  });
  it("has no such card for one that asks nothing, and says how long it is as it is", async () => {
    openApp("/servers?id=1");
    const pane = await details("filesystem");
    await pane.findByText(/^for \d+ minutes$/);
    expect(pane.queryByRole("button", { name: "Answer" })).toBeNull();
  });
  it("of one without a value names it, and offers nothing that can't succeed yet", async () => {
    const { user } = openApp("/servers?id=3", "servers_value_missing");
    const pane = await details("postgres-prod");
    const notice = within(await pane.findByRole("alert"));
    notice.getByText("“PGPASSWORD” is missing");
    expect(notice.getAllByRole("button").map((button) => button.textContent)).toEqual(["Enter value"]);
    for (const name of [/^Start/, "Restart"]) expect(pane.queryByRole("button", { name })).toBeNull();
    await user.click(notice.getByRole("button", { name: "Enter value" }));
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Value of “PGPASSWORD”")));
  });
  it("of one that failed at a URL shows it, with one button that tries again", async () => {
    openApp("/servers?id=7");
    const pane = await details("figma-dev");
    const notice = within(await pane.findByRole("alert"));
    notice.getByText("http://127.0.0.1:3845/mcp");
    notice.getByRole("button", { name: "Try again" });
    expect(pane.queryByRole("button", { name: /^Start/ })).toBeNull();
  });
  it("counts the folders that are shared, and none that can't be used", async () => {
    const { host } = openApp("/servers?id=1");
    const access = within(await (await details("filesystem")).findByRole("list", { name: "Access" }));
    const usable = host.roots.of(1).roots.filter(({ problem }) => problem === null);
    await access.findByText(`${usable.length} shared`);
    expect(usable.length).toBeLessThan(host.roots.of(1).roots.length);
  });
  it("switches folders and models, and says what restarts", async () => {
    const { user, host } = openApp("/servers?id=1");
    const access = within(await (await details("filesystem")).findByRole("list", { name: "Access" }));
    access.getByText(/Changing this restarts the server/);
    const models = await access.findByRole("switch", { name: "Allow “filesystem” to use models" });
    const before = models.getAttribute("aria-checked") === "true";
    await waitFor(() => expect(models).toHaveProperty("disabled", false));
    await user.click(models);
    await waitFor(() => expect(host.models.view().servers.find(({ policy }) => policy.server === 1)?.policy.enabled).toBe(!before));
    const folders = access.getByRole("switch", { name: "Also share folders for all servers" });
    await waitFor(() => expect(folders).toHaveProperty("disabled", false));
    const shared = host.roots.of(1).shared === true;
    await user.click(folders);
    await waitFor(() => expect(host.roots.of(1).shared).toBe(!shared));
  });
  it("chooses which of its accounts is used, or none", async () => {
    const { user, host, router } = openApp("/servers?id=5");
    const access = within(await (await details("docs-search")).findByRole("list", { name: "Access" }));
    const chooser = await access.findByRole("combobox", { name: "Account" });
    const mine = () => host.accounts.list.filter(({ servers }) => servers.some(({ id }) => id === 5));
    const chosen = () => mine().find(({ servers }) => servers.some((one) => one.id === 5 && one.chosen)) ?? null;
    const before = chosen();
    const other = mine().find((item) => item !== before && item.ended === null);
    if (!before || !other) throw new Error("there are not two");
    const pick = async (name: string) => {
      chooser.focus();
      await user.keyboard("{Enter}");
      await user.click(await screen.findByRole("option", { name }));
    };
    await pick(String(other.label));
    await waitFor(() => expect(chosen()?.id).toBe(other.id));
    await waitFor(() => expect(chooser.textContent).toBe(other.label));
    await pick("No account");
    await waitFor(() => expect(chosen()).toBeNull());
    access.getByText(/Not signed in/);
    await user.click(access.getByRole("link", { name: "Add another account" }));
    await waitFor(() => expect(router.state.location.search).toEqual({ id: 5, tab: "sign_in" }));
  });
  it("lists the last calls, each with a way to its event", async () => {
    const { user, router, host } = openApp("/servers?id=1");
    const calls = within(await (await details("filesystem")).findByRole("list", { name: "Last calls" }));
    const [newest] = calls.getAllByRole("link");
    if (!newest) throw new Error("no call");
    expect(calls.getAllByRole("link").length).toBe(5);
    expect(screen.getByText("p50 2 ms · p95 4 ms").parentElement?.textContent).toBe("p50 2 ms · p95 4 ms · 148 calls");
    const last = host.journal.rows.findLast((row) => row.serverId === 1 && row.method === "tools/call" && row.direction === "in");
    expect(newest.textContent).toContain(last?.subject);
    await user.click(newest);
    await waitFor(() => expect(router.state.location.search).toEqual({ serverId: 1, method: "tools/call", event: last?.id }));
  });
  it("shows three lines of its instructions as Markdown, all on request", async () => {
    vi.spyOn(HTMLElement.prototype, "scrollHeight", "get").mockReturnValue(900);
    const { user, host, client } = openApp("/servers?id=1");
    const server = host.servers.find(({ id }) => id === 1);
    Object.assign(server ?? {}, { instructions: "# Files\n\nRead **first**.\n\n- one\n- two\n" });
    await client.invalidateQueries();
    const pane = await details("filesystem");
    const heading = await pane.findByRole("heading", { name: "Files" });
    const frame = within(heading.closest<HTMLElement>("[role=group]")!);
    expect(frame.getAllByRole("listitem").map((item) => item.textContent)).toEqual(["one", "two"]);
    const more = await pane.findByRole("button", { name: "Show all" });
    expect(more.getAttribute("aria-expanded")).toBe("false");
    await user.click(more);
    await pane.findByRole("button", { name: "Show less", expanded: true });
  });
  it("lists a call that asked for something first once", async () => {
    const { host } = openApp("/servers?id=1");
    const { log_page: page } = host;
    vi.spyOn(host, "log_page").mockImplementation(async (wanted) => {
      const found = await page(wanted);
      if (wanted.filter.method !== "tools/call") return found;
      const [end] = found.rows;
      if (!end) throw new Error("no call");
      const asks = { ...end, id: end.id - 1, durationUs: null, preview: '{"result":{"resultType":"input_required"}}' };
      return { ...found, rows: [end, asks] };
    });
    const calls = within(await (await details("filesystem")).findByRole("list", { name: "Last calls" }));
    expect(calls.getAllByRole("link").length).toBe(1);
  });
  it("of one that failed tests the connection, and copies a report", async () => {
    const { user, host } = openApp("/servers?id=7");
    const server = host.servers.find(({ id }) => id === 7);
    Object.assign(server ?? {}, { headers: { Authorization: "Bearer hunter2" } });
    const notice = within(await (await details("figma-dev")).findByRole("alert"));
    await user.click(notice.getByRole("button", { name: "More" }));
    await user.click(await screen.findByRole("menuitem", { name: "Copy details" }));
    const report = await navigator.clipboard.readText();
    expect(report).toContain("Nothing responds at this URL.");
    expect(report).toContain("Authorization");
    expect(report).not.toContain("hunter2");
    await user.click(notice.getByRole("button", { name: "More" }));
    await user.click(await screen.findByRole("menuitem", { name: "Test connection" }));
    await screen.findByText("The connection works.");
    expect(host.sent.filter(({ name }) => name === "try_server").length).toBe(1);
    expect(server?.state).toBe("failed");
    // The failure is over, and the server only needs to be started.
    const panel = within(screen.getByRole("tabpanel"));
    expect(panel.queryByRole("alert")).toBeNull();
    await user.click(panel.getByRole("button", { name: "Start" }));
    await panel.findByRole("progressbar", { name: "Waiting for the server" });
  });
  it("of one that failed once more after its test says that instead", async () => {
    const { user, host } = openApp("/servers?id=7");
    const server = host.servers.find(({ id }) => id === 7);
    Object.assign(server ?? {}, { since: Date.now() + 60_000 });
    const notice = within(await (await details("figma-dev")).findByRole("alert"));
    await user.click(notice.getByRole("button", { name: "More" }));
    await user.click(await screen.findByRole("menuitem", { name: "Test connection" }));
    await waitFor(() => expect(host.sent.some(({ name }) => name === "try_server")).toBe(true));
    await waitFor(() => expect(screen.queryByText("Connecting…")).toBeNull());
    expect(screen.queryByText("The connection works.")).toBeNull();
    notice.getByText("Nothing responds at this URL.");
  });
  it("of one that failed leads to the field that may be wrong", async () => {
    const { user } = openApp("/servers?id=7");
    const notice = within(await (await details("figma-dev")).findByRole("alert"));
    await user.click(notice.getByRole("button", { name: "Edit URL" }));
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "URL" })));
  });
  it("tests what is entered before it is saved, and says why it fails", async () => {
    const { user, host } = openApp("/servers?add=command");
    await user.click(await screen.findByRole("textbox", { name: "Command" }));
    await user.paste("nope --stdio");
    await user.click(screen.getByRole("button", { name: "Test connection" }));
    await screen.findByText("The program wasn’t found.");
    expect(host.servers.length).toBe(10);
    await user.type(screen.getByRole("textbox", { name: "Command" }), "x");
    await waitFor(() => expect(screen.queryByText("The program wasn’t found.")).toBeNull());
  });
});

describe("a server's own page", () => {
  it("is opened by Enter and left by Escape, and the list has the focus again", async () => {
    const { user, router } = openApp("/servers?id=1");
    const row = await screen.findByRole("row", { name: /filesystem/ });
    row.focus();
    await user.keyboard("{Enter}");
    await waitFor(() => expect(router.state.location.search).toEqual({ id: 1, page: true }));
    await waitFor(() => expect(screen.queryByRole("grid", { name: "Servers" })).toBeNull());
    screen.getByRole("button", { name: "Back to all servers" });
    await waitFor(() => expect(document.activeElement?.getAttribute("role")).toBe("tabpanel"));
    await user.keyboard("{Escape}");
    await waitFor(() => expect(router.state.location.search).toEqual({ id: 1 }));
    const again = await screen.findByRole("row", { name: /filesystem/ });
    await waitFor(() => expect(document.activeElement).toBe(again));
    await user.keyboard("{Enter}");
    await screen.findByRole("button", { name: "Back to all servers" });
    await user.keyboard("{Alt>}{ArrowLeft}{/Alt}");
    await waitFor(() => expect(router.state.location.search).toEqual({ id: 1 }));
  });
  it("is opened by a double click, and has every tab with its name", async () => {
    const { user, router } = openApp("/servers");
    await user.dblClick(await screen.findByRole("row", { name: /github/ }));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ id: 2, page: true }));
    const tabs = within(await screen.findByRole("tablist", { name: "Details" })).getAllByRole("tab");
    expect(tabs.map((tab) => tab.getAttribute("aria-label"))).toEqual([
      "Overview",
      "Tools",
      "Resources",
      "Prompts",
      "Sign-in",
      "Folders",
      "Trust",
      "Settings",
    ]);
  });
});
