// The open reviews of all servers in one list: approved individually or together, and undone.
import "@/features/servers/review/review-screen";
import { openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";

type App = ReturnType<typeof openApp>;
const approvals = (host: App["host"]) =>
  host.sent.filter(({ name }) => name === "approve_trust").map(({ args }) => args as { server: number; approvals: { name: string }[] });
const section = async (name: string) => within(await screen.findByRole("region", { name }));
/** Presses an approving button once it is enabled, after the list was unchanged for a second. */
async function press(user: App["user"], name: string | RegExp) {
  const button = await screen.findByRole("button", { name });
  await waitFor(() => expect(button).toHaveProperty("disabled", false));
  await user.click(button);
}
const openItems = () => within(screen.getByRole("main")).getAllByRole("listitem").length;

describe("the list of what is to review", () => {
  it("has what is new and changed of every server, and approves what is chosen", async () => {
    const { user, host } = openApp("/review");
    await section("weather");
    const before = openItems();
    const [first, second] = (await section("github")).getAllByRole("checkbox", { name: /^Select (?!the new)/ });
    if (!first || !second) throw new Error("nothing to choose");
    await user.click(first);
    await user.click(second);
    await screen.findByText("2 items selected");
    // There is no other approving button next to it.
    expect(screen.queryByRole("button", { name: /^Approve (all new|\d+ that)/ })).toBeNull();
    await press(user, "Approve 2 selected");
    await waitFor(() => expect(openItems()).toBe(before - 2));
    expect(approvals(host).map((one) => one.approvals.length)).toEqual([2]);
    expect(screen.queryByText("2 items selected")).toBeNull();
    // And undone.
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(openItems()).toBe(before));
  });

  it("approves all that is new at once, and leaves what has to be seen by itself", async () => {
    const { user, host } = openApp("/review");
    await press(user, /^Approve all new \(/);
    await waitFor(() => expect(approvals(host).length).toBeGreaterThan(1));
    await waitFor(() => expect(screen.queryByRole("button", { name: /^Approve all new \(/ })).toBeNull());
    const weather = await section("weather");
    weather.getByText("forecast");
    weather.getByText("moon");
    await user.click(weather.getByRole("button", { name: /^forecast/ }));
    await screen.findByRole("dialog", { name: /^Review change:/ });
    expect(approvals(host).flatMap((one) => one.approvals.map(({ name }) => name))).not.toContain("forecast");
  });

  it("approves only what reads", async () => {
    const { user, host } = openApp("/review");
    const reading = await screen.findByRole("button", { name: /^Approve \d+ that (say they|says it) only reads?$/ });
    const count = Number(/\d+/.exec(reading.textContent ?? "")?.[0]);
    await press(user, reading.textContent ?? "");
    await waitFor(() => expect(screen.queryByRole("button", { name: /only reads?$/ })).toBeNull());
    const approved = approvals(host).flatMap(({ server, approvals: of }) => {
      const view = host.servers.find(({ id }) => id === server);
      return of.map(({ name }) => (view && host.trust.of(view).items.find((item) => item.name === name)?.now) ?? "");
    });
    expect(approved.length).toBe(count);
    for (const definition of approved) expect(definition).toMatch(/"readOnlyHint":\s*true/);
    // Tools that change data still wait.
    expect(screen.getByRole("button", { name: /^Approve all new \(/ })).toBeDefined();
  });

  it("approves all that is new of one server, and nothing of another", async () => {
    const { user, host } = openApp("/review");
    await section("github");
    const button = (await section("github")).getByRole("button", { name: /^Approve all \d+ new items$/ });
    const before = openItems();
    await waitFor(() => expect(button).toHaveProperty("disabled", false));
    await user.click(button);
    await waitFor(() => expect(openItems()).toBeLessThan(before));
    expect(approvals(host).map(({ server }) => server)).toEqual([2]);
    expect(before - openItems()).toBe(approvals(host)[0]?.approvals.length);
  });

  it("draws only so many of a server until all are asked for", async () => {
    const { user, host } = openApp("/review");
    const { get_trust: read } = host;
    host.get_trust = async (args) => {
      const view = await read(args);
      const like = view.items.find(({ state, kind, hidden }) => state === "new" && kind === "tool" && hidden.length === 0);
      if (args.server !== 2 || like === undefined) return view;
      return { ...view, items: Array.from({ length: 412 }, (_, at) => ({ ...like, name: `tool_${at}`, hash: `${at}` })) };
    };
    const github = await section("github");
    github.getByText("412 to review");
    const rows = () => document.querySelectorAll("[aria-label=github] > ul > li").length;
    expect(rows()).toBe(100);
    // All of them can be selected, and the focus reaches the others.
    await user.click(github.getByLabelText(/^Select the new/));
    await screen.findByText("412 items selected");
    github.getByText("Show all 412").focus();
    await user.keyboard("{Enter}");
    expect(document.activeElement?.getAttribute("aria-label")).toBe("Select “tool_100”");
    expect([rows(), github.queryByText(/^Show all/)]).toEqual([412, null]);
  });

  it("says what each tool does, what to beware of, and why a row can’t be chosen", async () => {
    openApp("/review");
    const weather = await section("weather");
    weather.getByText("Every station with its place.");
    weather.getByRole("button", { name: /^moon tool.*Hidden or misleading characters/ });
    const boxes = weather.getAllByRole<HTMLButtonElement>("checkbox", { name: /^Select “/ });
    expect(boxes.map((box) => [box.getAttribute("aria-label"), box.disabled])).toEqual([
      ["Select “forecast”: open it to review it on its own", true],
      ["Select “stations”", false],
      ["Select “tides”", false],
      ["Select “moon”: open it to review it on its own", true],
    ]);
  });

  it("says that nothing waits, with a way back", async () => {
    const { user, router } = openApp("/review", "empty");
    await screen.findByText("Nothing to review");
    await user.click(screen.getByRole("button", { name: "Go to Servers" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/servers"));
  });

  it("has its place in the rail while something waits", async () => {
    const { user, router } = openApp("/servers");
    const rail = within(await screen.findByRole("navigation"));
    await user.click(await rail.findByRole("link", { name: /^To review \d+$/ }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/review"));
    await section("weather");
    expect(rail.getByRole("link", { name: /^To review/ }).getAttribute("aria-current")).toBe("page");
    openApp("/servers", "empty");
    await screen.findByText("Welcome to Mooring");
    expect(screen.getAllByRole("link", { name: /^To review/ }).length).toBe(1);
  });

  it("is left by Escape and by its way back, after the selection", async () => {
    const { user, router } = openApp("/review");
    const [first] = (await section("github")).getAllByRole("checkbox", { name: /^Select (?!the new)/ });
    if (!first) throw new Error("nothing to choose");
    await user.click(first);
    await user.keyboard("{Escape}");
    expect(screen.queryByText("1 item selected")).toBeNull();
    await user.keyboard("{Escape}");
    await waitFor(() => expect(router.state.location.pathname).toBe("/servers"));
    await router.navigate({ to: "/review" });
    await user.click(await within(await screen.findByRole("main", { name: "To review" })).findByRole("link", { name: "Servers" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/servers"));
  });
});
