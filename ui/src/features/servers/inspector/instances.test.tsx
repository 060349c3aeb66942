// Which callers get their own instance of a server: the choice, the suggestion, and the running instances.
import "@/features/servers/servers-screen";
import { dialogWithKeyboard, openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";

// Whole screens are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

type Opened = ReturnType<typeof openApp>;
const section = async () => within(await screen.findByRole("region", { name: "Instances" }));
const instances = async () =>
  within(await screen.findByRole("list", { name: "Instances besides the shared one" })).getAllByRole("listitem");
const serverOf = (host: Opened["host"], id: number) => {
  const server = host.servers.find((one) => one.id === id);
  if (!server) throw new Error("no such server");
  return server;
};
const PROPOSAL = "This server works best with one instance per app";

describe("for whom a server runs", () => {
  it("is chosen with the keyboard, said in a sentence, and saved", async () => {
    const { user, host } = openApp("/servers?id=2");
    const part = await section();
    const choice = part.getByRole("combobox", { name: "Instances" });
    part.getByText(/^All apps share one instance\. If the server asks for folders/);
    choice.focus();
    await user.keyboard("{Enter}");
    await user.click(await screen.findByRole("option", { name: "One per app" }));
    await waitFor(() => expect(serverOf(host, 2).instanceRule).toBe("per_app"));
    await part.findByText(/^Each app gets its own instance/);
    expect(choice.textContent).toBe("One per app");
  });
  it("is each set of folders where a server has asked for folders, without a choice", async () => {
    openApp("/servers?id=1");
    await (await section()).findByText("This server has asked for folders, so each set of folders gets its own instance");
  });
  it.each([
    [false, "This server asks questions during calls, so apps that use it at the same time get instances and questions of their own"],
    [
      true,
      "This server asks for folders and asks questions during calls, so apps that use it at the same time get instances of their own, one for each set of folders",
    ],
  ] as const)("is each app where a server asks during calls (folders: %s)", async (asksForRoots, said) => {
    const { host } = openApp("/servers?id=2");
    Object.assign(serverOf(host, 2), { asksApps: true, asksForRoots });
    await (await section()).findByText(said);
  });
  it("stays what it was where it can’t be saved", async () => {
    const { user } = openApp("/servers?id=2", "failed_set_instance_rule");
    const part = await section();
    part.getByRole("combobox").focus();
    await user.keyboard("{Enter}");
    await user.click(await screen.findByRole("option", { name: "One per app" }));
    await screen.findByText(/database is locked/);
    expect(part.getByRole("combobox").textContent).toBe("Automatic");
  });
});

describe("one instance per app", () => {
  it("is proposed for a browser with the reason, and chosen with one press", async () => {
    const { user, host } = openApp("/servers?id=9");
    const part = await section();
    part.getByText(PROPOSAL);
    part.getByText(/^A browser keeps one page for everybody/);
    await user.click(part.getByRole("button", { name: "Use one per app" }));
    await waitFor(() => expect(serverOf(host, 9).instanceRule).toBe("per_app"));
    await waitFor(() => expect(part.queryByText(PROPOSAL)).toBeNull());
    expect(document.activeElement).toBe(screen.getByRole("region", { name: "Instances" }));
  });
  it.each([
    ["shell", "shared", /^A shell keeps one working folder/],
    ["database", "automatic", /^A database connection keeps one transaction/],
  ] as const)("is proposed for a %s", async (singleUser, instanceRule, reason) => {
    const { host } = openApp("/servers?id=2");
    Object.assign(serverOf(host, 2), { singleUser, instanceRule });
    (await section()).getByText(reason);
  });
  it.each([
    ["browser", "per_app"],
    ["browser", "per_roots"],
    [null, "shared"],
  ] as const)("isn’t proposed for %s with %s", async (singleUser, instanceRule) => {
    const { host } = openApp("/servers?id=2");
    Object.assign(serverOf(host, 2), { singleUser, instanceRule });
    expect((await section()).queryByText(PROPOSAL)).toBeNull();
  });
});

describe("the instances of a server", () => {
  it("are none but the shared one", async () => {
    openApp("/servers?id=2");
    const part = await section();
    part.getByText(/^All apps share one instance/);
    expect(part.queryByRole("list")).toBeNull();
  });
  it("say for which app and with which folders they run, how, and since when", async () => {
    openApp("/servers?id=1");
    (await section()).getByText("2 besides the shared one");
    const [first, second] = await instances();
    await waitFor(() => expect(first?.textContent).toContain("Claude Code"));
    expect(first?.textContent).toContain("/home/ana/projects/harbour");
    expect(first?.textContent).toMatch(/Ready\d+ minutes ago/);
    expect(first?.textContent).toMatch(/in use · last used \d+ minutes ago · 214 calls · process 41001/);
    expect(second?.textContent).toContain("Any app with these folders");
    expect(second?.textContent).toContain("/home/ana/projects/tide tables");
    expect(second?.textContent).toContain("1 more folder/home/ana/港口");
    expect(second?.textContent).not.toContain("in use");
  });
  it("show other programs’ words as those", async () => {
    const { host } = openApp("/servers?id=2");
    const [like] = serverOf(host, 1).instances;
    const odd = { ...like, app: "pier\u202Etob", roots: ["file:///home/\u202Eana", "file:///home/\u202Eana"] };
    Object.assign(serverOf(host, 2), { instances: [odd, { ...odd, number: 2, app: null, roots: null }, { ...odd, number: 3, roots: [] }] });
    const [first, second, third] = await instances();
    expect(first?.textContent).toContain("pier⟨U+202E⟩tob");
    expect(first?.textContent).not.toContain("\u202E");
    expect(second?.textContent).toContain("Folders that you share with this server");
    expect(third?.textContent).toContain("No folders");
  });
  it("say that one is for all apps of an earlier version", async () => {
    const { host } = openApp("/servers?id=2");
    const [like] = serverOf(host, 1).instances;
    Object.assign(serverOf(host, 2), { instances: [{ ...like, app: null, roots: null, inSession: true }] });
    const [session] = await instances();
    expect(session?.textContent).toContain("All apps with protocol version 2025-11-25 or earlier");
  });
  it("are ended at once where no app uses them, and after a question where one does", async () => {
    const { user, host } = openApp("/servers?id=1");
    const left = () => serverOf(host, 1).instances.map(({ number }) => number);
    const part = await section();
    await user.click(part.getByRole("button", { name: "End instance 2" }));
    await waitFor(() => expect(left()).toEqual([1]));
    await waitFor(() => expect(part.queryByRole("button", { name: "End instance 2" })).toBeNull());
    part.getByRole("button", { name: "End instance 1" }).focus();
    await user.keyboard("{Enter}");
    const dialog = within(await dialogWithKeyboard("End instance 1?"));
    expect(left()).toEqual([1]);
    await user.click(dialog.getByRole("button", { name: "End instance" }));
    await waitFor(() => expect(left()).toEqual([]));
    await waitFor(() => expect(part.queryByRole("list")).toBeNull());
    expect(document.activeElement).toBe(screen.getByRole("region", { name: "Instances" }));
  });
  it("say why one failed", async () => {
    openApp("/servers?id=3");
    const [failed] = await instances();
    if (!failed) throw new Error("no instance");
    within(failed).getByText("Failed");
    within(within(failed).getByRole("alert")).getByText("The server exited.");
  });
});
