import "@/features/servers/servers-screen";
import { openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";

const row = (name: string) => screen.findByRole("row", { name: new RegExp(name) });
const grid = () => screen.findByRole("grid", { name: "Servers" });
const names = async () => within(await grid()).getAllByRole("row").slice(1).map((item) => item.querySelector("b")?.textContent);

describe("the list of servers", () => {
  it("says every state as a word", async () => {
    openApp("/servers");
    const words = within(await grid());
    for (const word of ["Ready", "Waiting for you", "Sign-in needed", "Degraded", "Changed, needs review", "Failed", "Starting", "Reconnecting", "Stopped"]) {
      expect(words.getAllByText(word).length).toBeGreaterThan(0);
    }
  });
  it("puts the reason where a failed server has no figures", async () => {
    openApp("/servers");
    expect((await row("figma-dev")).textContent).toContain("Nothing answers at this address.");
  });
  it("is filtered by name, address and state, and says when nothing is left", async () => {
    const { user } = openApp("/servers");
    await grid();
    await user.keyboard("/");
    await user.keyboard("failed");
    expect(await names()).toEqual(["figma-dev"]);
    await user.keyboard("xyz");
    await screen.findByText("No server matches");
    await user.click(screen.getByRole("button", { name: "Clear the filter" }));
    expect((await names()).length).toBe(10);
  });
  it("is walked with j and k and the arrows", async () => {
    const { user } = openApp("/servers?id=1");
    const first = await row("filesystem");
    await user.keyboard("jj");
    await waitFor(async () => expect((await row("postgres-prod")).getAttribute("aria-selected")).toBe("true"));
    await user.keyboard("k");
    await waitFor(async () => expect((await row("github")).getAttribute("aria-selected")).toBe("true"));
    first.focus();
    await user.keyboard("{Home}");
    await waitFor(() => expect(first.getAttribute("aria-selected")).toBe("true"));
  });
  it("stops and starts the chosen server with s", async () => {
    const { user, host } = openApp("/servers?id=1");
    await row("filesystem");
    await user.keyboard("s");
    await waitFor(() => expect(host.servers[0]?.state).toBe("stopped"));
    await user.keyboard("s");
    await waitFor(() => expect(host.servers[0]?.state).toBe("starting"));
  });
  it("brings a removed server back on undo", async () => {
    const { user, host } = openApp("/servers?id=2");
    await user.pointer({ keys: "[MouseRight]", target: await row("github") });
    await user.click(await screen.findByRole("menuitem", { name: /Remove/ }));
    await waitFor(() => expect(host.servers.some((server) => server.name === "github")).toBe(false));
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(host.servers.some((server) => server.name === "github")).toBe(true));
  });
  it("offers three ways to the first server", async () => {
    const { user, host } = openApp("/servers", "empty");
    await screen.findByRole("button", { name: /Paste a configuration/ });
    screen.getByRole("button", { name: /Add by command or URL/ });
    screen.getByText(/runs with your rights/);
    await user.click(screen.getByRole("button", { name: /Start the demo server/ }));
    await waitFor(() => expect(host.servers.map((server) => server.name)).toEqual(["demo"]));
  });
  it("says why it cannot be shown", async () => {
    openApp("/servers", "broken");
    await screen.findByText("The list of servers could not be read.");
    screen.getByText("the store does not answer");
  });
});

describe("adding a server", () => {
  it("shows the program and each argument, where it was found, and what a local server may do, before it is added", async () => {
    const { user, host } = openApp("/servers");
    await grid();
    await user.keyboard("n");
    const dialog = within(await screen.findByRole("dialog", { name: "Add a server" }));
    dialog.getByText(/runs with your rights/);
    await user.type(dialog.getByRole("textbox", { name: "Command" }), 'npx -y @acme/lamps "two words"');
    await dialog.findByText("/home/ana/.local/share/mise/shims/npx");
    dialog.getByText("two words");
    expect(dialog.getByRole("textbox", { name: "Name" }).getAttribute("placeholder")).toBe("lamps");
    await user.keyboard("{Enter}");
    await waitFor(() => expect(host.servers.at(-1)).toMatchObject({ name: "lamps", command: "npx", args: ["-y", "@acme/lamps", "two words"] }));
  });
  it("says where it looked for a program that is not there", async () => {
    const { user } = openApp("/servers?add=command");
    await user.type(await screen.findByRole("textbox", { name: "Command" }), "nope");
    await screen.findByText("not found in the 5 folders searched");
  });
  it("refuses a name that is taken and an address that is none, at the field", async () => {
    const { user, host } = openApp("/servers?add=url");
    await user.type(await screen.findByRole("textbox", { name: "Address" }), "ftp://x");
    await user.type(screen.getByRole("textbox", { name: "Name" }), "github");
    await user.click(screen.getByRole("button", { name: /Add and start/ }));
    await screen.findByText("The address must start with https:// or http://.");
    screen.getByText("Another server has this name.");
    expect(host.servers.length).toBe(10);
  });
  it("masks what looks like a secret until somebody asks", async () => {
    const { user } = openApp("/servers?id=3&tab=settings");
    const value = await screen.findByLabelText("Value of DATABASE_URL");
    expect(value.getAttribute("type")).toBe("password");
    expect(screen.getByLabelText("Value of PGCONNECT_TIMEOUT").getAttribute("type")).toBe("text");
    await user.click(screen.getByRole("button", { name: "Show the value" }));
    expect(value.getAttribute("type")).toBe("text");
  });
});

describe("one server", () => {
  it("keeps the server's words in a frame with its name, with hidden characters spelled out", async () => {
    openApp("/servers?id=5");
    const frame = await screen.findByRole("group", { name: "docs-search" });
    expect(frame.textContent).toContain("U+202E");
    expect(frame.textContent).not.toContain("\u202E");
    expect(frame.closest("figure")?.querySelector("figcaption")?.textContent).toContain("docs-search");
  });
  it("says what happened, why, and the next step, with the evidence behind a click", async () => {
    openApp("/servers?id=7");
    const details = within(await screen.findByRole("complementary", { name: "Details of figma-dev" }));
    details.getByText("Nothing answers at this address.");
    details.getByText(/127.0.0.1:3845: connection refused/);
    details.getByText(/Start the program that offers this address/);
    expect(details.getByText("Show the evidence").closest("details")?.open).toBe(false);
  });
  it("lists its tools with a way to the Workbench", async () => {
    const { user } = openApp("/servers?id=2&tab=tools");
    const link = await screen.findByRole("link", { name: /create_pull_request/ });
    expect(link.getAttribute("href")).toContain("/workbench?server=2&tool=create_pull_request");
    await user.type(screen.getByRole("textbox", { name: "Search tools" }), "merge");
    expect(screen.queryByRole("link", { name: /create_pull_request/ })).toBeNull();
  });
  it("is changed only when something changed and everything is right", async () => {
    const { user, host } = openApp("/servers?id=1&tab=settings");
    const save = await screen.findByRole("button", { name: "Save and restart" });
    expect(save).toHaveProperty("disabled", true);
    const name = screen.getByRole("textbox", { name: "Name" });
    await user.clear(name);
    await user.type(name, "github");
    await screen.findByText("Another server has this name.");
    expect(save).toHaveProperty("disabled", true);
    await user.clear(name);
    await user.type(name, "files");
    await user.click(save);
    await waitFor(() => expect(host.servers[0]).toMatchObject({ name: "files", args: ["-y", "@modelcontextprotocol/server-filesystem", "/home/ana/projects"], env: { LOG_LEVEL: "info" } }));
  });
});
