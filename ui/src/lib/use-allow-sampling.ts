// Lets a server use models, or not. Shown immediately, and reverted if it fails.
import { useQueryClient } from "@tanstack/react-query";
import type { SamplingPolicy } from "@/ipc/bindings/SamplingPolicy";
import { models } from "@/ipc/queries";
import { shownAtOnce, useCommand } from "./use-command";

export function useAllowSampling() {
  const client = useQueryClient();
  const { run } = useCommand();
  return (policy: SamplingPolicy) =>
    run(
      "set_sampling",
      { policy },
      shownAtOnce(client, models().queryKey, (now) => ({
        ...now,
        servers: now.servers.map((item) => (item.policy.server === policy.server ? { ...item, policy } : item)),
      })),
    );
}
