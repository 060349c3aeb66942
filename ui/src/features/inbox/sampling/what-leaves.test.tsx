// The first review shows everything that is sent to a model, and the second everything that is sent to a server.
import "@/features/inbox/inbox-screen";
import { answer, review } from "@dev/mock/inbox-sampling";
import { asked } from "@dev/mock/inbox-questions";
import { openApp } from "@dev/render";
import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import { BlockView } from "./block-view";

const told = "Reads the log of the harbour. ".repeat(40);
const tool = (at: number) =>
  JSON.stringify({
    name: `tool_${at}`,
    description: `${told}The end of ${at}.`,
    inputSchema: { type: "object", properties: { [`argument_${at}`]: { type: "string", description: "hid\u202Eden" } } },
  });

async function ask(question: InteractionQuestion) {
  const { user, host } = openApp("/inbox");
  await screen.findByRole("heading", { level: 2, name: "Nothing is waiting" });
  act(() => host.inbox.ask([asked(90, 5, question, 0)]));
  await screen.findByRole("heading", { level: 2, name: /docs-search/ });
  return user;
}

describe("what leaves for a model", () => {
  // Requirements: SAMP-02, SAMP-03.
  it("has every tool, each with all that is said of it and what it takes", async () => {
    const user = await ask({ ...review, tools: Array.from({ length: 125 }, (_, at) => tool(at)) });
    const last = screen.getByText("tool_124").closest("li");
    expect(last?.textContent).toContain("The end of 124.");
    expect(screen.getAllByRole("button", { name: "Input schema", hidden: true })).toHaveLength(125);
    expect(document.body.textContent).not.toContain("argument_124");
    const open = last?.querySelector("button");
    expect(document.getElementById(open?.getAttribute("aria-describedby") ?? "")?.textContent).toBe("tool_124");
    await user.click(open!);
    expect(open?.getAttribute("aria-expanded")).toBe("true");
    const schema = last?.querySelector("pre[data-theirs]");
    expect(schema?.textContent).toContain('"argument_124": {');
    expect(schema?.textContent).toContain("hidU+202Eden");
  });
  it("has the structured content of a tool's answer, and the digits as they are written", async () => {
    const block =
      '{"type":"tool_result","toolUseId":"t1","content":[],"structuredContent":{"berth":"north-2","fee":12345678901234567890.10}}';
    await ask({ ...review, messages: [{ role: "user", content: [block] }] });
    const frame = screen.getByText(/tool result/).closest("[data-theirs]");
    expect(frame?.textContent).toContain('"structuredContent": {');
    expect(frame?.textContent).toContain('"fee": 12345678901234567890.10');
    expect(frame?.textContent).toContain('"toolUseId": "t1"');
  });
  it("has every text that the answer stops at, whole", async () => {
    const stopSequences = Array.from({ length: 16 }, (_, at) => `${"stop ".repeat(20)}${at}`);
    await ask({ ...review, stopSequences });
    for (const stop of stopSequences) expect(document.body.textContent).toContain(JSON.stringify(stop));
  });
  it("marks how much of a very long text is not laid out yet, and lays it out", async () => {
    const user = userEvent.setup();
    const { container } = render(
      <BlockView
        raw={JSON.stringify({ type: "tool_use", id: "t1", name: "write_log", input: { text: `${"x".repeat(60_000)}the end` } })}
        label="User 1"
      />,
    );
    expect(container.textContent).not.toContain("the end");
    await user.click(screen.getByRole("button", { name: /^Show more \(.+ KiB left\)$/ }));
    expect(container.textContent).toContain("the end");
    expect(screen.queryByRole("button")).toBeNull();
  });
});

describe("what a server gets of a model", () => {
  // Requirements: SAMP-02, SAMP-03.
  it("has all of a tool's use", async () => {
    await ask({
      ...answer,
      content: [
        JSON.stringify({
          type: "tool_use",
          id: "t2",
          name: "berth_state",
          input: { berth: "north-2" },
          _meta: { mark: "from the provider" },
        }),
      ],
    });
    const frame = screen.getByText(/^called/).closest("[data-theirs]");
    for (const part of ['"id": "t2"', '"berth": "north-2"', '"mark": "from the provider"']) expect(frame?.textContent).toContain(part);
  });
});
