import "@/features/servers/servers-screen";
import { openApp } from "@dev/render";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { PinState } from "@/ipc/bindings/PinState";

const approvals = (host: ReturnType<typeof openApp>["host"]) =>
  host.sent
    .filter((item) => item.name === "approve_trust")
    .map((item) => (item.args as { approvals: { name: string }[] }).approvals.map((approval) => approval.name));

describe("what is trusted of a server", () => {
  it("shows what changed by more than colour, inside the server's frame, with hidden characters named", async () => {
    const { user } = openApp("/servers?id=6&tab=trust");
    await screen.findByText("1 change to review");
    await user.click(screen.getByRole("button", { name: "Review change" }));
    const diff = (await screen.findByText("/description", { selector: "dt *" })).closest("figure");
    expect(diff?.querySelector("figcaption")?.textContent).toBe("weather since you approved it");
    expect([...(diff?.querySelectorAll("del") ?? [])].map((piece) => piece.textContent)).toEqual(["removed: −three", "removed: −city"]);
    expect(diff?.querySelector("ins")?.textContent).toBe("added: +five");
    // Text added by a server may be an attack, so it is never green.
    expect(diff?.querySelector("ins")?.className).toContain("text-warn");
    expect(diff?.querySelector("ins")?.className).not.toContain("ok");
    expect(diff?.textContent).toContain("U+200B");
    expect(diff?.textContent).not.toContain("\u200B");
    await screen.findByText("4 hidden or misleading characters");
    screen.getByText("12 more parts changed");
    screen.getByText("U+0441");
  });
  it("says which tools apps don’t get as the server says, and why", async () => {
    const { user } = openApp("/servers?id=6&tab=trust");
    await user.click(await screen.findByRole("button", { name: /^stations.*Apps get a corrected definition/ }));
    let dialog = within(await screen.findByRole("dialog", { name: /stations/ }));
    dialog.getByText("Apps get it with inputSchema corrected, because some of them can’t use what it says there.");
    await user.keyboard("{Escape}");
    await user.click(await screen.findByRole("button", { name: /^tides.*Apps don’t get this tool/ }));
    dialog = within(await screen.findByRole("dialog", { name: /tides/ }));
    dialog.getByText("Apps don’t get it: a type in its schema is none that JSON Schema knows.");
  });
  it("is reviewed over the width of the window, with what approving means and the approval in reach", async () => {
    const { user } = openApp("/servers?id=6&tab=trust");
    await user.click(await screen.findByRole("button", { name: /^forecast/ }));
    const dialog = within(await screen.findByRole("dialog", { name: "Review change: forecast" }));
    dialog.getByText(
      /^weather · Approving means: apps get exactly this version, and your rules decide on each call\. If it changes, it’s blocked/,
    );
    const scrolls = dialog.getByRole("group", { name: "Definition" });
    expect(scrolls.className).toContain("overflow-y-auto");
    expect(within(scrolls).getByText("/description", { selector: "dt *" }).closest("figure")?.querySelector("[class*=max-h]")).toBeNull();
    const approve = dialog.getByRole("button", { name: /^Approve (change|anyway)$/ });
    expect(approve.closest("footer")).not.toBeNull();
    expect(scrolls.contains(approve)).toBe(false);
  });
  // Requirements: TOOL-24.
  it("approves all that is new at once, but what changed or hides something only after it was looked at", async () => {
    const { user, host } = openApp("/servers?id=6&tab=trust");
    await screen.findByText(/2 more items need a review of their own\./);
    await user.click(await screen.findByRole("button", { name: "Approve both new items" }));
    await waitFor(() => expect(approvals(host)).toEqual([["stations", "tides"]]));
    const forecast = await screen.findByRole("button", { name: /^forecast/ });
    expect(screen.queryByRole("button", { name: /^Approve (change|anyway)$/ })).toBeNull();
    await user.click(forecast);
    await user.click(screen.getByRole("button", { name: /^Approve (change|anyway)$/ }));
    await waitFor(() => expect(approvals(host)).toEqual([["stations", "tides"], ["forecast"]]));
    await waitFor(() => expect(host.servers.find((server) => server.id === 6)?.changed).toBe(false));
    expect(screen.queryByText("1 change to review")).toBeNull();
  });
  it("draws all that is new or changed, before what is approved and what is gone", async () => {
    const { host } = openApp("/servers?id=6&tab=trust");
    const { get_trust: read } = host;
    host.get_trust = async (args) => {
      const view = await read(args);
      const like = view.items.find(({ kind }) => kind === "tool");
      if (like === undefined) return view;
      const items = (state: PinState, count: number) =>
        Array.from({ length: count }, (_, at) => ({ ...like, state, name: `${state}_${at}`, changes: [], hidden: [], whole: null }));
      return { ...view, items: [...items("gone", 150), ...items("approved", 150), ...items("new", 250), ...items("changed", 3)] };
    };
    const list = await screen.findByRole("list", { name: "Tools and instructions" });
    const rows = [...list.children].map((item) => /(?:changed|new|approved|gone)_/.exec(item.textContent ?? "")?.[0]);
    expect(rows).toEqual([...Array.from({ length: 3 }, () => "changed_"), ...Array.from({ length: 250 }, () => "new_")]);
    screen.getByText("and 300 more; search to find them");
  });
  // Requirements: SEC-22.
  it("says what could not be kept whole, and has it approved by itself", async () => {
    const { user, host } = openApp("/servers?id=1&tab=trust", "trust_hidden");
    const atlas = await screen.findByRole("button", { name: /^atlas/ });
    expect(screen.queryByRole("button", { name: /^Approve (all|both)/ })).toBeNull();
    await user.click(atlas);
    await screen.findByText("This item is too long to show in full.");
    screen.getByText(/^It’s 180 KiB\. You see the name, the description/);
    await user.click(screen.getByRole("button", { name: "Approve" }));
    await waitFor(() => expect(approvals(host)).toEqual([["atlas"]]));
  });
  it("shows what is new in words, and its JSON folded", async () => {
    const { user } = openApp("/servers?id=6&tab=trust");
    await user.click(await screen.findByRole("button", { name: /^tides/ }));
    const dialog = within(await screen.findByRole("dialog", { name: /tides/ }));
    dialog.getByText("High and low water.");
    // A type that JSON Schema doesn't know stays unchanged.
    const [term] = dialog.getAllByRole("term");
    expect(term?.textContent).toBe("atplace");
    expect(dialog.getByText("Definition", { selector: "summary" }).closest("details")?.open).toBe(false);
    dialog.getByText(/Apps don’t get it either way/);
    dialog.getByText("2 of 3");
    await user.click(dialog.getByRole("button", { name: "Next item" }));
    await screen.findByRole("dialog", { name: /moon|m.on/ });
  });
  it("shows an old and a new URL whole, and says that they look alike", async () => {
    const { user } = openApp("/servers?id=2&tab=trust", "trust_definition");
    await user.click(await screen.findByRole("button", { name: "Review change" }));
    const rows = [...(await screen.findByLabelText("URL", { selector: "dl" })).querySelectorAll("dd")].map((one) => one.textContent);
    expect(rows).toEqual(["https://mcp.acme.com/mcp", "https://mcp.acrne.com/mcp"]);
    screen.getByText("This URL looks like the old one but isn’t");
  });
  it("says what approving instructions means", async () => {
    const { user } = openApp("/servers?id=6&tab=trust");
    await user.click(await screen.findByRole("button", { name: /^instructions/ }));
    screen.getByText(/ · Approving means: connected apps get this version for their AI models/);
  });
  it("approves nothing where it changed again meanwhile, and says so", async () => {
    const { user, host } = openApp("/servers?id=6&tab=trust");
    host.trust.changesMeanwhile = true;
    await user.click(await screen.findByRole("button", { name: "Review change" }));
    await user.click(await screen.findByRole("button", { name: /^Approve (change|anyway)$/ }));
    await screen.findByText("It changed again while you reviewed it.");
    expect(host.servers.find((server) => server.id === 6)?.changed).toBe(true);
  });
  it("says in words what hides characters, and who approved it", async () => {
    openApp("/servers?id=1&tab=trust", "trust_hidden");
    await screen.findByText("1 of these has hidden or misleading characters. Read it closely before you approve it.");
    screen.getByRole("button", { name: /^quiet tool.*approved by you, / });
  });
  it("says why a server runs that nobody approved", async () => {
    openApp("/servers?id=1&tab=trust", "trust_new");
    await screen.findByText(/^You added it like this, so it can start\./);
  });
  it("includes how the server is started", async () => {
    const { user, host } = openApp("/servers?id=1&tab=trust", "trust_definition");
    const definition = within(await screen.findByRole("region", { name: "Start command" }));
    definition.getByText("Changed");
    await user.click(definition.getByRole("button"));
    const line = await screen.findByLabelText("Command", { selector: "dl" });
    const [before, now] = [...line.querySelectorAll("dd")].map((one) => one.textContent ?? "");
    expect(before).toContain("@acme/weather@1.4.2");
    expect(now).toBe(before?.replace("1.4.2", "1.5.0"));
    screen.getByText(/ · Approving means: the server may start or connect in exactly this way\./);
    await user.click(screen.getByRole("button", { name: /^Approve (change|anyway)$/ }));
    await definition.findByText("Approved");
    expect(approvals(host)).toEqual([["filesystem"]]);
  });
  it("has nothing to approve before the server was started", async () => {
    openApp("/servers?id=10&tab=trust");
    await screen.findByText("Start the server once to approve this");
    expect(screen.queryByRole("button", { name: /Approve/ })).toBeNull();
  });
  it("is asked for above the list of servers as long as something changed", async () => {
    const { user, router } = openApp("/servers?id=1");
    await screen.findByText("“weather” changed since you approved it. Changes are blocked until you review them.");
    await user.click(screen.getByRole("button", { name: "Review" }));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ id: 6, tab: "trust" }));
    await screen.findByRole("dialog", { name: "Review change: forecast" });
    // The link was followed once, so closing the review doesn't open it again.
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(router.state.location.search).toEqual({ id: 6, tab: "trust" });
  });
  it("is reviewed one after the other where several things changed", async () => {
    const { user, host } = openApp("/servers?id=6&tab=trust&review=now", "trust_words");
    const dialog = (name: string) => screen.findByRole("dialog", { name: `Review change: ${name}` });
    within(await dialog("now")).getByText("2 of 3");
    await user.click(screen.getByRole("button", { name: "Previous item" }));
    within(await dialog("forecast")).getByText("1 of 3");
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Previous item" }).disabled).toBe(true);
    const approve = () => screen.getByRole<HTMLButtonElement>("button", { name: "Approve change" });
    // It appeared under a pointer that may press again.
    expect(approve().disabled).toBe(true);
    await waitFor(() => expect(approve().disabled).toBe(false), { timeout: 5_000 });
    await user.click(approve());
    within(await dialog("now")).getByText("1 of 2");
    expect(approve().disabled).toBe(true);
    expect(document.activeElement).toBe(screen.getByRole("group", { name: "Definition" }));
    expect(approvals(host)).toEqual([["forecast"]]);
  });
  it("says in words what a tool may do now, the more dangerous first, and keeps the pointers", async () => {
    openApp("/servers?id=6&tab=trust&review=true", "trust_words");
    const dialog = await screen.findByRole("dialog", { name: "Review change: forecast" });
    const lines = [...dialog.querySelectorAll("dl > div")].map((line) => line.textContent);
    expect(lines[0]).toBe("Can delete data/annotations/destructiveHintno →  to yesRiskier");
    expect(lines).toContain("Argument path/inputSchema/properties/pathNew, required");
    expect(lines).toContain("Safe to repeat/annotations/idempotentHintno →  to yes");
    expect(lines).toContain("/x-vendoradded: +acme");
  });
  it("can be kept from everyone in place of being approved, and that undone", async () => {
    const { user, host } = openApp("/servers?id=6&tab=trust&review=true", "trust_words");
    await user.click(
      await within(await screen.findByRole("dialog", { name: "Review change: forecast" })).findByRole("button", { name: "Turn off tool" }),
    );
    await screen.findByRole("dialog", { name: "Review change: now" });
    const denied = async () => (await host.list_rules()).filter(({ rule }) => rule.tool === "forecast" && rule.effect === "deny").length;
    await screen.findByText("“forecast” is off");
    expect(await denied()).toBe(1);
    // In the real page, styles let it be pressed above the dialog. Tests have no styles.
    fireEvent.click(screen.getByRole("button", { name: /^Undo/ }));
    await waitFor(async () => expect(await denied()).toBe(0));
    expect(approvals(host)).toEqual([]);
  });
});
