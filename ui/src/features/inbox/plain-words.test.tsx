// The texts of a question match its possible answers, and only a server's text is in its frame.
import "@/features/inbox/inbox-screen";
import { asked, createIssue } from "@dev/mock/inbox-questions";
import { answer, review } from "@dev/mock/inbox-sampling";
import { openApp } from "@dev/render";
import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { gravest } from "@/components/address";
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import chinese from "@/locales/zh-CN/sentences.json";
import { usedUp } from "./sampling/spent";

const heading = (name: RegExp | string) => screen.findByRole("heading", { level: 2, name });
const button = (name: RegExp | string) => screen.findByRole<HTMLButtonElement>("button", { name });
const armed = async (name: string) => {
  const found = await button(name);
  await waitFor(() => expect(found.disabled).toBe(false), { timeout: 5_000 });
  return found;
};

async function ask(question: InteractionQuestion) {
  const app = openApp("/inbox");
  await heading("Nothing is waiting");
  act(() => app.host.inbox.ask([asked(90, 5, question, 0)]));
  await button(/^Decline/);
  return app;
}

describe("a server that gives no reason", () => {
  it.each([
    ["a form", "inbox_edges", 83],
    ["an address", "inbox_edges", 89],
  ] as const)("has no frame for it: %s", async (_, scene, id) => {
    openApp(`/inbox?id=${id}`, scene);
    await screen.findByText("The server gives no reason.");
    expect(screen.queryByText(/^Text in the frame/)).toBeNull();
    expect(screen.queryByText("–")).toBeNull();
  });
  it.each([null, ""])("says nothing about a tool either: %j", async (description) => {
    await ask({ ...createIssue, title: null, description });
    await screen.findByText("The server doesn’t describe this tool.");
    expect(screen.queryByText(/^Text in the frame/)).toBeNull();
  });
  it("has its words in a frame where it gives one", async () => {
    openApp("/inbox?id=31", "inbox_url");
    expect((await screen.findByText(/^Authorise the payment/)).closest("[data-theirs]")).not.toBeNull();
    screen.getByText(/^Text in the frame comes from the server and isn’t verified\./);
    expect(screen.queryByText("The server gives no reason.")).toBeNull();
  });
});

describe("a model's answer", () => {
  it("that is empty has no frame, and cannot be handed over", async () => {
    await ask({ ...answer, content: [] });
    await screen.findByText(/^The model’s answer is empty\./);
    expect(screen.queryByText(/^Text in the frame/)).toBeNull();
    expect(screen.queryByText("–")).toBeNull();
    expect(screen.queryByRole("button", { name: "Edit" })).toBeNull();
    expect((await button("Send answer")).disabled).toBe(true);
  });
  it("that was changed is no longer the model's alone", async () => {
    const { user } = await ask(answer);
    screen.getByText(/^Text in the frame comes from a model\./);
    await user.click(await button("Edit"));
    await user.type(screen.getByRole("textbox", { name: "Answer" }), " Take care.");
    screen.getByText(/^Text in the frame comes from a model, with your changes\./);
    expect(screen.queryByText(/^Text in the frame comes from a model\./)).toBeNull();
  });
  it("that the budget has no room for is not asked for again until that is raised", async () => {
    const { host } = openApp("/inbox?id=54", "inbox_answer");
    const notice = within(await screen.findByRole("alert"));
    notice.getByText(/Raise the budget in Models, or decline\./);
    notice.getByRole("link", { name: "Open Models" });
    expect(notice.queryByRole("button", { name: "Try again" })).toBeNull();
    await act(() => host.models.allow({ server: 2, enabled: true, requestsPerMinute: null, tokensPerDay: 900_000, costPerDay: "5" }));
    await notice.findByRole("button", { name: "Try again" });
  });
  it("knows a spent budget by sentences that the host has", () => {
    for (const code of Object.keys(usedUp)) expect(chinese).toHaveProperty([code]);
  });
});

describe("what may mislead in a URL", () => {
  it("is ranked by sentences that the host has", () => {
    expect(gravest.length).toBeGreaterThan(0);
    for (const code of gravest) expect(chinese).toHaveProperty([code]);
  });
});

describe("what a server claims of a tool", () => {
  it("is only what it says in so many words", async () => {
    await ask({ ...createIssue, hints: { readOnly: null, destructive: null, idempotent: null, openWorld: false } });
    expect(
      within(screen.getByRole("list", { name: "The server says:" }))
        .getAllByRole("listitem")
        .map((item) => item.textContent),
    ).toEqual(["Local only"]);
  });
  it("is nothing where it says nothing", async () => {
    await ask({ ...createIssue, hints: { readOnly: null, destructive: null, idempotent: null, openWorld: null } });
    screen.getByText(/Assume it can change or delete data/);
    expect(screen.queryByRole("list", { name: "The server says:" })).toBeNull();
  });
});

describe("what leaves for a model", () => {
  it("is out of sight in no frame that scrolls, and is the person's too once it is changed", async () => {
    const { user } = await ask(review);
    const frame = screen.getByRole("group", { name: "docs-search" });
    const tools = screen.getByRole("list", { name: "Tools offered to the model", hidden: true });
    for (const element of [frame, tools]) expect(element.className).not.toMatch(/max-h|overflow/);
    screen.getByText(/^Text in the frame comes from the server and isn’t verified\./);
    await user.click(await button("Edit"));
    await user.type(screen.getByRole("textbox", { name: "Answer limit" }), "0");
    screen.getByText(/^Text in the frame comes from the server and isn’t verified\./);
    await user.type(screen.getByRole("textbox", { name: "System" }), " Be kind.");
    screen.getByText(/^Text in the frame comes from the server, with your changes,/);
  });
  it("has its limit with a unit", async () => {
    const { user } = await ask(review);
    screen.getByText("1,000 tokens");
    await user.click(await button("Edit"));
    screen.getByText("tokens");
  });
});

describe("the queue", () => {
  it("says of an address that is never opened that it is not", async () => {
    openApp("/inbox?id=31", "inbox_url");
    const list = await screen.findByRole("list", { name: "Waiting questions" });
    const row = within(list).getByRole("button", { name: /javascript:alert/ });
    expect(row.textContent).toMatch(/^Blocked: javascript:alert/);
    expect(row.querySelector("svg")?.getAttribute("class")).toContain("lucide-shield-x");
    expect(
      within(list)
        .getByRole("button", { name: /^Open example\.co\.uk/ })
        .querySelector("svg")
        ?.getAttribute("class"),
    ).toContain("lucide-link");
  });
});

describe("an answer that nobody waits for any more", () => {
  it("can be given no more, and leads on", async () => {
    const { user, host } = openApp("/inbox?id=11", "inbox");
    await armed("Allow once");
    host.inbox.refuses = { code: "not_waiting", message: "this question is no longer waiting" };
    await user.click(await button("Allow once"));
    await waitFor(() => expect(screen.getByRole("alert").textContent).toMatch(/no longer needs an answer/));
    for (const name of [/^Allow once/, /^Decline/, /^Cancel/]) expect(screen.queryByRole("button", { name })).toBeNull();
    expect(screen.getByRole<HTMLButtonElement>("radio", { name: "Always" }).disabled).toBe(true);
    const tries = () => host.sent.filter((item) => item.name === "answer_interaction").length;
    const before = tries();
    await user.keyboard("{Control>}{Enter}{Backspace}{/Control}");
    expect(tries()).toBe(before);
    await user.click(await button("Continue"));
    await heading(/Send the model’s answer to “ demo ”/);
  });
});

describe("a decision about something without a name", () => {
  it.each(["", " "])("says what kind it was: %j", async (subject) => {
    const { host } = openApp("/inbox");
    host.inbox.decisions = host.inbox.decisions.slice(0, 1).map((decision) => ({ ...decision, kind: "sampling", subject }));
    const row = (await screen.findByText(/^(allowed|sent|shared|opened|declined|cancelled|withdrawn|expired|ignored) /)).closest("li");
    expect(row?.textContent).toMatch(/^Use a model/);
  });
});

describe("decisions that could not be read", () => {
  it("are read again", async () => {
    const { user, host } = openApp("/inbox", "inbox_undecided");
    host.inbox.waiting = [];
    const failed = within((await screen.findByText("Couldn’t load the decisions.")).closest<HTMLElement>("[role=alert]")!);
    Object.assign(host, { scene: "inbox" });
    await user.click(failed.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(screen.queryByText("Couldn’t load the decisions.")).toBeNull());
    expect(screen.getAllByText(/^(allowed|sent|shared)/).length).toBeGreaterThan(0);
  });
});
