// Reloads a list of a server's offers.
import { useQueryClient } from "@tanstack/react-query";
import { prompts, resources, tools } from "@/ipc/queries";
import { useCommand } from "@/lib/use-command";

/** The command that lists each kind. */
export const listOf = { tool: "list_tools", resource: "list_resources", template: "list_resources", prompt: "list_prompts" } as const;

const queries = { list_tools: tools, list_resources: resources, list_prompts: prompts };

export function useReload(id: number, list: keyof typeof queries): { busy: boolean; reload: () => void } {
  const client = useQueryClient();
  const { busy, run } = useCommand();
  const { queryKey } = queries[list](id);
  return {
    busy,
    reload: () => void run(list, { id, refresh: true }, { done: (answer) => client.setQueryData(queryKey as readonly unknown[], answer) }),
  };
}
