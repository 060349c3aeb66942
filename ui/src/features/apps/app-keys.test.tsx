// An app identifies itself with the key in its entry: what is shown for an app without one, and how it gets one.
import "@/features/apps/apps-screen";
import { dialogWithKeyboard, openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";

type App = ReturnType<typeof openApp>;
const row = (name: RegExp) => screen.findByRole("row", { name });
const details = async (name: string) => within(await screen.findByRole("complementary", { name: `App details: ${name}` }));
const last = (host: App["host"], name: string) => host.apps.sent.findLast((command) => command.name === name)?.args;
const WAITS = "Your choice applies once its entry has a valid key. Until then: Ask here.";

describe("an app that proves itself", () => {
  it("is connected, and says quietly where its key is", async () => {
    openApp("/apps?id=claude-code&open=true");
    const app = await details("Claude Code");
    const fact = app.getByText("In the app’s file");
    // Choices come before mere information.
    const choice = app.getByRole("radiogroup", { name: "When it calls a tool" });
    expect(choice.compareDocumentPosition(fact) & Node.DOCUMENT_POSITION_FOLLOWING).not.toBe(0);
    app.getByText("Connected", { selector: "p *" });
    expect(app.queryByText(/Until then: Ask here/)).toBeNull();
    expect(screen.queryByRole("button", { name: "Renew entry…" })).toBeNull();
  });
  it("gets a new key after the change was shown", async () => {
    const { user, host } = openApp("/apps?id=claude-code&open=true");
    await user.click((await details("Claude Code")).getByRole("button", { name: "More actions" }));
    await user.click(await screen.findByRole("menuitem", { name: "Renew key…" }));
    const dialog = within(await dialogWithKeyboard("Renew the key of “Claude Code”"));
    await dialog.findByText(/the old one stops working\. Restart the app/);
    await user.click(dialog.getByRole("button", { name: "Renew key" }));
    await waitFor(() => expect(last(host, "connect_app")).toEqual({ id: "claude-code", hash: "shown", replaces: [] }));
  });
});

describe("an app whose file is in a Git repository", () => {
  it("is connected without a key, which is said before and after, and offers no key", async () => {
    const { user } = openApp("/apps?id=cursor&open=true", "apps_in_repository");
    const app = await details("Cursor");
    expect(app.queryByRole("button", { name: "Create entry with a key" })).toBeNull();
    await user.click(app.getByRole("button", { name: "Connect…" }));
    const dialog = within(await dialogWithKeyboard("Connect “Cursor”"));
    expect((await dialog.findByText("Its entry gets no key")).closest("[role=alert]")?.textContent).toContain("/home/ana/dotfiles");
    expect(dialog.queryByText(/MOORING_APP_KEY|The entry includes a key/)).toBeNull();
    await user.click(await dialog.findByRole("button", { name: /^Approve \d+ and connect$/ }));
    await user.click(await screen.findByRole("button", { name: "Done" }));
    await app.findByText(/^Its file is in a Git repository/);
    app.getByText("Its entry has no key, so Ask here applies whatever you choose.");
    expect((await row(/^Cursor/)).textContent).toContain("Ask here");
    for (const offer of ["Renew entry…", "Create entry with a key", "Remove"])
      expect(app.queryByRole("button", { name: offer })).toBeNull();
  });
  it("has its key taken out, which is said until it is done", async () => {
    const { user, host } = openApp("/apps?id=claude-code&open=true", "apps_in_repository");
    const app = await details("Claude Code");
    expect((await row(/^Claude Code/)).textContent).toContain("Shared key");
    for (const offer of ["More actions", "Create entry with a key"]) expect(app.queryByRole("button", { name: offer })).toBeNull();
    await user.click(app.getByRole("button", { name: "Take the key out…" }));
    const dialog = within(await dialogWithKeyboard("Take the key of “Claude Code” out of its file"));
    expect((await dialog.findByText(/^Without it, Mooring asks you about the app once/)).textContent).toContain("/home/ana/dotfiles");
    await user.click(dialog.getByRole("button", { name: "Take out key" }));
    await waitFor(() => expect(last(host, "connect_app")).toEqual({ id: "claude-code", hash: "shown", replaces: [] }));
    await app.findByText(/^Its file is in a Git repository/);
  });
});

describe("an app whose entry has no valid key", () => {
  it("asks for each call and isn’t said to be connected, until its entry is renewed with one press and a yes", async () => {
    const { user, host } = openApp("/apps?id=cursor&open=true", "apps_renew");
    const app = await details("Cursor");
    app.getByText(/^Its entry has no valid key, so any program could call itself “Cursor”/);
    expect(app.queryByText("Connected", { selector: "p *" })).toBeNull();
    expect((await row(/^Cursor/)).textContent).toContain("Asks for each call");
    app.getByText(WAITS);
    await user.click(app.getByRole("radio", { name: /^Read-only/ }));
    await waitFor(() => expect(last(host, "set_app_level")).toEqual({ id: "cursor", level: "read_only" }));
    await user.click(app.getByRole("button", { name: "Renew entry…" }));
    const dialog = within(await dialogWithKeyboard("Renew the entry of “Cursor”"));
    await dialog.findByText(/"MOORING_APP_KEY": "\(new key\)"/);
    await user.click(dialog.getByRole("button", { name: "Renew entry" }));
    await waitFor(() => expect(last(host, "connect_app")).toEqual({ id: "cursor", hash: "shown", replaces: [] }));
    await app.findByText("In the app’s file");
    expect(app.queryByText(WAITS)).toBeNull();
    expect((await row(/^Cursor/)).textContent).toMatch(/Connected.*Read-only/);
  });
  it.each(["the mouse", "the keyboard"])("is renewed from its row with %s", async (by) => {
    const { user, host } = openApp("/apps?id=claude-code&open=true", "apps_renew");
    const button = within(await row(/^Cursor/)).getByRole("button", { name: "Renew entry…" });
    if (by === "the mouse") await user.click(button);
    else {
      button.focus();
      await user.keyboard("{Enter}");
    }
    const dialog = within(await dialogWithKeyboard("Renew the entry of “Cursor”"));
    await dialog.findByText(/MOORING_APP_KEY/);
    await user.click(dialog.getByRole("button", { name: "Renew entry" }));
    await waitFor(() => expect(last(host, "connect_app")).toBeDefined());
    await waitFor(async () => expect((await row(/^Cursor/)).textContent).toContain("Connected"));
  });
});

describe("an app whose entry has another key than the one that counts", () => {
  it("can’t connect until its entry is renewed", async () => {
    const { user, host } = openApp("/apps?id=zed&open=true", "apps_renew");
    const app = await details("Zed");
    app.getByText(/^Its entry doesn’t have the key that Mooring made for “Zed”/);
    expect((await row(/^Zed/)).textContent).toContain("Can’t connect");
    expect(app.queryByText(/Until then: Ask here/)).toBeNull();
    await user.click(app.getByRole("button", { name: "Renew entry…" }));
    const dialog = within(await dialogWithKeyboard("Renew the entry of “Zed”"));
    await user.click(await dialog.findByRole("button", { name: "Renew entry" }));
    await waitFor(() => expect(last(host, "connect_app")).toEqual({ id: "zed", hash: "shown", replaces: [] }));
    await app.findByText("In the app’s file");
  });
});

describe("an app whose entry starts a program that is gone", () => {
  it("is said to start nothing, and can be connected again", async () => {
    const { user } = openApp("/apps?id=codex&open=true", "apps_renew");
    const app = await details("Codex");
    app.getByText("This app can’t start Mooring");
    app.getByText(/its entry starts \/opt\/mooring-0\.9\/mooring, which is gone/i);
    expect((await row(/^Codex/)).textContent).toContain("Can’t start");
    await user.click(app.getByRole("button", { name: "Connect…" }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.click(await dialog.findByRole("button", { name: /^Approve \d+ and connect$/ }));
    await user.click(await screen.findByRole("button", { name: "Done" }));
    await waitFor(async () => expect((await row(/^Codex/)).textContent).toContain("Connected"));
    expect(app.queryByText("This app can’t start Mooring")).toBeNull();
  });
});

describe("an app whose key waits for the vault", () => {
  it("is locked, and connected once the vault is unlocked", async () => {
    const { user } = openApp("/apps?id=claude-code&open=true", "apps_sealed");
    const app = await details("Claude Code");
    app.getByText("Unlock the vault to check this app’s key");
    expect((await row(/^Claude Code/)).textContent).toMatch(/Locked.*Ask here/);
    await user.click(app.getByRole("button", { name: "Unlock vault" }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.type(await dialog.findByLabelText("Passphrase"), "correct horse{Enter}");
    await app.findByText("In the app’s file");
  });
});

describe("an app without a key and without an entry of ours", () => {
  it("that was allowed asks for each call, and is removed", async () => {
    const { user, host } = openApp("/apps?id=pier-bot&open=true", "apps_keyless");
    const app = await details("pier-bot");
    app.getByText("None; allowed in the Inbox");
    app.getByText(WAITS);
    await user.click(app.getByRole("button", { name: "Remove" }));
    await waitFor(() => expect(last(host, "remove_app_key")).toEqual({ id: "pier-bot" }));
    await app.findByRole("button", { name: "Open Inbox" });
    app.getByText("None");
    expect(app.queryByRole("button", { name: "Remove" })).toBeNull();
  });
  it("that wasn’t allowed says so", async () => {
    openApp("/apps?id=gull&open=true", "apps_keyless");
    const app = await details("gull");
    const box = (await app.findByRole("button", { name: "Open Inbox" })).closest("[role=alert]");
    expect(box?.textContent).toContain("Not allowed yet");
    app.getByText("None");
    expect((await row(/^gull/)).textContent).toContain("Not allowed yet");
  });
  it("loses a key that was made by hand only after a question", async () => {
    const { user, host } = openApp("/apps?id=pier-bot&open=true");
    await user.click((await details("pier-bot")).getByRole("button", { name: "Remove key…" }));
    const dialog = within(await dialogWithKeyboard("Remove the key of “pier-bot”?"));
    expect(last(host, "remove_app_key")).toBeUndefined();
    await user.click(dialog.getByRole("button", { name: "Remove key" }));
    await waitFor(() => expect(last(host, "remove_app_key")).toEqual({ id: "pier-bot" }));
  });
});

describe("an entry with a key", () => {
  const other = async (name: string, scene: Parameters<typeof openApp>[1] = "usual") => {
    const app = openApp("/apps", scene);
    await app.user.click(await screen.findByRole("button", { name: "Connect app…" }));
    const dialog = within(await dialogWithKeyboard("Connect another app"));
    await app.user.type(dialog.getByRole("textbox", { name: "App name" }), name);
    await waitFor(() => expect(dialog.getByText(`"${name}"`)).toBeDefined());
    return { ...app, dialog };
  };
  it("is made for a name, and shown once", async () => {
    const { user, host, dialog } = await other("quay");
    dialog.getByText("Without a key, Mooring asks you once about the app, then about each call.");
    expect(document.body.textContent).not.toContain("MOORING_APP_KEY");
    await user.click(dialog.getByRole("button", { name: "Create entry with a key" }));
    await dialog.findByText("Copy this entry now. The key isn’t shown again.");
    expect(last(host, "create_app_entry")).toEqual({ id: "quay", format: "json" });
    const secret = /mooring_app_\w+/.exec(document.body.textContent ?? "")?.[0] ?? "none";
    expect(dialog.getByRole("radio", { name: "TOML" })).toHaveProperty("disabled", true);
    // One button copies it, and one closes the dialog.
    expect(dialog.getByRole("button", { name: "Copy entry" }).className).toContain("bg-accent");
    await user.click(dialog.getByRole("button", { name: "Done" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(document.body.textContent).not.toContain(secret);
  });
  it("is made for an app that is listed, whose calls would be denied without one", async () => {
    const { user, host } = openApp("/apps?id=cursor&open=true");
    const app = await details("Cursor");
    await app.findByText("Without a key, Mooring asks about each call or denies it.");
    await user.click(await app.findByRole("button", { name: "Create entry with a key" }));
    await app.findByText("Copy this entry now. The key isn’t shown again.");
    expect(last(host, "create_app_entry")).toEqual({ id: "cursor", format: "json" });
    await user.click(app.getByRole("button", { name: "Done" }));
    await app.findByText("A new key replaces the current one.");
  });
  it("is gone when the name changes", async () => {
    const { user, dialog } = await other("quay");
    await user.click(dialog.getByRole("button", { name: "Create entry with a key" }));
    await dialog.findByText("Copy this entry now. The key isn’t shown again.");
    await user.type(dialog.getByRole("textbox", { name: "App name" }), "s");
    await dialog.findByRole("button", { name: "Create entry with a key" });
    expect(document.body.textContent).not.toContain("MOORING_APP_KEY");
  });
  it("is not made for a name that can’t be used, which is said at its field", async () => {
    const { user, dialog } = await other("Claude Code");
    await user.click(dialog.getByRole("button", { name: "Create entry with a key" }));
    const field = dialog.getByRole("textbox", { name: "App name" });
    await waitFor(() => expect(field.getAttribute("aria-invalid")).toBe("true"));
    expect(document.getElementById(field.getAttribute("aria-describedby") ?? "")?.textContent).toMatch(
      /isn’t connected: connect it in Mooring/,
    );
    expect(dialog.queryByText("Couldn’t create the key")).toBeNull();
    await user.type(field, "2");
    await waitFor(() => expect(field.getAttribute("aria-invalid")).toBeNull());
  });
});

describe("a token of an earlier version", () => {
  it("is said to count for nothing until a new one is made", async () => {
    const { user } = openApp("/apps?id=pier-bot&open=true", "apps_keyless");
    await (await details("pier-bot")).findByText(/^Made by an earlier version\. Renew the token/);
    await user.click((await details("pier-bot")).getByRole("button", { name: "Renew token…" }));
    await dialogWithKeyboard("Renew the token of “pier-bot”?");
  });
});
