// What can be set on the Models screen. Failures become a message; what was there before comes back.
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { ModelsView } from "@/ipc/bindings/ModelsView";
import type { RouteRule } from "@/ipc/bindings/RouteRule";
import type { SamplingPolicy } from "@/ipc/bindings/SamplingPolicy";
import { call } from "@/ipc/bridge";
import { models } from "@/ipc/queries";
import { errorText } from "@/lib/error-text";
import { toast } from "@/lib/toasts";

export function useModelActions() {
  const { t } = useTranslation("models");
  const client = useQueryClient();
  const { queryKey } = models();
  /** Shows `next` at once, and what the host made of it when it answers. */
  const set = async (next: (now: ModelsView) => ModelsView, work: () => Promise<ModelsView>): Promise<void> => {
    const before = client.getQueryData(queryKey);
    if (before) client.setQueryData(queryKey, next(before));
    try {
      client.setQueryData(queryKey, await work());
    } catch (error) {
      if (before) client.setQueryData(queryKey, before);
      toast({ text: errorText(error), tone: "bad" });
      await client.invalidateQueries({ queryKey });
    }
  };
  const route = (routes: RouteRule[]) => set((now) => ({ ...now, routes }), () => call("set_routes", { routes }));
  return {
    route,
    removeRoute: async (routes: readonly RouteRule[], at: number) => {
      await route(routes.filter((_, index) => index !== at));
      toast({ text: t("routes.removed"), action: { label: t("undo", { ns: "common" }), run: () => void route([...routes]) } });
    },
    allow: (policy: SamplingPolicy) =>
      set((now) => ({ ...now, servers: now.servers.map((item) => (item.policy.server === policy.server ? { ...item, policy } : item)) }), () => call("set_sampling", { policy })),
    forget: (id: number) => set((now) => now, () => call("forget_sampling", { id })),
    removeProvider: async (id: number) => {
      try {
        await call("remove_provider", { id });
      } catch (error) {
        toast({ text: errorText(error), tone: "bad" });
      } finally {
        await client.invalidateQueries({ queryKey });
      }
    },
  };
}

export type ModelActions = ReturnType<typeof useModelActions>;
