// Actions of the Models screen. A failure shows a message and restores the previous state.
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { ModelsView } from "@/ipc/bindings/ModelsView";
import type { RouteRule } from "@/ipc/bindings/RouteRule";
import { models } from "@/ipc/queries";
import { toast } from "@/lib/toasts";
import { useAllowSampling } from "@/lib/use-allow-sampling";
import { shownAtOnce, useCommand } from "@/lib/use-command";

export function useModelActions() {
  const { t } = useTranslation("models");
  const client = useQueryClient();
  const { run } = useCommand();
  const { queryKey } = models();
  const shown = (next: (now: ModelsView) => ModelsView) => shownAtOnce(client, queryKey, next);
  const route = (routes: RouteRule[], done: () => void = () => undefined) => {
    const first = shown((now) => ({ ...now, routes }));
    const both = (view: ModelsView) => {
      first.done(view);
      done();
    };
    return run("set_routes", { routes }, { ...first, done: both });
  };
  return {
    route: (routes: RouteRule[]) => route(routes),
    removeRoute: (routes: readonly RouteRule[], at: number) => {
      const removed = routes.slice(at, at + 1);
      const left = routes.toSpliced(at, 1);
      // Uses the current table, so that changes after the removal are kept.
      const undo = () => {
        const now = client.getQueryData(queryKey)?.routes ?? left;
        void route(now.toSpliced(Math.min(at, now.length), 0, ...removed));
      };
      return route(left, () => toast({ text: t("routes.removed"), undo }));
    },
    allow: useAllowSampling(),
    forget: (id: number) =>
      run(
        "forget_sampling",
        { id },
        shown((now) => now),
      ),
    removeProvider: (id: number) => run("remove_provider", { id }),
  };
}

export type ModelActions = ReturnType<typeof useModelActions>;
