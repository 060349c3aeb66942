// Which tab of a server opens first: its overview has what it needs from the person.
import "@/features/servers/servers-screen";
import { openApp } from "@dev/render";
import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";

const row = (name: string) => screen.findByRole("row", { name: new RegExp(name) });
const openTab = () => screen.getByRole("tab", { selected: true }).getAttribute("aria-label");

describe("the open tab", () => {
  it.each([
    ["failed", "figma-dev", 7],
    ["waits for a sign-in", "linear", 4],
    ["changed", "weather", 6],
  ])("is the overview for a server that %s", async (_, name, id) => {
    const { user, router } = openApp("/servers?id=1&tab=tools");
    await user.click(await row(name));
    await waitFor(() => expect(router.state.location.search).toEqual({ id, tab: "overview" }));
    await waitFor(() => expect(openTab()).toBe("Overview"));
  });
  it("is the overview for a server whose value is missing, by keys too", async () => {
    const { user, router } = openApp("/servers?id=2&tab=tools", "servers_value_missing");
    (await row("github")).focus();
    await user.keyboard("{ArrowDown}");
    await waitFor(() => expect(router.state.location.search).toEqual({ id: 3, tab: "overview" }));
  });
  it("stays for a server that needs nothing, and for the one that is open", async () => {
    const { user, router } = openApp("/servers?id=1&tab=tools");
    await user.click(await row("postgres-prod"));
    await waitFor(() => expect(router.state.location.search).toEqual({ id: 3, tab: "tools" }));
    await router.navigate({ to: "/servers", search: { id: 7, tab: "settings" } });
    await user.click(await row("figma-dev"));
    expect(router.state.location.search).toEqual({ id: 7, tab: "settings" });
  });
  it("is the overview for a server that was just added", async () => {
    const { user, router } = openApp("/servers?id=1&tab=settings&add=command");
    await user.type(await screen.findByRole("textbox", { name: "Command" }), "npx tides{Enter}");
    await waitFor(() => expect(router.state.location.search).toEqual({ id: 11, tab: "overview" }));
    await waitFor(() => expect(openTab()).toBe("Overview"));
  });
  it("is the one that a link names", async () => {
    openApp("/servers?id=7&tab=settings");
    await row("figma-dev");
    expect(openTab()).toBe("Settings");
  });
});
