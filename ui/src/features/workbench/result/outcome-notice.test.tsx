// A failed call links to its next step.
import "../workbench-screen";
import { openApp } from "@dev/render";
import { screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { forgetRuns } from "../runs";
import { forgetSelection } from "../selection";

beforeEach(() => {
  forgetRuns();
  forgetSelection();
});

describe("a call that failed", () => {
  it.each([
    ["sign_in", "Go to sign-in", "/servers", { id: 3, tab: "sign_in" }],
    ["denied", "Open Policies", "/policies", {}],
    ["definition_changed", "Review changes", "/servers", { id: 3, tab: "trust" }],
    ["not_resent", "Review changes", "/servers", { id: 3, tab: "trust" }],
  ] as const)("for the reason %s has a button “%s”", async (code, label, place, search) => {
    const { user, host, router } = openApp("/workbench?server=3&tool=list_tables");
    vi.spyOn(host, "call_tool").mockRejectedValue({ code, message: "no", details: null });
    await screen.findByRole("heading", { name: "list_tables" });
    await user.keyboard("{Control>}{Enter}{/Control}");
    await user.click(await screen.findByRole("button", { name: label }));
    await waitFor(() => expect([router.state.location.pathname, router.state.location.search]).toEqual([place, search]));
  });

  it("is run again once its server, which ended, has started", async () => {
    const { user, host } = openApp("/workbench?server=3&tool=list_tables");
    const call = vi.spyOn(host, "call_tool").mockRejectedValue({ code: "closed", message: "no", details: null });
    await screen.findByRole("heading", { name: "list_tables" });
    await user.keyboard("{Control>}{Enter}{/Control}");
    await screen.findByRole("button", { name: "Run again" });
    await host.stop_server({ id: 3 });
    await user.click(await screen.findByRole("button", { name: "Start and run again" }));
    await waitFor(() => expect(call).toHaveBeenCalledTimes(2));
  });
});
