// The catalog: nothing is asked before a click, the list is searched offline, and servers are installed and updated.
import { everyBoxIs } from "@dev/boxes";
import "./catalog-screen";
import "@/features/servers/servers-screen";
import { openApp } from "@dev/render";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import axe from "axe-core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

// Whole screens are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });
beforeEach(() => everyBoxIs(900, 600));
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const asked = (host: ReturnType<typeof openApp>["host"]) => host.sent.filter(({ name }) => name === "refresh_catalog");
const search = () => screen.findByRole("textbox", { name: "Search the catalog" });
const options = () => screen.findAllByRole("option");

describe("the first look at the catalog", () => {
  it("says which host is asked for what, and asks nothing before the click", async () => {
    const { user, host } = openApp("/catalog", "catalog_first");
    await screen.findByText(/Mooring asks registry.modelcontextprotocol.io for the list/);
    expect(asked(host)).toEqual([]);
    await user.click(screen.getByRole("button", { name: "Fetch the list from registry.modelcontextprotocol.io" }));
    await screen.findByRole("button", { name: "Cancel" });
    await options();
    expect(asked(host)[0]?.args).toMatchObject({ opened: false });
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Search the catalog" })));
  });
  it("can be cancelled", async () => {
    const { user, host } = openApp("/catalog", "catalog_slow");
    await user.click(await screen.findByRole("button", { name: /Fetch the list/ }));
    await screen.findByText("100 entries fetched");
    await user.click(await screen.findByRole("button", { name: "Cancel" }));
    await screen.findByRole("button", { name: /Fetch the list/ });
    expect(host.sent.some(({ name }) => name === "cancel_call")).toBe(true);
  });
});

describe("the catalog", () => {
  it("is opened from the servers and searched while typing, with few rows drawn", async () => {
    const { user } = openApp("/servers", "catalog_many");
    await user.click(await screen.findByRole("button", { name: "Browse the catalog" }));
    const box = await search();
    await screen.findByText(/30,001 entries, from a copy of/);
    expect((await options()).length).toBeLessThan(60);
    await user.type(box, "github-29995");
    await waitFor(() => expect(screen.getAllByRole("option")).toHaveLength(1));
    await user.clear(box);
    await user.type(box, "nothing like it");
    await screen.findByText("Nothing found");
  });
  it("shows hostile texts as text", async () => {
    openApp("/catalog?name=odd.example%2Fentry-1");
    const pane = within(await screen.findByRole("region", { name: /Hidden/ }));
    pane.getByText("<img src=x onerror=alert(1)>", { exact: false });
    expect(document.querySelector("main img")).toBeNull();
    expect(document.body.textContent).not.toContain("\u202e");
    pane.getByText("This can’t be installed");
    expect(document.body.textContent).not.toMatch(/verified|trusted/i);
  });
  it("is walked with the arrow keys", async () => {
    const { user, router } = openApp("/catalog");
    const list = await screen.findByRole("listbox", { name: "Entries" });
    await options();
    list.focus();
    await user.keyboard("{ArrowDown}{ArrowDown}");
    await waitFor(() => expect(router.state.location.search).toEqual({ name: "io.github.publisher0/weather-0" }));
    expect((await axe.run(document.body, { rules: { "color-contrast": { enabled: false } } })).violations).toEqual([]);
  });
  it("stays usable offline", async () => {
    openApp("/catalog", "catalog_offline");
    await screen.findByText("Couldn’t update the catalog");
    await screen.findByText(/from a copy of 3 hours ago/);
    expect((await options()).length).toBeGreaterThan(3);
  });
});

describe("an entry", () => {
  it("is installed after its values are asked for and its command is shown", async () => {
    const { user, host, router } = openApp("/catalog?name=io.github.publisher0%2Fweather-0");
    await user.click(await screen.findByRole("button", { name: "Install…" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Install Weather 0" }));
    await dialog.findByText(/@publisher\/weather-0@1.0.0/);
    await user.click(dialog.getByRole("button", { name: "Save and start" }));
    await dialog.findByText("Required");
    await user.type(dialog.getByLabelText(/API_KEY/), "k-1");
    await user.clear(dialog.getByRole("textbox", { name: "Name" }));
    await user.type(dialog.getByRole("textbox", { name: "Name" }), "my weather");
    await user.click(dialog.getByRole("button", { name: "Save and start" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/servers"));
    const sent = host.sent.find(({ name }) => name === "add_from_catalog");
    expect(sent?.args).toMatchObject({
      source: { name: "io.github.publisher0/weather-0", version: "1.0.0" },
      package: "weather-0",
      name: "my weather",
    });
    expect(host.servers.at(-1)?.name).toBe("my weather");
  });
  it("has its versions after a click", async () => {
    const { user } = openApp("/catalog?name=io.github.publisher0%2Fweather-0");
    await user.click(await screen.findByRole("button", { name: "Show all versions" }));
    await screen.findByText("0.9.0");
  });
  it("updates a server after showing what changes", async () => {
    const { user, host } = openApp("/catalog?name=io.github.publisher0%2Fweather-0");
    const added = await host.add_from_catalog({
      source: { name: "io.github.publisher0/weather-0", version: "1.0.0" },
      text: "",
      package: "weather-0",
      name: "mine",
      values: [],
    });
    host.catalog.install(added[0]!.id, "io.github.publisher0/weather-0", "0.1.0");
    // The order of arguments counts.
    host.change(added[0]!.id, { args: ["@publisher/weather-0@1.0.0", "-y"] });
    host.tell({ kind: "servers" });
    await user.click(await screen.findByRole("button", { name: "Review version 1.0.0" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Update “mine”" }));
    await dialog.findByText("From version 0.1.0 to 1.0.0.", { exact: false });
    const changes = within(await dialog.findByRole("list", { name: "Changes of the definition" }));
    const lines = changes.getAllByRole("listitem").map((line) => line.textContent);
    expect(lines).toEqual([
      "Removed:-   @publisher/weather-0@1.0.0",
      "Removed:-   -y",
      "Added:+   -y",
      "Added:+   @publisher/weather-0@1.0.0",
    ]);
    await user.click(dialog.getByRole("button", { name: "Update and restart" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(host.sent.find(({ name }) => name === "update_from_catalog")?.args).toMatchObject({ version: "1.0.0" });
  });
  it("is named on the page of its server, with its update", async () => {
    const { user, router } = openApp("/servers?id=2", "catalog_update");
    const source = within(await screen.findByRole("region", { name: "From the catalog" }));
    source.getByText("Version 1.0.0 is available");
    await user.click(source.getByRole("button", { name: "Review update…" }));
    await user.click(within(await screen.findByRole("dialog", { name: /^Update/ })).getByRole("button", { name: "Cancel" }));
    await user.click(source.getByRole("button", { name: "Open in the catalog" }));
    await waitFor(() => expect(router.state.location.search).toEqual({ name: "io.github.publisher0/weather-0" }));
  });
});
