import "@/features/servers/servers-screen";
import { openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";

const approvals = (host: ReturnType<typeof openApp>["host"]) =>
  host.sent
    .filter((item) => item.name === "approve_trust")
    .map((item) => (item.args as { approvals: { name: string }[] }).approvals.map((approval) => approval.name));

describe("what is trusted of a server", () => {
  it("shows what changed by more than colour, inside the server's frame, with hidden characters named", async () => {
    openApp("/servers?id=6&tab=trust");
    await screen.findByText("One thing is not what it was.");
    const diff = (await screen.findByText("/description", { selector: "dt" })).closest("figure");
    expect(diff?.querySelector("figcaption")?.textContent).toBe("weather since you approved it");
    expect([...(diff?.querySelectorAll("del") ?? [])].map((piece) => piece.textContent)).toEqual(["removed: −three", "removed: −city"]);
    expect(diff?.querySelector("ins")?.textContent).toBe("added: +five");
    expect(diff?.textContent).toContain("U+200B");
    expect(diff?.textContent).not.toContain("\u200B");
    await screen.findByText("4 characters in it mislead.");
    screen.getByText("12 more parts of it changed.");
    screen.getByText("U+0441");
  });
  // Requirements: TOOL-24.
  it("approves all that is new at once, but what changed or hides something only after it was looked at", async () => {
    const { user, host } = openApp("/servers?id=6&tab=trust");
    await user.click(await screen.findByRole("button", { name: "Approve all 2 new" }));
    await waitFor(() => expect(approvals(host)).toEqual([["stations", "tides"]]));
    const forecast = await screen.findByRole("button", { name: /^forecast/ });
    await user.click(forecast);
    expect(screen.queryByRole("button", { name: "Approve the change" })).toBeNull();
    await user.click(forecast);
    await user.click(screen.getByRole("button", { name: "Approve the change" }));
    await waitFor(() => expect(approvals(host)).toEqual([["stations", "tides"], ["forecast"]]));
    await waitFor(() => expect(host.servers.find((server) => server.id === 6)?.changed).toBe(false));
    expect(screen.queryByText("One thing is not what it was.")).toBeNull();
  });
  // Requirements: SEC-22.
  it("says what could not be kept whole, and has it approved by itself", async () => {
    const { user, host } = openApp("/servers?id=1&tab=trust", "trust_hidden");
    await screen.findByText("It is too long to be kept whole.");
    screen.getByText(/^Of its 180 KiB the name, the description/);
    expect(screen.queryByRole("button", { name: /^Approve all/ })).toBeNull();
    const atlas = within(screen.getByRole("button", { name: /^atlas/ }).closest("li")!);
    await user.click(atlas.getByRole("button", { name: "Approve" }));
    await waitFor(() => expect(approvals(host)).toEqual([["atlas"]]));
  });
  it("says that instructions are only shown", async () => {
    const { user } = openApp("/servers?id=6&tab=trust");
    await user.click(await screen.findByRole("button", { name: /^instructions/ }));
    screen.getByText(/^Mooring gives instructions to no model\./);
  });
  it("approves nothing where it changed again meanwhile, and says so", async () => {
    const { user, host } = openApp("/servers?id=6&tab=trust");
    host.trust.changesMeanwhile = true;
    await user.click(await screen.findByRole("button", { name: "Approve the change" }));
    await screen.findByText("It changed again while you looked.");
    expect(host.servers.find((server) => server.id === 6)?.changed).toBe(true);
  });
  it("includes how the server is started", async () => {
    const { user, host } = openApp("/servers?id=1&tab=trust", "trust_definition");
    const definition = within(await screen.findByRole("region", { name: "How it is started" }));
    definition.getByText("Changed");
    definition.getByText("/args/1");
    await user.click(definition.getByRole("button", { name: "Approve the change" }));
    await definition.findByText("Approved");
    expect(approvals(host)).toEqual([["filesystem"]]);
  });
  it("has nothing to approve before the server was started", async () => {
    openApp("/servers?id=10&tab=trust");
    await screen.findByText("It can be approved once the server has been started.");
    expect(screen.queryByRole("button", { name: /Approve/ })).toBeNull();
  });
  it("is asked for above the list of servers as long as something changed", async () => {
    const { user, router } = openApp("/servers?id=1");
    await screen.findByText("weather is not what it was. What changed is blocked until you look at it.");
    await user.click(screen.getByRole("button", { name: "Look at it" }));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ id: 6, tab: "trust" }));
  });
});
