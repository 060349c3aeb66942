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
  it("stand beside the practice model, of which it is said that no model reads anything", async () => {
    openApp("/models");
    const list = (await part("Providers")).getAllByRole("listitem").map((item) => item.textContent);
    expect(list[0]).toContain("Anthropica key is kepthttps://api.anthropic.com");
    expect(list[1]).toContain("The connection was refused.");
    expect(list[2]).toMatch(/^Practice modelWorks offline.*no model has read it\.always there$/);
  });
  it("are set up from a preset, with models that they list", async () => {
    const { user, host } = openApp("/models", "no_models");
    (await part("Providers")).getByText(/No provider yet/);
    await user.click((await part("Providers")).getByRole("button", { name: "Add provider" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Add a provider" }));
    await user.click(dialog.getByRole("combobox", { name: "Provider" }));
    await user.click(await screen.findByRole("option", { name: "OpenRouter" }));
    expect(dialog.getByRole("textbox", { name: "Base URL" })).toHaveProperty("value", "https://openrouter.ai/api/v1");
    const key = dialog.getByLabelText("Key");
    expect(key.getAttribute("type")).toBe("password");
    await user.type(key, "or-secret");
    await user.click(dialog.getByRole("button", { name: "List its models" }));
    await user.click(await dialog.findByRole("checkbox", { name: "claude-haiku-4-5" }));
    await user.click(dialog.getByRole("button", { name: /^claude-haiku-4-5/ }));
    await user.type(dialog.getByRole("textbox", { name: "$ per million read" }), "1.25");
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
    await user.click(await screen.findByRole("option", { name: "Another" }));
    expect(dialog.getByRole("textbox", { name: "Base URL" })).toHaveProperty("value", "");
    expect(dialog.getByRole("combobox", { name: "Spoken to as" }).textContent).toContain("OpenAI-compatible");
    expect(dialog.getByRole("combobox", { name: "Provider" }).textContent).toContain("Another");
  });
  it("come with a next step where they cannot be read", async () => {
    openApp("/models", "failed_list_models");
    expect((await screen.findByText("The models could not be read.")).closest("[role=alert]")?.textContent).toContain(
      "Try again. If it keeps failing, restart Mooring.",
    );
  });
  it("keep their key unless it is replaced or forgotten", async () => {
    const { user, host } = openApp("/models");
    const open = async () => {
      await user.click((await part("Providers")).getByRole("button", { name: "Change Anthropic" }));
      return within(await screen.findByRole("dialog", { name: "Change the provider" }));
    };
    let dialog = await open();
    dialog.getByText("a key is kept");
    await user.click(dialog.getByRole("button", { name: "Save provider" }));
    await waitFor(() => expect(saved(host)).toMatchObject([{ key: null, forgetKey: false }]));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    dialog = await open();
    // A key stays with the address that it was entered for.
    await user.type(dialog.getByRole("textbox", { name: "Base URL" }), ".evil.test");
    await dialog.findByText(/The key that is kept was for another address/);
    expect(dialog.queryByText("a key is kept")).toBeNull();
    await user.keyboard("{Backspace>10/}");
    await user.click(await dialog.findByRole("button", { name: "Forget" }));
    await user.click(dialog.getByRole("button", { name: "Save provider" }));
    await waitFor(() => expect(saved(host)[1]).toMatchObject({ key: null, forgetKey: true }));
  });
  it("are refused at the field, before and after the host has looked", async () => {
    const { user, host } = openApp("/models");
    await user.click(await screen.findByRole("button", { name: "Add provider" }));
    const dialog = within(await screen.findByRole("dialog"));
    const address = dialog.getByRole("textbox", { name: "Base URL" });
    await user.clear(address);
    await user.type(address, "ftp://x{Enter}");
    await dialog.findByText(/Give an address that starts with https/);
    expect(saved(host)).toEqual([]);
    await user.clear(address);
    await user.type(address, "https://x.test{Enter}");
    await dialog.findByText("Another provider has this name.");
  });
  it("have a price that is none told at its field, which stays in sight", async () => {
    const { user, host } = openApp("/models");
    await user.click((await part("Providers")).getByRole("button", { name: "Change Anthropic" }));
    const dialog = within(await screen.findByRole("dialog"));
    const row = dialog.getByRole("button", { name: /^claude-sonnet-4-5/ });
    await user.click(row);
    const read = dialog.getByRole("textbox", { name: "$ per million read" });
    await user.clear(read);
    await user.type(read, "three{Enter}");
    const mistake = dialog.getByRole("alert");
    expect([mistake.textContent, read.getAttribute("aria-describedby")]).toEqual(["Give a number, or leave it empty.", mistake.id]);
    await user.click(row);
    expect([row.getAttribute("aria-expanded"), saved(host).length]).toEqual(["true", 0]);
    await user.clear(read);
    await user.type(read, "3{Enter}");
    await waitFor(() => expect(saved(host).length).toBe(1));
  });
  it("go with their key only after a question", async () => {
    const { user, host } = openApp("/models");
    await user.click((await part("Providers")).getByRole("button", { name: "Remove Anthropic" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Remove “Anthropic”?" }));
    dialog.getByText(/Its key is forgotten and cannot be brought back/);
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
    table.getByRole("button", { name: "Move line 3 up" }).focus();
    await user.keyboard("{Enter}");
    await waitFor(() => expect(host.models.routes.map((route) => route.server)).toEqual([2, 10, null]));
    await table.findByText("Now line 2 of 3.");
    await waitFor(() => expect(document.activeElement?.getAttribute("aria-label")).toBe("Move line 2 up"));
    await user.clear(table.getByRole("textbox", { name: "Hint of line 3" }));
    await user.tab();
    await waitFor(() => expect(host.models.routes[2]?.hint).toBeNull());
    await user.click(table.getByRole("button", { name: "Remove line 1" }));
    await waitFor(() => expect(host.models.routes.length).toBe(2));
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(host.models.routes.map((route) => route.server)).toEqual([2, 10, null]));
    await user.click(table.getByRole("button", { name: "Add line" }));
    await waitFor(() => expect(host.models.routes[3]).toEqual({ server: null, hint: null, provider: 1, model: "claude-sonnet-4-5" }));
  });
});

describe("a removed line of the routing table", () => {
  it("comes back beside what was added meanwhile", async () => {
    const { user, host } = openApp("/models");
    const table = await part("Routing");
    await user.click(table.getByRole("button", { name: "Remove line 1" }));
    await waitFor(() => expect(host.models.routes.map((route) => route.server)).toEqual([null, 10]));
    const undo = await screen.findByRole("button", { name: "Undo" });
    await user.click(table.getByRole("button", { name: "Add line" }));
    await waitFor(() => expect(host.models.routes.map((route) => route.server)).toEqual([null, 10, null]));
    await user.click(undo);
    await waitFor(() => expect(host.models.routes.map((route) => route.server)).toEqual([2, null, 10, null]));
  });
  it("comes back at the end where the table became shorter than its place", async () => {
    const { user, host } = openApp("/models");
    const table = await part("Routing");
    await user.click(table.getByRole("button", { name: "Remove line 3" }));
    const undo = await screen.findByRole("button", { name: "Undo" });
    await waitFor(() => expect(host.models.routes.length).toBe(2));
    await user.click(table.getByRole("button", { name: "Remove line 1" }));
    await waitFor(() => expect(host.models.routes.length).toBe(1));
    await user.click(undo);
    await waitFor(() => expect(host.models.routes.map((route) => route.server)).toEqual([null, 10]));
  });
  it("is not said to be removed when the host refused it", async () => {
    const { user, host } = openApp("/models");
    const table = await part("Routing");
    // What was said of other lines goes first.
    act(() => {
      for (let id = toast({ text: "" }); id > 0; id -= 1) dismissToast(id);
    });
    const removals = () => screen.queryAllByText("The line was removed.").length + screen.queryAllByRole("button", { name: "Undo" }).length;
    host.set_routes = () => Promise.reject({ code: "database", message: diskFull, details: null });
    await user.click(table.getByRole("button", { name: "Remove line 1" }));
    await screen.findByText("The disk is full.");
    await table.findByRole("button", { name: "Remove line 3" });
    expect(host.models.routes.length).toBe(3);
    expect(removals()).toBe(0);
  });
});

describe("servers that may ask", () => {
  it("are none until the person says so, and have budgets with what was used", async () => {
    const { user, host } = openApp("/models");
    const list = await part("Servers that may ask");
    list.getByText(/Off until you switch it on/);
    const filesystem = list.getByRole("switch", { name: "Let filesystem ask models" });
    expect(filesystem.getAttribute("aria-checked")).toBe("false");
    await user.click(filesystem);
    await waitFor(() => expect(host.models.view().servers.find((server) => server.serverName === "filesystem")?.policy.enabled).toBe(true));
    // It begins with bounds, which are in sight and can be changed.
    const begun = within(filesystem.closest("li") ?? document.body);
    expect((await begun.findByRole<HTMLInputElement>("textbox", { name: "Requests a minute" })).value).toBe("10");
    expect(begun.getByRole<HTMLInputElement>("textbox", { name: "Tokens a day" }).value).toBe("200,000");
    const requests = begun.getByRole("textbox", { name: "Requests a minute" });
    await user.clear(requests);
    await user.type(requests, "10001{Enter}");
    begun.getByText("Give a number, or leave it empty.");
    await user.clear(requests);
    await user.type(requests, "3{Enter}");
    await waitFor(() =>
      expect(host.models.view().servers.find((server) => server.serverName === "filesystem")?.policy).toMatchObject({
        requestsPerMinute: 3,
        tokensPerDay: 200_000,
      }),
    );
    const github = within(list.getByRole("switch", { name: "Let github ask models" }).closest("li") ?? document.body);
    github.getByText("183,400 used today");
    expect(github.getByRole("progressbar", { name: "Dollars a day" }).getAttribute("aria-valuenow")).toBe("42");
    const tokens = github.getByRole("textbox", { name: "Tokens a day" });
    await user.clear(tokens);
    await user.type(tokens, "lots{Enter}");
    github.getByText("Give a number, or leave it empty.");
    await user.clear(tokens);
    await user.type(tokens, "100,00{Enter}");
    github.getByText("Give a number, or leave it empty.");
    await user.type(tokens, "0{Enter}");
    const dollars = github.getByRole("textbox", { name: "Dollars a day" });
    await user.clear(dollars);
    await user.type(dollars, "2,500{Enter}");
    github.getByText("Give a number, or leave it empty.");
    await user.keyboard("{Escape}");
    await github.findByText("183,400 used today: the budget is spent");
    const [spent, left] = ["Tokens a day", "Dollars a day"].map((name) => github.getByRole("progressbar", { name }).innerHTML);
    expect([spent?.includes("bg-warn"), left?.includes("bg-warn")]).toEqual([true, false]);
  });
  it("are asked about again where the person takes an answer back", async () => {
    const { user } = openApp("/models");
    const list = await part("Servers that may ask");
    await user.click(list.getByRole("button", { name: "Ask again: Requests are sent unseen to Anthropic: claude-haiku-4-5" }));
    await waitFor(() => expect(list.queryByText(/Requests are sent unseen to/)).toBeNull());
  });
});
