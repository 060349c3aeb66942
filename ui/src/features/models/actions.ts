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
  /** Shows `next` at once, and what the host made of it when it answers. Tells whether the host took it. */
  const set = async (next: (now: ModelsView) => ModelsView, work: () => Promise<ModelsView>): Promise<boolean> => {
    const before = client.getQueryData(queryKey);
    if (before) client.setQueryData(queryKey, next(before));
    try {
      client.setQueryData(queryKey, await work());
      return true;
    } catch (error) {
      if (before) client.setQueryData(queryKey, before);
      toast({ text: errorText(error), tone: "bad" });
      await client.invalidateQueries({ queryKey });
      return false;
    }
  };
  const route = (routes: RouteRule[]) =>
    set(
      (now) => ({ ...now, routes }),
      () => call("set_routes", { routes }),
    );
  return {
    route,
    removeRoute: async (routes: readonly RouteRule[], at: number) => {
      const removed = routes.slice(at, at + 1);
      const left = routes.toSpliced(at, 1);
      if (!(await route(left))) return;
      // The table as it is then: what was changed after the removal stays.
      const undo = () => {
        const now = client.getQueryData(queryKey)?.routes ?? left;
        void route(now.toSpliced(Math.min(at, now.length), 0, ...removed));
      };
      toast({ text: t("routes.removed"), action: { label: t("undo", { ns: "common" }), run: undo } });
    },
    allow: (policy: SamplingPolicy) =>
      set(
        (now) => ({ ...now, servers: now.servers.map((item) => (item.policy.server === policy.server ? { ...item, policy } : item)) }),
        () => call("set_sampling", { policy }),
      ),
    forget: (id: number) =>
      set(
        (now) => now,
        () => call("forget_sampling", { id }),
      ),
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
