import { asked } from "@dev/mock/inbox-questions";
import { signUp } from "@dev/mock/inbox-forms";
import { openApp } from "@dev/render";
import axe from "axe-core";
import { screen, waitFor, within } from "@testing-library/react";
import { beginFirstSteps, finishFirstStep } from "@/lib/first-steps";
import { beforeEach, describe, expect, it } from "vitest";

beforeEach(() => localStorage.clear());

const steps = () => screen.findByRole("region", { name: "First steps" });
/** The button that opens the step, once the server is ready. */
const showMe = async (bar: HTMLElement) => {
  await waitFor(() => within(bar).getByRole("button", { name: "Show me" }), { timeout: 3_000 });
  return within(bar).getByRole("button", { name: "Show me" });
};
const current = (bar: HTMLElement) =>
  within(bar)
    .getAllByRole("listitem")
    .find((item) => item.hasAttribute("aria-current"))?.textContent;

describe("the first steps", () => {
  it("begin with the demo server, lead through a call and its form, and end in Activity", async () => {
    const { user, host, router } = openApp("/servers", "empty");
    expect(screen.queryByRole("region", { name: "First steps" })).toBeNull();
    await user.click(await screen.findByRole("button", { name: /^Start the demo server/ }));
    const bar = await steps();
    expect(current(bar)).toMatch(/Run a tool/);
    expect(bar.dataset).toHaveProperty("keepClear");
    const { violations } = await axe.run(bar, { rules: { "color-contrast": { enabled: false } } });
    expect(violations).toEqual([]);
    await user.click(await showMe(bar));
    await waitFor(() => expect(router.state.location).toMatchObject({ pathname: "/workbench", search: { tool: "echo" } }));
    expect(host).toBeTruthy();
    // The text depends on what is open.
    await within(bar).findByText("Type some text, then press Ctrl ↵.");
  });

  it("say what waits while the form does, and end at an app to connect", async () => {
    const { user, host, router } = openApp("/servers", "empty");
    await user.click(await screen.findByRole("button", { name: /^Start the demo server/ }));
    const bar = await steps();
    finishFirstStep("run");
    const show = await showMe(bar);
    await within(bar).findByText(/“reserve_berth” asks two things/);
    await user.click(show);
    await waitFor(() => expect(router.state.location.search).toMatchObject({ tool: "reserve_berth" }));
    await within(bar).findByText(/^Press Ctrl ↵ to run it/);
    const [server] = host.servers;
    host.inbox.ask([{ ...asked(9, 10, signUp, 0), server: server!.id }]);
    await within(bar).findByText(/^The tool waits for you/);
    finishFirstStep("form");
    finishFirstStep("see");
    await waitFor(() => expect(current(bar)).toMatch(/Use it in your app/));
    await user.click(within(bar).getByRole("button", { name: "Show me" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/apps"));
  });

  it("are the first thing in the window, and say that the server starts until it is ready", async () => {
    const { user } = openApp("/servers", "empty");
    await user.click(await screen.findByRole("button", { name: /^Start the demo server/ }));
    const bar = await steps();
    const main = screen.getByRole("main");
    expect(bar.compareDocumentPosition(main) & Node.DOCUMENT_POSITION_FOLLOWING).not.toBe(0);
    within(bar).getByText("As soon as “demo” is ready, you can run its tools.");
    // Nothing has failed, because it is the first start.
    expect(screen.queryByText(/^attempt/)).toBeNull();
    // There is nothing to show yet.
    expect(within(bar).queryByRole("button", { name: "Show me" })).toBeNull();
    expect((await showMe(bar)).className).toContain("bg-accent");
    within(bar).getByText("“echo” is a tool that returns what you send it.");
  });

  it("stay done", async () => {
    const first = openApp("/servers", "empty");
    await first.user.click(await screen.findByRole("button", { name: /^Start the demo server/ }));
    await steps();
    expect(localStorage.getItem("mooring.firstSteps")).toMatch(/^\d+$/);
    finishFirstStep("run");
    await waitFor(async () => expect(current(await steps())).toMatch(/Answer a request/));
    finishFirstStep("run");
    expect(localStorage.getItem("mooring.firstSteps")).toMatch(/^\d+ run$/);
  });

  it("count with any server", async () => {
    openApp("/servers");
    // This host has called servers and decisions.
    beginFirstSteps(1);
    await waitFor(async () => expect(current(await steps())).toMatch(/See every message/));
    expect(localStorage.getItem("mooring.firstSteps")?.split(" ").toSorted()).toEqual(["1", "app", "form", "run"]);
  });

  it("are skipped once and for all", async () => {
    const { user } = openApp("/servers", "empty");
    await user.click(await screen.findByRole("button", { name: /^Start the demo server/ }));
    await user.click(within(await steps()).getByRole("button", { name: "Skip" }));
    expect(screen.queryByRole("region", { name: "First steps" })).toBeNull();
    expect(localStorage.getItem("mooring.firstSteps")).toBe("over");
  });
});
