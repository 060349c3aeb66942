// Finds the selected spot of a server, as far as it is known.
import { useQuery } from "@tanstack/react-query";
import type { PromptView } from "@/ipc/bindings/PromptView";
import type { ResourceView } from "@/ipc/bindings/ResourceView";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { TemplateView } from "@/ipc/bindings/TemplateView";
import type { ToolView } from "@/ipc/bindings/ToolView";
import { prompts, resources, tools } from "@/ipc/queries";
import { errorText } from "@/lib/error-text";
import type { Spot, Target } from "./target";
import { isConnected } from "./tree/tree-rows";
import { offered } from "./tree/tree-state";

/** An item that can be run, read or got. */
export type Runnable =
  | { readonly kind: "tool"; readonly target: Target; readonly tool: ToolView }
  /** A linked resource may not be in the list. */
  | { readonly kind: "resource"; readonly target: Target; readonly resource: ResourceView | null }
  | { readonly kind: "template"; readonly target: Target; readonly template: TemplateView }
  | { readonly kind: "prompt"; readonly target: Target; readonly prompt: PromptView };

type Offer =
  | Runnable
  | { readonly kind: "tasks" }
  | { readonly kind: "loading" }
  | { readonly kind: "gone"; readonly target: Target }
  /** Nothing is selected, or it can't be used. */
  | { readonly kind: "server"; readonly unread: Unread | null };

/** Why a server's list could not be read, and whether other lists could be or are loading. */
export interface Unread {
  readonly why: string;
  readonly part: boolean;
}

export function useOffer(server: ServerView | undefined, spot: Spot | undefined): Offer {
  const id = server?.id ?? -1;
  const up = server !== undefined && isConnected(server.state);
  const kind = spot?.kind;
  // Without a selected item, all lists count, as in the tree.
  const has = (what: "tools" | "resources" | "prompts") => kind === undefined && server !== undefined && offered(server, what);
  const asks = {
    tools: up && (kind === "tool" || has("tools") || (kind === undefined && !has("resources") && !has("prompts"))),
    resources: up && (kind === "resource" || kind === "template" || has("resources")),
    prompts: up && (kind === "prompt" || has("prompts")),
  };
  const ofTools = useQuery({ ...tools(id), enabled: asks.tools });
  const ofResources = useQuery({ ...resources(id), enabled: asks.resources });
  const ofPrompts = useQuery({ ...prompts(id), enabled: asks.prompts });
  // Nothing is said about the whole while a list is loading.
  const part = [ofTools, ofResources, ofPrompts].some((list) => list.data !== undefined || list.isLoading);
  const unread = (error: Error | null | undefined) => (error == null ? null : { why: errorText(error), part });
  if (spot === undefined) {
    const asked = [asks.tools ? ofTools : null, asks.resources ? ofResources : null, asks.prompts ? ofPrompts : null];
    return { kind: "server", unread: unread(asked.find((list) => list?.isError === true && list.data === undefined)?.error) };
  }
  if (spot.kind === "tasks") return { kind: "tasks" };
  const list = spot.kind === "tool" ? ofTools : spot.kind === "prompt" ? ofPrompts : ofResources;
  // A URI can be read even without the list.
  if (spot.kind === "resource" && (list.data !== undefined || list.isError)) {
    return { kind: "resource", target: spot, resource: ofResources.data?.resources.find((item) => item.uri === spot.name) ?? null };
  }
  if (list.data === undefined) return list.error === null && up ? { kind: "loading" } : { kind: "server", unread: unread(list.error) };
  if (spot.kind === "tool") {
    const tool = ofTools.data?.tools.find((item) => item.name === spot.name);
    return tool === undefined ? { kind: "gone", target: spot } : { kind: "tool", target: spot, tool };
  }
  if (spot.kind === "prompt") {
    const prompt = ofPrompts.data?.prompts.find((item) => item.name === spot.name);
    return prompt === undefined ? { kind: "gone", target: spot } : { kind: "prompt", target: spot, prompt };
  }
  const template = ofResources.data?.templates.find((item) => item.uriTemplate === spot.name);
  return template === undefined ? { kind: "gone", target: spot } : { kind: "template", target: spot, template };
}
