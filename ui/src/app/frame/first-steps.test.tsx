import { openApp } from "@dev/render";
import axe from "axe-core";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";

beforeEach(() => localStorage.clear());

const steps = () => screen.findByRole("region", { name: "First steps" });
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
    await user.click(within(bar).getByRole("button", { name: "Show me" }));
    await waitFor(() => expect(router.state.location).toMatchObject({ pathname: "/workbench", search: { tool: "echo" } }));
    expect(host).toBeTruthy();
  });

  it("are skipped once and for all", async () => {
    const { user } = openApp("/servers", "empty");
    await user.click(await screen.findByRole("button", { name: /^Start the demo server/ }));
    await user.click(within(await steps()).getByRole("button", { name: "Skip" }));
    expect(screen.queryByRole("region", { name: "First steps" })).toBeNull();
    expect(localStorage.getItem("mooring.firstSteps")).toBe("over");
  });
});
