// Adding servers: what was typed, and the keys.
import "@/features/servers/servers-screen";
import { openApp } from "@dev/render";
import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";

const config = '{"mcpServers":{"tides":{"command":"uvx","args":["mcp-server-git"]}}}';
const two = '{"mcpServers":{"tides":{"command":"uvx","args":["mcp-server-git"]},"lamps":{"command":"npx"}}}';

async function pasteIntoCommand(text: string) {
  const app = openApp("/servers?add=command");
  await app.user.click(await screen.findByRole("textbox", { name: "Command" }));
  await app.user.paste(text);
  return app;
}

describe("a pasted configuration", () => {
  it("is added with the keys from a box that was ticked", async () => {
    const { user, host } = await pasteIntoCommand(two);
    await user.click(await screen.findByRole("button", { name: "Paste configuration" }));
    await user.click(await screen.findByRole("checkbox", { name: /lamps/ }));
    await user.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(host.servers.map((server) => server.name)).toContain("tides"));
    expect(host.servers.map((server) => server.name)).not.toContain("lamps");
    expect(host.servers.length).toBe(11);
  });
});

describe("a file with a configuration", () => {
  it("stands in the editor when it was chosen, and a huge one is not read", async () => {
    const { user } = openApp("/servers?add=import");
    const chooser = (await screen.findByRole("dialog")).querySelector<HTMLInputElement>("input[type=file]");
    if (!chooser) throw new Error("no way to choose a file");
    await user.upload(chooser, new File([two], "mcp.json", { type: "application/json" }));
    await screen.findByRole("checkbox", { name: /lamps/ });
    await user.upload(chooser, new File(["x".repeat((4 << 20) + 1)], "huge.json", { type: "application/json" }));
    await screen.findByText("“huge.json” is larger than 4 MiB.");
    expect(screen.getByRole("checkbox", { name: /lamps/ })).toBeDefined();
  });
});

describe("what was typed", () => {
  it("as a configuration goes along to where it is read", async () => {
    const { user } = await pasteIntoCommand(config);
    await user.click(await screen.findByRole("button", { name: "Paste configuration" }));
    await screen.findByRole("checkbox", { name: /tides/ });
    await user.click(screen.getByRole("radio", { name: "Command" }));
    expect(await screen.findByRole("textbox", { name: "Command" })).toHaveProperty("value", "");
  });
  it("as a command that adds a server elsewhere goes along too", async () => {
    const { user } = await pasteIntoCommand("claude mcp add tides -- uvx mcp-server-git");
    await user.click(await screen.findByRole("button", { name: "Paste configuration" }));
    await waitFor(() =>
      expect(screen.getByRole("textbox", { name: "Configuration" }).textContent).toBe("claude mcp add tides -- uvx mcp-server-git"),
    );
  });
  it("as an address goes along to where addresses are added", async () => {
    const { user } = await pasteIntoCommand(" https://mcp.example.com/mcp");
    await user.click(await screen.findByRole("button", { name: "URL" }));
    expect(await screen.findByRole("textbox", { name: "URL" })).toHaveProperty("value", "https://mcp.example.com/mcp");
  });
  it("stays through another way and through a press beside the dialog, until it is cancelled", async () => {
    const { user, router } = await pasteIntoCommand("npx one");
    const command = () => screen.findByRole("textbox", { name: "Command" });
    await user.click(screen.getByRole("radio", { name: "URL" }));
    await user.click(await screen.findByRole("radio", { name: "Command" }));
    expect(await command()).toHaveProperty("value", "npx one");
    const overlay = screen.getByRole("dialog").parentElement;
    if (overlay === null) throw new Error("nothing is beside the dialog");
    await user.click(overlay);
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await router.navigate({ to: "/servers", search: { add: "command" } });
    expect(await command()).toHaveProperty("value", "npx one");
    await user.click(screen.getByRole("button", { name: "Cancel" }));
    await router.navigate({ to: "/servers", search: { add: "command" } });
    expect(await command()).toHaveProperty("value", "");
  });
  it("goes when it was added", async () => {
    const { user, host, router } = await pasteIntoCommand("npx one");
    await user.keyboard("{Enter}");
    await waitFor(() => expect(host.servers.length).toBe(11));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await router.navigate({ to: "/servers", search: { add: "command" } });
    expect(await screen.findByRole("textbox", { name: "Command" })).toHaveProperty("value", "");
  });
});
