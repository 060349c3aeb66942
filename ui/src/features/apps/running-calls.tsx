import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import type { AppActivityView } from "@/ipc/bindings/AppActivityView";
import { appActivity, servers } from "@/ipc/queries";
import { formatMs } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";
import { useNow } from "@/lib/use-now";

function useActivity(app: string): AppActivityView | null {
  const { data: all = [] } = useQuery(appActivity());
  return all.find((one) => one.app === app) ?? null;
}

/** The current number of an app's connections. */
export const useConnections = (app: string): number => useActivity(app)?.connections ?? 0;

/** An app's running calls, each with a button to cancel it. Hidden without calls. */
export function RunningCalls({ app }: { app: string }) {
  const { t, i18n } = useTranslation("apps");
  const { data: saved = [] } = useQuery(servers());
  const now = useNow(1_000);
  const { run } = useCommand();
  const calls = useActivity(app)?.calls ?? [];
  if (calls.length === 0) return null;
  return (
    <section aria-labelledby="app-running">
      <h3 id="app-running" className="m-0 mb-2 font-semibold">
        {t("running.title")}
      </h3>
      <ul className="m-0 grid list-none gap-px overflow-hidden rounded-m border border-line bg-line p-0">
        {calls.map(({ call, serverId, subject, startedAt }) => {
          const server = saved.find((one) => one.id === serverId);
          const name = visibleLine(subject);
          return (
            <li key={call} className="flex items-center gap-3 bg-surface py-1.5 pr-1.5 pl-3">
              <span className="min-w-0 flex-1">
                <span className="mono block truncate" title={name}>
                  {name}
                </span>
                <span className="block truncate text-sm text-fg-3">
                  {server ? visibleLine(server.name) : t("running.gone")}
                  {" · "}
                  {t("running.since", { time: formatMs(Math.max(0, Math.floor((now - startedAt) / 1_000) * 1_000), i18n.language) })}
                </span>
              </span>
              <Button aria-label={t("running.cancelNamed", { name })} onClick={() => void run("cancel_app_call", { call })}>
                {t("running.cancel")}
              </Button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
