// Adding servers: the typed text, and the keys.
import "@/features/servers/servers-screen";
import configurations from "@dev/mock/configurations.json";
import { openApp } from "@dev/render";
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";

const config = '{"mcpServers":{"tides":{"command":"uvx","args":["mcp-server-git"]}}}';
const two = '{"mcpServers":{"tides":{"command":"uvx","args":["mcp-server-git"]},"lamps":{"command":"npx"}}}';

// As in the mock's `configurations.json`.
const [link = "", registryEntry = ""] = Object.keys(configurations);

/** Uses the editor's own API, because the simulated browser can't paste into it. */
async function pasteInto(editor: HTMLElement, text: string) {
  const { EditorView } = await import("@codemirror/view");
  act(() => EditorView.findFromDOM(editor)?.dispatch({ changes: { from: 0, insert: text } }));
}

async function pasteIntoCommand(text: string) {
  const app = openApp("/servers?add=command");
  await app.user.click(await screen.findByRole("textbox", { name: "Command" }));
  await app.user.paste(text);
  return app;
}

describe("a pasted configuration", () => {
  it("is added with the keys from a box that was ticked", async () => {
    const { user, host } = await pasteIntoCommand(two);
    await user.click(await screen.findByRole("button", { name: "Read it" }));
    await user.click(await screen.findByRole("checkbox", { name: /lamps/ }));
    await user.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(host.servers.map((server) => server.name)).toContain("tides"));
    expect(host.servers.map((server) => server.name)).not.toContain("lamps");
    expect(host.servers.length).toBe(11);
  });
});

describe("a configuration that was understood", () => {
  const noted = JSON.stringify({ mcpServers: { tides: { command: "uvx", args: ["./x"] }, lamps: { command: "npx" } } }, null, 2);
  const editor = () => screen.queryByRole("textbox", { name: "Text with servers" });
  it("is one line above what was found in it, and can be edited", async () => {
    const { user } = openApp("/servers?add=import");
    await pasteInto(await screen.findByRole("textbox", { name: "Text with servers" }), noted);
    await screen.findByText("13 lines read");
    expect(editor()).toBeNull();
    screen.getByText("1 warning");
    await user.click(screen.getByRole("checkbox", { name: /tides/ }));
    expect(screen.queryByText("1 warning")).toBeNull();
    await user.click(screen.getByRole("button", { name: "Edit" }));
    await waitFor(() => expect(document.activeElement).toBe(editor()));
    expect(screen.queryByText(/lines read$/)).toBeNull();
  });
  it("leaves the keyboard in the dialog, whose keys hold on", async () => {
    const { user, host } = await pasteIntoCommand(two);
    await user.click(await screen.findByRole("button", { name: "Read it" }));
    await screen.findByText("Read as a configuration in JSON");
    await user.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(host.servers.map(({ name }) => name)).toContain("lamps"));
  });
  it("stays open where something in it is wrong", async () => {
    openApp("/servers?add=import");
    await pasteInto(
      await screen.findByRole("textbox", { name: "Text with servers" }),
      '{"mcpServers":{"tides":{"command":"uvx"},"bare":{}}}',
    );
    await screen.findByRole("checkbox", { name: /tides/ });
    expect(editor()).not.toBeNull();
    expect(screen.queryByText(/lines? read$/)).toBeNull();
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

describe("text that is dropped", () => {
  it("stands in the editor, wherever in the dialog it was dropped", async () => {
    openApp("/servers?add=import");
    const hint = await within(await screen.findByRole("dialog")).findByText(/^A configuration in JSON/);
    const dataTransfer = { types: ["text/plain"], files: [], getData: () => two };
    expect([fireEvent.dragOver(hint, { dataTransfer }), fireEvent.drop(hint, { dataTransfer })]).toEqual([false, false]);
    await screen.findByRole("checkbox", { name: /lamps/ });
  });
  it("is nothing where a file is dropped, which the window itself opens", async () => {
    openApp("/servers?add=import");
    const dialog = await screen.findByRole("dialog");
    expect(fireEvent.dragOver(dialog, { dataTransfer: { types: ["Files"], files: [] } })).toBe(true);
  });
});

describe("values that a configuration leaves out", () => {
  const lacking =
    '{"mcpServers":{"tides":{"command":"git-mcp","env":{"GIT_TOKEN":"","REGION":"${REGION}","LOG":"info"}},"lamps":{"command":"npx"}}}';
  it("are entered above the list, masked where they look secret, and added encrypted", async () => {
    const { user, host } = await pasteIntoCommand(lacking);
    await user.click(await screen.findByRole("button", { name: "Read it" }));
    const fields = within(await screen.findByRole("form", { name: "Values" }));
    const token = fields.getByLabelText(/^GIT_TOKEN/);
    const region = fields.getByLabelText(/^REGION/);
    expect([token, region].map((field) => field.getAttribute("type"))).toEqual(["password", null]);
    expect(fields.queryByLabelText(/^LOG/)).toBeNull();
    // Values that are entered here need no reminder.
    expect(screen.queryByText(/Enter it after adding/)).toBeNull();
    const save = vi.spyOn(host, "import_servers");
    await user.type(token, "t0ken");
    await user.type(region, "north");
    await user.click(screen.getByRole("button", { name: "Add and start 2 servers" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    const tides = host.servers.find(({ name }) => name === "tides");
    expect(tides?.env).toEqual({ LOG: "info" });
    expect(tides?.secrets.map(({ name, entered }) => [name, entered]).toSorted()).toEqual([
      ["GIT_TOKEN", true],
      ["REGION", true],
    ]);
    expect(save.mock.calls[0]?.[0].values).toEqual([
      { entry: "tides", key: "GIT_TOKEN", value: "t0ken" },
      { entry: "tides", key: "REGION", value: "north" },
    ]);
  });
  it("are not asked for of a server that isn't added", async () => {
    const { user } = await pasteIntoCommand(lacking);
    await user.click(await screen.findByRole("button", { name: "Read it" }));
    await screen.findByRole("form", { name: "Values" });
    await user.click(screen.getByRole("checkbox", { name: /tides/ }));
    expect(screen.queryByRole("form", { name: "Values" })).toBeNull();
    screen.getByText("No values for “GIT_TOKEN” and “REGION”. Enter them after adding the server.");
  });
});

describe("inputs of each kind", () => {
  const asked = Object.keys(configurations).find((text) => text.includes("pickString")) ?? "";
  const field = (name: RegExp) => within(screen.getByRole("form", { name: "Values" })).getByLabelText(name);
  async function openAsked() {
    const app = openApp("/servers?add=import");
    await pasteInto(await screen.findByRole("textbox", { name: "Text with servers" }), asked);
    await screen.findByRole("form", { name: "Values" });
    return app;
  }
  const shows = (text: string) => screen.findByText((_, element) => element?.tagName === "P" && element.textContent === text);

  it("have their description, default and mark, and are in the command that is shown, without secrets", async () => {
    const { user, host } = await openAsked();
    expect(field(/^units/).textContent).toBe("metric");
    expect(field(/^token/).getAttribute("type")).toBe("password");
    within(screen.getByRole("group", { name: "tides" })).getByText("From the harbour master’s website");
    screen.getByText("Stored unencrypted, because it becomes part of the command or the URL");
    const check = vi.spyOn(host, "check_import");
    await user.type(field(/^token/), "canary");
    await user.type(field(/^workspaceFolder/), "/home/ana/my tables");
    await user.type(field(/^TENANT/), "acme");
    await shows("npx\n  -y\n  @harbour/tides\n  --units=metric\n  '--token=${input:token}'\n  '/home/ana/my tables/tables'");
    await shows("https://acme.lighthouse.example/mcp");
    expect(JSON.stringify(check.mock.calls)).not.toContain("canary");
    await user.click(screen.getByRole("button", { name: "Add and start 2 servers" }));
    await waitFor(() => expect(host.servers.length).toBe(12));
    const tides = host.servers.find(({ name }) => name === "tides");
    expect(tides?.args).toEqual(["-y", "@harbour/tides", "--units=metric", "--token=canary", "/home/ana/my tables/tables"]);
  });
  it("that are missing or wrong are marked beside their field and focused, and nothing is added", async () => {
    const { user, host } = await openAsked();
    await user.click(screen.getByRole("button", { name: "Add and start 2 servers" }));
    await waitFor(() => expect(document.activeElement).toBe(field(/^token/)));
    expect(screen.getAllByText("Required").length).toBe(3);
    await user.type(field(/^token/), "t");
    await user.type(field(/^TENANT/), "acme");
    await user.type(field(/^workspaceFolder/), "tables");
    await screen.findByText("The value of workspaceFolder must be a full path.");
    await user.keyboard("{Control>}{Enter}{/Control}");
    expect(host.sent.some(({ name }) => name === "import_servers")).toBe(false);
  });
  it("can be a folder that is chosen", async () => {
    const { user, host } = await openAsked();
    vi.spyOn(host, "pick_folder").mockResolvedValue("/home/ana/chosen");
    await user.click(screen.getByRole("button", { name: "Choose…" }));
    await waitFor(() => expect(field(/^workspaceFolder/)).toHaveProperty("value", "/home/ana/chosen"));
  });
});

describe("an app's own servers", () => {
  it("are added from its file by a button that counts them", async () => {
    const { user, host, router } = openApp("/servers?add=import");
    await user.click(await screen.findByRole("button", { name: "From Cursor (2)" }));
    await screen.findByText("These servers are in Cursor’s own configuration.");
    expect(screen.queryByRole("textbox", { name: "Text with servers" })).toBeNull();
    await screen.findByRole("checkbox", { name: /lighthouse/ });
    await user.click(screen.getByRole("button", { name: /^Add and start 2/ }));
    await waitFor(() => expect(host.servers.map(({ name }) => name)).toContain("lighthouse"));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ id: 11 }));
  });
  it("give way to the text again", async () => {
    const { user } = openApp("/servers?add=import");
    await user.click(await screen.findByRole("button", { name: "From Cursor (2)" }));
    await user.click(await screen.findByRole("button", { name: "Use text instead" }));
    await screen.findByRole("textbox", { name: "Text with servers" });
    expect(screen.queryByRole("checkbox", { name: /lighthouse/ })).toBeNull();
  });
});

describe("a project's own servers", () => {
  it("are added from the files of its folder", async () => {
    const { user, host } = openApp("/servers?add=import");
    vi.spyOn(host, "pick_folder").mockResolvedValue("/home/ana/projects/reef");
    await user.click(await screen.findByRole("button", { name: "Project folder…" }));
    await screen.findByText("These servers are in the files of “/home/ana/projects/reef”.");
    await screen.findByRole("checkbox", { name: /lighthouse/ });
    await user.click(screen.getByRole("button", { name: /^Add and start 2/ }));
    await waitFor(() => expect(host.servers.map(({ name }) => name)).toContain("lighthouse"));
    const sent = host.sent.find(({ name }) => name === "import_app_servers");
    expect(sent?.args).toMatchObject({ place: { folder: "/home/ana/projects/reef" }, start: "on_use" });
  });
});

describe("a server that isn’t entered yet", () => {
  it.each(["command", "url"])("can neither be added nor tried by %s", async (way) => {
    const { user, host } = openApp(`/servers?add=${way}`);
    const button = (name: RegExp) => screen.findByRole("button", { name });
    const submit = () => button(/^Add and (start|connect)/);
    const are = async () => [await submit(), await button(/^Test connection/)].map((one) => one.hasAttribute("disabled"));
    expect(await are()).toEqual([true, true]);
    await user.type(screen.getByRole("textbox", { name: way === "url" ? "URL" : "Command" }), way === "url" ? "ftp://x" : '"npx');
    // Pressing it shows what is wrong.
    expect(await are()).toEqual([false, false]);
    await user.click(await button(/^Test connection/));
    await waitFor(() => expect(document.querySelector("[aria-invalid]")).not.toBeNull());
    expect(host.sent.some(({ name }) => name === "try_server")).toBe(false);
    await user.click(await submit());
    expect(host.servers.length).toBe(10);
  });
  it("says that it is added although its program isn’t there", async () => {
    const { user, host } = openApp("/servers?add=command");
    await user.click(await screen.findByRole("textbox", { name: "Command" }));
    await user.paste("nope --stdio");
    await user.click(await screen.findByRole("button", { name: /^Add anyway/ }));
    await waitFor(() => expect(host.servers.length).toBe(11));
  });
});

describe("what was typed", () => {
  it("as a configuration goes along to where it is read", async () => {
    const { user } = await pasteIntoCommand(config);
    await user.click(await screen.findByRole("button", { name: "Read it" }));
    await screen.findByRole("checkbox", { name: /tides/ });
    await user.click(screen.getByRole("radio", { name: "Command" }));
    expect(await screen.findByRole("textbox", { name: "Command" })).toHaveProperty("value", "");
  });
  it("as a command that adds a server elsewhere goes along too", async () => {
    const { user } = await pasteIntoCommand("claude mcp add tides -- uvx mcp-server-git");
    await user.click(await screen.findByRole("button", { name: "Read it" }));
    await waitFor(() =>
      expect(screen.getByRole("textbox", { name: "Text with servers" }).textContent).toBe("claude mcp add tides -- uvx mcp-server-git"),
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

describe("a link or an entry of a registry", () => {
  const shown = "uvx\n  tides-mcp\n  --units\n  metric";
  it("says what it was read as, and shows each argument on a line", async () => {
    openApp("/servers?add=import");
    await pasteInto(await screen.findByRole("textbox", { name: "Text with servers" }), link);
    await screen.findByText("Read as a link for Cursor");
    screen.getByText((_, element) => element?.tagName === "P" && element.textContent === shown);
    screen.getByRole("button", { name: "Add and start 1 server" });
  });
  it("of a registry takes one way to run the server", async () => {
    openApp("/servers?add=import");
    await pasteInto(await screen.findByRole("textbox", { name: "Text with servers" }), registryEntry);
    await screen.findByText("Read as the entry example.harbour/tides of an MCP registry");
    expect(screen.getByRole<HTMLInputElement>("checkbox", { name: /tides \(remote\)/ }).getAttribute("aria-checked")).toBe("false");
    screen.getByText("another way to run or reach it");
    await screen.findByRole("form", { name: "Values" });
  });
  it("typed as a command is read as one", async () => {
    const { user } = await pasteIntoCommand(link);
    await user.click(await screen.findByRole("button", { name: "Read it" }));
    await screen.findByText("Read as a link for Cursor");
  });
});
