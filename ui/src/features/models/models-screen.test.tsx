import "@/features/models/models-screen";
import { said } from "@dev/mock/say";
import { openApp } from "@dev/render";
import { act, screen, waitFor, within } from "@testing-library/react";
import { dismissToast, toast } from "@/lib/toasts";
import { describe, expect, it } from "vitest";

const diskFull = said("the disk is full");
const part = async (name: string) => within(await screen.findByRole("region", { name }));
const saved = (host: ReturnType<typeof openApp>["host"]) =>
  host.sent.filter((item) => item.name === "save_provider").map((item) => (item.args as { provider: object }).provider);

describe("providers of models", () => {
  it("stand beside the practice model, which says that no AI is involved", async () => {
    openApp("/models");
    const list = (await part("Providers")).getAllByRole("listitem").map((item) => item.textContent);
    expect(list[0]).toContain("AnthropicKey savedhttps://api.anthropic.com");
    expect(list[1]).toContain("“Ollama” isn’t running. Start it, then try the request again.");
    expect(list[2]).toMatch(/^Practice modelFree and offline.*no AI involved\.Built in$/);
  });
  it("are set up from a preset, with models that they list", async () => {
    const { user, host } = openApp("/models", "no_models");
    (await part("Providers")).getByText("No AI model yet");
    // The routes appear with the first provider.
    expect(screen.queryByRole("region", { name: "Routing" })).toBeNull();
    // There is exactly one button for it.
    await user.click(screen.getByRole("button", { name: "Add provider" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Add provider" }));
    await user.click(dialog.getByRole("combobox", { name: "Provider" }));
    await user.click(await screen.findByRole("option", { name: "OpenRouter" }));
    expect(dialog.getByRole("textbox", { name: "Base URL" })).toHaveProperty("value", "https://openrouter.ai/api/v1");
    const key = dialog.getByLabelText("API key");
    expect(key.getAttribute("type")).toBe("password");
    await user.type(key, "or-secret");
    await user.click(dialog.getByRole("button", { name: "Fetch models" }));
    await user.click(await dialog.findByRole("checkbox", { name: "claude-haiku-4-5" }));
    await user.click(dialog.getByRole("button", { name: /^claude-haiku-4-5/ }));
    await user.type(dialog.getByRole("textbox", { name: "Input, $ per million tokens" }), "1.25");
    await user.click(dialog.getByRole("checkbox", { name: "images" }));
    await user.click(dialog.getByRole("button", { name: "Save provider" }));
    await waitFor(() =>
      expect(saved(host)).toEqual([
        {
          name: "OpenRouter",
          kind: "openai",
          baseUrl: "https://openrouter.ai/api/v1",
          key: "or-secret",
          forgetKey: false,
          models: [
            {
              id: "claude-haiku-4-5",
              inputPrice: "1.25",
              outputPrice: null,
              images: true,
              audio: false,
              tools: false,
              cheap: 50,
              fast: 50,
              capable: 50,
            },
          ],
        },
      ]),
    );
    await (await part("Providers")).findByText("https://openrouter.ai/api/v1");
    expect(document.body.innerHTML).not.toContain("or-secret");
  });
  it("may be at any address, where none of the presets is", async () => {
    const { user } = openApp("/models");
    await user.click(await screen.findByRole("button", { name: "Add provider" }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.click(dialog.getByRole("combobox", { name: "Provider" }));
    await user.click(await screen.findByRole("option", { name: "Other" }));
    expect(dialog.getByRole("textbox", { name: "Base URL" })).toHaveProperty("value", "");
    expect(dialog.getByRole("combobox", { name: "API type" }).textContent).toContain("OpenAI-compatible");
    expect(dialog.getByRole("combobox", { name: "Provider" }).textContent).toContain("Other");
  });
  it("come with a next step where they cannot be read", async () => {
    openApp("/models", "failed_list_models");
    expect((await screen.findByText("Couldn’t load the models.")).closest("[role=alert]")?.textContent).toContain(
      "Try again, or restart Mooring.",
    );
  });
  it("keep their key unless it is replaced or forgotten", async () => {
    const { user, host } = openApp("/models");
    const open = async () => {
      await user.click((await part("Providers")).getByRole("button", { name: "Edit “Anthropic”" }));
      return within(await screen.findByRole("dialog", { name: "Edit provider" }));
    };
    let dialog = await open();
    dialog.getByText("Key saved");
    await user.click(dialog.getByRole("button", { name: "Save provider" }));
    await waitFor(() => expect(saved(host)).toMatchObject([{ key: null, forgetKey: false }]));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    dialog = await open();
    // A key belongs to the URL that it was entered for.
    await user.type(dialog.getByRole("textbox", { name: "Base URL" }), ".evil.test");
    await dialog.findByText(/The saved key belongs to another URL/);
    expect(dialog.queryByText("Key saved")).toBeNull();
    await user.keyboard("{Backspace>10/}");
    await user.click(await dialog.findByRole("button", { name: "Delete" }));
    await user.click(dialog.getByRole("button", { name: "Save provider" }));
    await waitFor(() => expect(saved(host)[1]).toMatchObject({ key: null, forgetKey: true }));
  });
  it("are refused at the field, before and after the host has looked", async () => {
    const { user, host } = openApp("/models");
    await user.click(await screen.findByRole("button", { name: "Add provider" }));
    const dialog = within(await screen.findByRole("dialog"));
    // A free name is filled in, and the URL of a hosted provider is collapsed.
    const name = dialog.getByRole<HTMLInputElement>("textbox", { name: "Name" });
    const advanced = dialog.getByText("Advanced").closest("details");
    expect([name.value, advanced?.open]).toEqual(["Anthropic 2", false]);
    await user.clear(name);
    await user.type(name, "Anthropic");
    const address = dialog.getByRole("textbox", { name: "Base URL" });
    await user.clear(address);
    await user.type(address, "ftp://x{Enter}");
    await dialog.findByText(/Enter a URL that starts with https/);
    expect(saved(host)).toEqual([]);
    await user.clear(address);
    await user.type(address, "https://x.test{Enter}");
    await dialog.findByText("Another provider already has this name.");
    expect(advanced?.open).toBe(true);
  });
  it("say at the key’s field that it was refused", async () => {
    const { user } = openApp("/models", "no_models");
    await user.click(await screen.findByRole("button", { name: "Add provider" }));
    const dialog = within(await screen.findByRole("dialog"));
    const key = dialog.getByLabelText("API key");
    await user.type(key, "sk-wrong");
    await user.click(dialog.getByRole("button", { name: "Fetch models" }));
    const said = await dialog.findByText("The provider didn’t accept the key: invalid x-api-key.");
    expect(key.getAttribute("aria-describedby")).toContain(said.closest("[id]")?.id ?? "nothing");
    expect(dialog.queryByText("Couldn’t fetch the models.")).toBeNull();
    await user.type(key, "x");
    expect(dialog.queryByText(/didn’t accept the key/)).toBeNull();
  });
  it("have a price that is none told at its field, which stays in sight", async () => {
    const { user, host } = openApp("/models");
    await user.click((await part("Providers")).getByRole("button", { name: "Edit “Anthropic”" }));
    const dialog = within(await screen.findByRole("dialog"));
    const row = dialog.getByRole("button", { name: /^claude-sonnet-4-5/ });
    await user.click(row);
    const read = dialog.getByRole("textbox", { name: "Input, $ per million tokens" });
    await user.clear(read);
    await user.type(read, "three{Enter}");
    const mistake = dialog.getByRole("alert");
    expect([mistake.textContent, read.getAttribute("aria-describedby")]).toEqual(["Enter a number, or leave it empty.", mistake.id]);
    await user.click(row);
    expect([row.getAttribute("aria-expanded"), saved(host).length]).toEqual(["true", 0]);
    await user.clear(read);
    await user.type(read, "3{Enter}");
    await waitFor(() => expect(saved(host).length).toBe(1));
  });
  it("go with their key only after a question", async () => {
    const { user, host } = openApp("/models");
    await user.click((await part("Providers")).getByRole("button", { name: "Remove “Anthropic”" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Remove “Anthropic”?" }));
    dialog.getByText(/Its key is deleted and can’t be recovered/);
    await user.keyboard("{Enter}");
    expect(host.models.providers.length).toBe(2);
    await user.click(dialog.getByRole("button", { name: "Remove" }));
    await waitFor(() => expect(host.models.providers.length).toBe(1));
  });
});

describe("the routing table", () => {
  it("is moved through by keyboard, changed at once, and a removed line comes back", async () => {
    const { user, host } = openApp("/models");
    const table = await part("Routing");
    table.getByRole("button", { name: "Move rule 3 up" }).focus();
    await user.keyboard("{Enter}");
    await waitFor(() => expect(host.models.routes.map((route) => route.server)).toEqual([2, 10, null]));
    await table.findByText("Now rule 2 of 3.");
    await waitFor(() => expect(document.activeElement?.getAttribute("aria-label")).toBe("Move rule 2 up"));
    await user.clear(table.getByRole("textbox", { name: "Hint for rule 3" }));
    await user.tab();
    await waitFor(() => expect(host.models.routes[2]?.hint).toBeNull());
    await user.click(table.getByRole("button", { name: "Remove rule 1" }));
    await waitFor(() => expect(host.models.routes.length).toBe(2));
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(host.models.routes.map((route) => route.server)).toEqual([2, 10, null]));
    await user.click(table.getByRole("button", { name: "Add rule" }));
    await waitFor(() => expect(host.models.routes[3]).toEqual({ server: null, hint: null, provider: 1, model: "claude-sonnet-4-5" }));
  });
});

describe("a removed line of the routing table", () => {
  it("comes back beside what was added meanwhile", async () => {
    const { user, host } = openApp("/models");
    const table = await part("Routing");
    await user.click(table.getByRole("button", { name: "Remove rule 1" }));
    await waitFor(() => expect(host.models.routes.map((route) => route.server)).toEqual([null, 10]));
    const undo = await screen.findByRole("button", { name: "Undo" });
    await user.click(table.getByRole("button", { name: "Add rule" }));
    await waitFor(() => expect(host.models.routes.map((route) => route.server)).toEqual([null, 10, null]));
    await user.click(undo);
    await waitFor(() => expect(host.models.routes.map((route) => route.server)).toEqual([2, null, 10, null]));
  });
  it("comes back at the end where the table became shorter than its place", async () => {
    const { user, host } = openApp("/models");
    const table = await part("Routing");
    await user.click(table.getByRole("button", { name: "Remove rule 3" }));
    await waitFor(() => expect(host.models.routes.length).toBe(2));
    const first = await screen.findByRole("button", { name: "Undo" });
    await user.click(table.getByRole("button", { name: "Remove rule 1" }));
    // The message of the first comes back after that of the second.
    await waitFor(() => expect(first.isConnected).toBe(false));
    await user.click(await screen.findByRole("button", { name: "Dismiss" }));
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(host.models.routes.map((route) => route.server)).toEqual([null, 10]));
  });
  it("is not said to be removed when the host refused it", async () => {
    const { user, host } = openApp("/models");
    const table = await part("Routing");
    // Messages of other rows disappear first.
    act(() => {
      for (let id = toast({ text: "" }); id > 0; id -= 1) dismissToast(id);
    });
    const removals = () => screen.queryAllByText("Rule removed.").length + screen.queryAllByRole("button", { name: "Undo" }).length;
    host.set_routes = () => Promise.reject({ code: "database", message: diskFull, details: null });
    await user.click(table.getByRole("button", { name: "Remove rule 1" }));
    await screen.findByText("The disk is full.");
    await table.findByRole("button", { name: "Remove rule 3" });
    expect(host.models.routes.length).toBe(3);
    expect(removals()).toBe(0);
  });
});

describe("servers that may ask", () => {
  it("are none until the person says so, and have budgets with what was used", async () => {
    const { user, host } = openApp("/models");
    const list = await part("Allowed servers");
    list.getByText(/Off by default/);
    const filesystem = list.getByRole("switch", { name: "Allow “filesystem” to use models" });
    expect(filesystem.getAttribute("aria-checked")).toBe("false");
    await user.click(filesystem);
    await waitFor(() => expect(host.models.view().servers.find((server) => server.serverName === "filesystem")?.policy.enabled).toBe(true));
    // It starts with limits that are visible and editable.
    const begun = within(filesystem.closest("li") ?? document.body);
    expect((await begun.findByRole<HTMLInputElement>("textbox", { name: "Requests per minute" })).value).toBe("10");
    expect(begun.getByRole<HTMLInputElement>("textbox", { name: "Tokens per day" }).value).toBe("200,000");
    const requests = begun.getByRole("textbox", { name: "Requests per minute" });
    await user.clear(requests);
    await user.type(requests, "10001{Enter}");
    begun.getByText("Enter a number, or leave it empty.");
    await user.clear(requests);
    await user.type(requests, "3{Enter}");
    await waitFor(() =>
      expect(host.models.view().servers.find((server) => server.serverName === "filesystem")?.policy).toMatchObject({
        requestsPerMinute: 3,
        tokensPerDay: 200_000,
      }),
    );
    const github = within(list.getByRole("switch", { name: "Allow “github” to use models" }).closest("li") ?? document.body);
    github.getByText("183,400 used today");
    expect(github.getByRole("progressbar", { name: "Dollars per day" }).getAttribute("aria-valuenow")).toBe("42");
    const tokens = github.getByRole("textbox", { name: "Tokens per day" });
    await user.clear(tokens);
    await user.type(tokens, "lots{Enter}");
    github.getByText("Enter a number, or leave it empty.");
    await user.clear(tokens);
    await user.type(tokens, "100,00{Enter}");
    github.getByText("Enter a number, or leave it empty.");
    await user.type(tokens, "0{Enter}");
    const dollars = github.getByRole("textbox", { name: "Dollars per day" });
    await user.clear(dollars);
    await user.type(dollars, "2,500{Enter}");
    github.getByText("Enter a number, or leave it empty.");
    await user.keyboard("{Escape}");
    await github.findByText("183,400 used today: limit reached");
    const [spent, left] = ["Tokens per day", "Dollars per day"].map((name) => github.getByRole("progressbar", { name }).innerHTML);
    expect([spent?.includes("bg-warn"), left?.includes("bg-warn")]).toEqual([true, false]);
  });
  it("are asked about again where the person takes an answer back", async () => {
    const { user } = openApp("/models");
    const list = await part("Allowed servers");
    await user.click(list.getByRole("button", { name: "Ask again: Requests sent automatically to Anthropic: claude-haiku-4-5" }));
    await waitFor(() => expect(list.queryByText(/Requests sent automatically to/)).toBeNull());
  });
});
