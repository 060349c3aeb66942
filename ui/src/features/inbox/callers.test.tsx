// Mooring asks whether a call may run, not the server: the question names the caller and the place of execution.
import { signUp } from "@dev/mock/inbox-forms";
import { asked, createIssue } from "@dev/mock/inbox-questions";
import { review } from "@dev/mock/inbox-sampling";
import { question } from "@dev/mock/recorded";
import { openApp } from "@dev/render";
import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Scene } from "@dev/mock/scenes";
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import "./inbox-screen";

/** A question that arrives while another screen is open. */
async function announced(arriving: InteractionQuestion, caller: string | null = null) {
  const { host } = openApp("/settings");
  await screen.findByText("Vault open · keychain");
  const occasion = { ...asked(71, 2, arriving, 0).occasion, caller };
  act(() => host.inbox.ask([asked(71, 2, arriving, 0, { occasion })]));
}

/** The facts above a question, by name. */
async function facts(id: number, scene: Scene) {
  openApp(`/inbox?id=${id}`, scene);
  const heading = await screen.findByRole("heading", { level: 2, name: /\?$|form$/ });
  const section = heading.closest("section")!;
  const names = [...section.querySelectorAll("dl")][0]!.querySelectorAll("dt");
  return {
    kicker: heading.previousElementSibling?.querySelector("p")?.textContent,
    title: heading.textContent,
    facts: Object.fromEntries([...names].map((name) => [name.textContent, name.nextElementSibling?.textContent])),
    row: document.querySelector("[aria-current=true]")!.textContent,
  };
}

describe("a call that waits for a yes", () => {
  it("of the person's says that they call, not the server", async () => {
    const { kicker, title, facts: said, row } = await facts(25, "inbox_tool");
    expect(kicker).toBe("Tool call · you (Workbench)");
    expect(title).toBe("Run search_code on “github”?");
    expect(said["Called by"]).toBe("you (Workbench)");
    expect(said["Runs on"]).toMatch(/^github · remote server at/);
    expect(said).not.toHaveProperty("Asked by");
    expect(row).toContain("called by you (Workbench)");
  });
  it("of a model's says so", async () => {
    const { kicker, title, facts: said, row } = await facts(11, "inbox");
    expect(kicker).toBe("Tool call · an AI model used by “github”");
    expect(title).toBe("Let an AI model run create_issue on “github”?");
    expect(said["Called by"]).toBe("an AI model used by “github”");
    expect(row).toContain("called by an AI model used by “github”");
  });
  it("is told from what a server asks during a call", async () => {
    const { facts: said, row } = await facts(12, "inbox");
    expect(said["Asked by"]).toMatch(/^postgres-prod/);
    expect(said).not.toHaveProperty("Called by");
    expect(row).toContain("during your call");
  });
  it("names the app whose call a question of a server is for", async () => {
    const { host } = openApp("/inbox", "empty");
    act(() => host.inbox.ask([asked(71, 2, signUp, 0, { occasion: { ...asked(71, 2, signUp, 0).occasion, caller: "app:claude-code" } })]));
    const title = await screen.findByRole("heading", { level: 2, name: /form$/ });
    expect(title.previousElementSibling?.querySelector("p")?.textContent).toBe("Form request · for a call by “Claude Code”");
  });
  it("says on one line who asks, and unfolds the rest", async () => {
    openApp("/inbox?id=25", "inbox_tool");
    const title = await screen.findByRole("heading", { level: 2, name: /\?$/ });
    const details = title.closest("section")?.querySelector("details");
    const line = details?.querySelector("summary");
    expect(details?.open).toBe(false);
    expect(line?.textContent).toMatch(/^Called by you \(Workbench\) · Runs on github · octocat · remote server at https/);
    line?.click();
    expect(details?.open).toBe(true);
    expect(details?.querySelector("dl")?.textContent).toContain("Accountoctocat");
  });
  it("stands in the decisions with its caller", async () => {
    openApp("/inbox");
    await screen.findByText("read_file");
    const rows = screen.getAllByRole("listitem");
    const saying = (tool: string) => rows.find((row) => row.textContent?.includes(tool))?.textContent;
    expect(saying("read_file")).toContain("called by you (Workbench)");
    expect(saying("delete_repository")).toContain("called by an AI model used by “github”");
    expect(saying("pay.example.net")).not.toContain("called by");
  });
  it("leads to the rule that asks", async () => {
    const { user, host, router } = openApp("/inbox", "empty");
    act(() => host.inbox.ask([asked(71, 2, { ...createIssue, rule: 102 }, 0)]));
    await user.click(await screen.findByRole("link", { name: "Show rule" }));
    await waitFor(() => expect(router.state.location.href).toBe("/policies?rule=102"));
  });
  it("leads to no rule where none asks", async () => {
    await facts(11, "inbox");
    expect(screen.queryByRole("link", { name: "Show rule" })).toBeNull();
  });
  it("that is cancelled was not withdrawn by the server", async () => {
    const { host } = openApp("/inbox?id=25", "inbox_tool");
    await screen.findByRole("button", { name: "Allow once" });
    act(() => void host.inbox.end(25, "withdrawn"));
    await screen.findByText("The call was cancelled. Nothing ran.");
  });
  it.each([
    ["workbench", "Your call to “create_issue” of “github” needs your approval"],
    ["command_line", "A call to “create_issue” of “github” from the command line needs your approval"],
    ["sampling", "An AI model wants to call “create_issue” of “github”"],
    ["app:claude-code", "“Claude Code” wants to call “create_issue” of “github”"],
    ["a caller of tomorrow", "A call to “create_issue” of “github” needs your approval"],
  ])("is announced by its caller and tool: %s", async (caller, text) => {
    await announced(createIssue, caller);
    await screen.findByText(text);
  });
  it("of an app that could be any program says that it has no key", async () => {
    await announced({ ...createIssue, keyless: true }, "app:claude-code");
    await screen.findByText("“Claude Code”, an app without a key, wants to call “create_issue” of “github”");
  });
});

describe("what else arrives", () => {
  const link = question("open", "url");
  it.each<[string, InteractionQuestion, string]>([
    ["an app", { kind: "app", app: "pier-bot", program: null, isTerminal: false }, "A new app, “pier-bot”, wants to use your servers"],
    ["a terminal", { kind: "app", app: "tmux", program: null, isTerminal: true }, "The command line in “tmux” wants to use your servers"],
    ["a link", link, `“github” asks to open “${link.address.domain}”`],
    ["a model", review, `“github” asks to use the model “${review.route?.model}”`],
    ["no model", { ...review, route: null, models: [] }, "“github” asks to use a model"],
    ["a form", signUp, "“github” asks you to fill in a form"],
  ])("says who wants what: %s", async (_what, arriving, text) => {
    await announced(arriving);
    await screen.findByText(text);
  });
});

describe("a call that is dangerous to allow", () => {
  const open = async (id: number) => {
    const app = openApp(`/inbox?id=${id}`, "inbox_tool");
    const notice = within(await screen.findByRole("region", { name: "Before you allow this" }));
    return { ...app, notice };
  };
  const approving = () => screen.queryByRole("button", { name: /^Allow/ });

  it("looks so where the server says that it destroys", async () => {
    const { notice } = await open(27);
    notice.getByText("This tool can delete data");
    notice.getByText("You haven’t reviewed this tool");
    screen.getByRole("button", { name: "Review tool" });
    const button = approving();
    expect(button?.dataset.danger).toBe("bad");
    expect(document.getElementById(button?.getAttribute("aria-describedby") ?? "")?.textContent).toContain("can delete data");
    expect(document.querySelector("[aria-current=true]")?.textContent).toContain("can delete data");
  });
  it("looks so where nobody has reviewed the tool, with the way to that", async () => {
    const { notice, user, router } = await open(28);
    notice.getByText("You haven’t reviewed this tool");
    expect(notice.queryByText("This tool can delete data")).toBeNull();
    expect(approving()?.dataset.danger).toBe("warn");
    await user.click(screen.getByRole("button", { name: "Review tool" }));
    expect(router.state.location).toMatchObject({ pathname: "/servers", search: { id: 3, tab: "trust" } });
  });
  it("has the difference and no way to allow it once the tool changed", async () => {
    const { notice, user, router } = await open(26);
    await notice.findByText("This tool changed while the call waited");
    expect(notice.getByText("/description").closest("figure")?.querySelector("ins")?.textContent).toContain("five");
    expect(approving()).toBeNull();
    expect(screen.queryByRole("radio", { name: "Always" })).toBeNull();
    screen.getByRole("heading", { level: 2, name: "forecast changed. The call was stopped" });
    expect(screen.queryByText("weather says about this tool")).toBeNull();
    // There is one way to close it.
    screen.getByRole("button", { name: "Cancel call" });
    expect(screen.queryByRole("button", { name: "Decline" })).toBeNull();
    await user.click(screen.getByRole("button", { name: "Review change" }));
    expect(router.state.location).toMatchObject({ pathname: "/servers", search: { id: 6, tab: "trust" } });
  });
  it("is not what a reviewed tool that only reads is", async () => {
    openApp("/inbox?id=25", "inbox_tool");
    const button = await screen.findByRole("button", { name: "Allow once" });
    expect(button.dataset.danger).toBeUndefined();
    expect(screen.queryByRole("region", { name: "Before you allow this" })).toBeNull();
  });
  it("has the server's claims inside its frame", async () => {
    openApp("/inbox?id=27", "inbox_tool");
    const claims = await screen.findByRole("list", { name: "The server says:" });
    expect(claims.closest("figure")?.querySelector("figcaption")?.textContent).toContain("filesystem");
    expect(claims.textContent).toBe("Changes dataCan delete dataLocal only");
  });
});
