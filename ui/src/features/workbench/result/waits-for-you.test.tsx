import { asked, createIssue } from "@dev/mock/inbox-questions";
import { signUp } from "@dev/mock/inbox-forms";
import { reset } from "@dev/mock-bridge";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from "@tanstack/react-router";
import { render, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import { inbox } from "@/ipc/queries";
import type { Run } from "../runs";
import { WaitsForYou } from "./waits-for-you";

const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() });

/** What a call of `create_issue` in the Workbench says while this is asked, with that caller. */
async function banner(question: InteractionQuestion, caller: string | null) {
  const host = reset("empty");
  const occasion = { ...asked(1, 2, question, 0).occasion, method: "tools/call", subject: "create_issue", caller };
  host.inbox.ask([asked(71, 2, question, 0, { occasion })]);
  const client = new QueryClient();
  const run = { server: 2, target: { kind: "tool", name: "create_issue" }, state: "running" } as Run;
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

describe("a call in the Workbench that waits", () => {
  it("wants the person's approval, which no server asks for", async () => {
    expect(await banner(createIssue, "workbench")).toBe("Waiting for you: approve this callReview in Inbox");
    expect(screen.getByRole("link", { name: "Review in Inbox" }).getAttribute("href")).toBe("/inbox?id=71");
  });
  it("says which server asks something meanwhile", async () => {
    expect(await banner(signUp, "workbench")).toBe("Waiting for you: “github” asks you to fill in a formAnswer in Inbox");
  });
  it("does not wait for the call that a model makes of the same tool", async () => {
    expect(await banner(createIssue, "sampling")).toBeNull();
  });
});
