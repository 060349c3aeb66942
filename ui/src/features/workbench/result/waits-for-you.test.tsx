import "@/features/inbox/answer-in-place";
import "../workbench-screen";
import { holdTime, pass } from "@dev/clock";
import { signUp } from "@dev/mock/inbox-forms";
import { asked, createIssue } from "@dev/mock/inbox-questions";
import { openApp } from "@dev/render";
import { reset } from "@dev/mock-bridge";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from "@tanstack/react-router";
import { render, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import { inbox } from "@/ipc/queries";
import { shownInPlace } from "@/lib/answer-place";
import { forgetRuns, type Run } from "../runs";
import { WaitsForYou } from "./waits-for-you";

const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() });
const RUN = "the-run";

/** What a call of `create_issue` in the Workbench says while this is asked, because of that call or another. */
async function banner(question: InteractionQuestion, of: Partial<InteractionView["occasion"]>) {
  const host = reset("empty");
  const occasion = { ...asked(1, 2, question, 0).occasion, method: "tools/call", subject: "create_issue", ...of };
  host.inbox.ask([asked(71, 2, question, 0, { occasion })]);
  const client = new QueryClient();
  const run = { id: RUN, server: 2, target: { kind: "tool", name: "create_issue" }, state: "running" } as Run;
  render(
    <QueryClientProvider client={client}>
      <RouterContextProvider router={router}>
        <WaitsForYou run={run} />
      </RouterContextProvider>
    </QueryClientProvider>,
  );
  await waitFor(() => expect(client.getQueryData(inbox().queryKey)).toBeDefined());
  return screen.queryByRole("status")?.textContent ?? null;
}

// Whole screens on a busy machine take their time.
vi.setConfig({ testTimeout: 60_000 });

beforeEach(() => {
  forgetRuns();
  // The page of the tests has no layout; lists that draw only what is in sight need a height.
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(4_000);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(400);
});

describe("a call in the Workbench that waits", () => {
  it("wants the person's approval, which no server asks for", async () => {
    expect(await banner(createIssue, { caller: "workbench", requests: [RUN] })).toBe("Waiting for you: approve this callReview in Inbox");
    expect(screen.getByRole("link", { name: "Review in Inbox" }).getAttribute("href")).toBe("/inbox?id=71");
  });
  it("says which server asks something meanwhile", async () => {
    expect(await banner(signUp, { caller: "workbench", requests: ["another", RUN] })).toBe(
      "Waiting for you: “github” asks you to fill in a formAnswer in Inbox",
    );
  });
  it("is known by what it calls once it goes on in the background", async () => {
    expect(await banner(signUp, {})).toContain("fill in a form");
  });
  it("does not wait for another call of the same tool", async () => {
    expect(await banner(createIssue, { caller: "sampling" })).toBeNull();
    expect(await banner(createIssue, { caller: "workbench", requests: ["another"] })).toBeNull();
  });
});

describe("a question under the call that waits for it", () => {
  /** A call of a tool that a question of this kind belongs to, as it stands then. */
  async function waits(question: InteractionQuestion) {
    const app = openApp("/workbench?server=10");
    const { user, host, router } = app;
    host.servers = host.servers.map((item) => (item.id === 10 ? { ...item, state: "ready", toolCount: 13 } : item));
    await router.navigate({ to: "/workbench", search: { server: 10, tool: "echo" } });
    const field = await screen.findByRole("textbox", { name: "text" });
    await user.type(field, "Ahoy");
    // The call does not end before the question does.
    const call = vi.spyOn(host, "call_tool").mockImplementation(() => new Promise(() => undefined));
    await user.click(await screen.findByRole("button", { name: /^Run/ }));
    const callId = await waitFor(() => {
      const sent = call.mock.calls[0]?.[0];
      expect(sent).toBeDefined();
      return sent!.callId;
    });
    const occasion = {
      ...asked(1, 10, question, 0).occasion,
      method: "tools/call",
      subject: "echo",
      caller: "workbench",
      requests: [callId],
    };
    field.focus();
    host.inbox.ask([asked(71, 10, question, 0, { occasion })]);
    await screen.findByRole("heading", { level: 2, name: /Run create_issue on/ });
    return { ...app, field };
  }

  it("leaves the focus where somebody types, and is entered with A", async () => {
    const { user, field } = await waits(createIssue);
    const region = await screen.findByRole("region", { name: /Run create_issue on/ });
    expect(document.activeElement).toBe(field);
    expect(shownInPlace.has(71)).toBe(true);
    // No message leads away from what is in sight.
    expect(screen.queryByRole("button", { name: "Open Inbox" })).toBeNull();
    field.blur();
    await user.keyboard("a");
    expect(region.contains(document.activeElement)).toBe(true);
  });

  it("is approved by key only from within, a second after it came", async () => {
    holdTime();
    const { user, host, field } = await waits(createIssue);
    const region = await screen.findByRole("region", { name: /Run create_issue on/ });
    const yes = within(region).getByRole<HTMLButtonElement>("button", { name: /Allow once/ });
    expect(yes.disabled).toBe(true);
    await pass(1_100);
    await waitFor(() => expect(yes.disabled).toBe(false));
    field.focus();
    await user.keyboard("{Control>}{Enter}{Backspace}{/Control}");
    expect(host.sent.filter(({ name }) => name === "answer_interaction")).toEqual([]);
    within(region).getByRole("heading", { level: 2 }).focus();
    await user.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(host.inbox.accepted).toHaveLength(1));
    await waitFor(() => expect(screen.queryByRole("region", { name: /Run create_issue on/ })).toBeNull());
  });
});
