import "@/features/inbox/answer-in-place";
import "./workbench-screen";
import { field, signUp } from "@dev/mock/inbox-forms";
import { asked, createIssue } from "@dev/mock/inbox-questions";
import { openApp } from "@dev/render";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from "@tanstack/react-router";
import { render, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import { shownInPlace } from "@/lib/answer-place";
import { forgetRuns, type Run } from "./runs";
import { askedOf, QuestionColumn } from "./waits-for-you";

const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() });
const RUN = "the-run";

/** What a Workbench call of `create_issue` shows during this question, because of that call or another. */
function banner(question: InteractionQuestion, of: Partial<InteractionView["occasion"]>) {
  const occasion = { ...asked(1, 2, question, 0).occasion, method: "tools/call", subject: "create_issue", ...of };
  const run = { id: RUN, server: 2, target: { kind: "tool", name: "create_issue" }, state: "running" } as Run;
  render(
    <QueryClientProvider client={new QueryClient()}>
      <RouterContextProvider router={router}>
        <QuestionColumn asked={askedOf([asked(71, 2, question, 0, { occasion })], [run])}>the form</QuestionColumn>
      </RouterContextProvider>
    </QueryClientProvider>,
  );
  expect(screen.getAllByText("the form")).not.toEqual([]);
  return screen.queryByRole("status")?.textContent ?? null;
}

// Whole screens are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

beforeEach(() => {
  forgetRuns();
  // Tests have no layout, and lists that only draw visible rows need a height.
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(4_000);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(400);
});

describe("a call in the Workbench that waits", () => {
  it("wants the person's approval, which no server asks for", () => {
    expect(banner(createIssue, { caller: "workbench", requests: [RUN] })).toBe("Waiting for you: approve this callReview in Inbox");
    expect(screen.getByRole("link", { name: "Review in Inbox" }).getAttribute("href")).toBe("/inbox?id=71");
  });
  it("says which server asks something meanwhile", () => {
    expect(banner(signUp, { caller: "workbench", requests: ["another", RUN] })).toBe(
      "Waiting for you: “github” asks you to fill in a formAnswer in Inbox",
    );
  });
  it("is known by what it calls once it goes on in the background", () => {
    expect(banner(signUp, {})).toContain("fill in a form");
  });
  it("does not wait for another call of the same tool", () => {
    expect(banner(createIssue, { caller: "sampling" })).toBeNull();
    expect(banner(createIssue, { caller: "workbench", requests: ["another"] })).toBeNull();
  });
});

describe("a question in place of what the call was filled in with", () => {
  /** Runs a tool call with the keyboard, which causes this question. */
  async function waits(question: InteractionQuestion, typedMeanwhile = false) {
    const app = openApp("/workbench?server=10");
    const { user, host, router } = app;
    host.servers = host.servers.map((item) => (item.id === 10 ? { ...item, state: "ready", toolCount: 13 } : item));
    await router.navigate({ to: "/workbench", search: { server: 10, tool: "echo" } });
    const field = await screen.findByRole("textbox", { name: "text" });
    await user.type(field, "Ahoy");
    // The call doesn't end before the question.
    const call = vi.spyOn(host, "call_tool").mockImplementation(() => new Promise(() => undefined));
    await user.keyboard("{Control>}{Enter}{/Control}");
    const callId = await waitFor(() => {
      const sent = call.mock.calls[0]?.[0];
      expect(sent).toBeDefined();
      return sent!.callId;
    });
    if (typedMeanwhile) {
      await new Promise((done) => {
        setTimeout(done, 5);
      });
      await user.type(field, "!");
    }
    const occasion = {
      ...asked(1, 10, question, 0).occasion,
      method: "tools/call",
      subject: "echo",
      caller: "workbench",
      requests: [callId],
    };
    host.inbox.ask([asked(71, 10, question, 0, { occasion })]);
    return { ...app, field };
  }
  const theForm = () => screen.queryByRole("textbox", { name: "text" });
  const inColumn = () => document.activeElement?.matches("[data-question-column]");

  it("has the column for itself, with one way to the Inbox, and is entered with A", async () => {
    const { user } = await waits(createIssue);
    const region = await screen.findByRole("region", { name: /Run create_issue on/ });
    expect(theForm()).toBeNull();
    expect(screen.getAllByRole("link", { name: /Inbox$/ }).filter((link) => link.textContent !== "Inbox")).toHaveLength(1);
    expect(shownInPlace.has(71)).toBe(true);
    // No message about a visible question.
    expect(screen.queryByRole("button", { name: "Open Inbox" })).toBeNull();
    // The focus stays outside of the question, so its keys don't work.
    await waitFor(() => expect(inColumn()).toBe(true));
    expect(region.contains(document.activeElement)).toBe(false);
    await user.keyboard("a");
    expect(document.activeElement).toBe(within(region).getByRole("heading", { level: 2 }));
  });

  it("leaves the form to somebody who goes on typing, until they turn to it", async () => {
    const { user, field } = await waits(createIssue, true);
    const turn = await screen.findByRole("button", { name: /^Answer here/ });
    expect(document.activeElement).toBe(field);
    expect(screen.queryByRole("region", { name: /Run create_issue on/ })).toBeNull();
    await user.click(turn);
    const region = await screen.findByRole("region", { name: /Run create_issue on/ });
    await waitFor(() => expect(region.contains(document.activeElement)).toBe(true));
    expect(theForm()).toBeNull();
  });

  it("is approved by key only from within, a second after it came", async () => {
    const { user, host } = await waits(createIssue);
    const region = await screen.findByRole("region", { name: /Run create_issue on/ });
    const yes = within(region).getByRole<HTMLButtonElement>("button", { name: /Allow once/ });
    expect(yes.disabled).toBe(true);
    await waitFor(() => expect(yes.disabled).toBe(false), { timeout: 5_000 });
    await waitFor(() => expect(inColumn()).toBe(true));
    await user.keyboard("{Control>}{Enter}{Backspace}{/Control}");
    expect(host.sent.filter(({ name }) => name === "answer_interaction")).toEqual([]);
    await user.keyboard("a{Control>}{Enter}{/Control}");
    await waitFor(() => expect(host.inbox.accepted).toHaveLength(1));
    await waitFor(() => expect(theForm()).not.toBeNull());
    expect(document.activeElement?.getAttribute("role")).toBe("tabpanel");
  });

  it("is a form that is filled in, reviewed and sent without the mouse", async () => {
    const ship = field("ship", { kind: "text", minLength: 1, maxLength: null, pattern: null, format: null }, { required: true });
    const pin = field("pin", { kind: "text", minLength: null, maxLength: null, pattern: null, format: null }, { looksSecret: true });
    const { user, host } = await waits({ ...signUp, fields: [ship, pin], oddities: [] });
    await screen.findByRole("region", { name: /asks you to fill in a form/ });
    await waitFor(() => expect(inColumn()).toBe(true));
    await user.keyboard("a");
    expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "ship" }));
    await user.keyboard("Fair Wind{Control>}{Enter}{/Control}");
    // Leaving out a secret marks nothing as wrong.
    const send = await screen.findByRole<HTMLButtonElement>("button", { name: /^Send$/ });
    expect(send.dataset["danger"]).toBeUndefined();
    await waitFor(() => expect(send.disabled).toBe(false), { timeout: 5_000 });
    await user.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(host.inbox.accepted).toHaveLength(1));
    expect(host.inbox.accepted[0]!.answer).toMatchObject({ content: '{"ship":"Fair Wind"}' });
    await waitFor(() => expect(document.activeElement?.getAttribute("role")).toBe("tabpanel"));
  });
});
