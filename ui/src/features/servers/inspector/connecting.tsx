import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ProgressBar } from "@/components/progress-bar";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { settings } from "@/ipc/queries";
import { formatMs } from "@/lib/format";
import { useNow } from "@/lib/use-now";
import type { ServerActions } from "../actions";

/** The wait for a server's first answer: how long it has been, when it ends, and the way out. */
export function Connecting({ server, actions }: { server: ServerView; actions: ServerActions }) {
  const { t, i18n } = useTranslation("servers");
  const now = useNow(500);
  const { data } = useQuery(settings());
  const elapsed = Math.max(0, now - server.since);
  const text = t(server.startStep === "downloading" ? "connecting.downloading" : "connecting.text");
  const limit = (data?.startTimeoutSeconds ?? 120) * 1000;
  return (
    <div className="rounded-m border border-line bg-sunken p-3">
      <div className="mb-2 flex items-center gap-2">
        <span className="min-w-0 flex-1">{text}</span>
        <span className="shrink-0 text-fg-3 tabular">
          {t("connecting.time", {
            elapsed: formatMs(Math.floor(elapsed / 1000) * 1000, i18n.language),
            limit: formatMs(limit, i18n.language),
          })}
        </span>
      </div>
      <ProgressBar value={elapsed} max={limit} label={text} />
      <div className="mt-2.5">
        <Button onClick={() => void actions.stop(server.id)}>{t("cancel", { ns: "common" })}</Button>
      </div>
    </div>
  );
}
