import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { TooltipProvider } from "@/components/tooltip";
import type { ToolView } from "@/ipc/bindings/ToolView";
import type { Run } from "../runs";
import { StructuredTab } from "./structured-tab";

const schema = JSON.stringify({
  type: "object",
  properties: { city: { type: "string" }, berths: { type: "integer" } },
  required: ["city"],
});
const tool = (outputSchema: string | null): ToolView => ({
  name: "berths",
  title: null,
  description: null,
  inputSchema: null,
  outputSchema,
  annotations: null,
  raw: "{}",
  diagnostics: [],
});
const run = (result: string): Run => ({
  id: "1",
  server: 1,
  serverName: "harbour",
  target: { kind: "tool", name: "berths" },
  args: "{}",
  uri: null,
  startedAt: 0,
  state: "done",
  progress: null,
  log: [],
  logDropped: 0,
  forgotten: false,
  outcome: { status: "ok", result, error: null, diagnostics: [], elapsedMs: 1, bytes: result.length },
});
const show = (result: string, outputSchema: string | null) =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <TooltipProvider>
        <StructuredTab run={run(result)} tool={tool(outputSchema)} />
      </TooltipProvider>
    </QueryClientProvider>,
  );

// Requirements: TOOL-17.
it("says where structured content does not fit what the tool promised", async () => {
  show('{"content":[],"structuredContent":{"berths":"many"}}', schema);
  const misfits = within(await screen.findByRole("group", { name: "Protocol problems" }));
  misfits.getByText("This result doesn’t match the tool’s output schema in 2 places.");
  expect(misfits.getAllByRole("listitem").map((item) => item.firstChild?.textContent)).toEqual(expect.arrayContaining(["city", "berths"]));
});

// Requirements: TOOL-17.
it.each([
  ['{"content":[],"structuredContent":{"city":"Rotterdam","berths":412}}', schema, 0],
  ['{"content":[],"structuredContent":{"berths":"many"}}', null, 0],
])("has nothing to say of %s", (result, promised, misfits) => {
  show(result, promised);
  expect(screen.queryAllByRole("group", { name: "Protocol problems" }).length).toBe(misfits);
  expect(screen.queryByText("No structured content")).toBeNull();
});

// Requirements: TOOL-17.
it("says that promised content is missing", () => {
  show('{"content":[]}', schema);
  screen.getByText("This tool has an output schema, but the answer has no structured content.");
});
