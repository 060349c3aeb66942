import { QueryClient } from "@tanstack/react-query";
import { beforeEach, expect, it, vi } from "vitest";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { ToolView } from "@/ipc/bindings/ToolView";
import { servers, tools } from "@/ipc/queries";
import { argumentsOf, newDraft } from "@/components/form/draft";
import { compileSchema } from "@/lib/schema/compile";
import { jsonString } from "@/lib/schema/json";
import { changeDraft, forgetDrafts } from "../args/drafts";
import { modelOf } from "../session";
import { placesFor, putValue } from "./use-places";

vi.mock(import("@/lib/schema/compile"), async (original) => {
  const known = await original();
  return { ...known, compileSchema: vi.fn(known.compileSchema) };
});

beforeEach(forgetDrafts);

const schema = (title: string) => JSON.stringify({ type: "object", title, properties: { text: { type: "string" } } });
const target = { kind: "tool", name: "echo" } as const;
const server = { id: 1, name: "demo" } as ServerView;

it("reads the schemas of those places alone that are offered", () => {
  const client = new QueryClient();
  const list = Array.from({ length: 500 }, (_, at) => ({ name: `tool${at}`, inputSchema: schema(`tool${at}`) }) as ToolView);
  client.setQueryData(servers().queryKey, [server]);
  client.setQueryData(tools(1).queryKey, { tools: list } as never);
  expect(placesFor(client, [], 1, target)).toHaveLength(200);
  expect(vi.mocked(compileSchema)).toHaveBeenCalledTimes(200);
});

it("puts a value in to be sent as it is", () => {
  const model = modelOf(schema("echo"));
  putValue({ key: "", server, target, names: ["text"], model }, "text", jsonString("Ahoy {{ship}}"));
  const draft = changeDraft(1, "echo", model, (now) => now);
  expect(draft).not.toEqual(newDraft(model));
  expect(argumentsOf(draft)).toBe(JSON.stringify({ text: String.raw`Ahoy \{{ship}}` }));
});
