import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Elapsed } from "@/components/elapsed";
import { ProgressBar } from "@/components/progress-bar";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { settings } from "@/ipc/queries";
import { formatMs } from "@/lib/format";

/** The wait for a server's first answer: the elapsed time, and the timeout. The progress is unknown. */
export function Connecting({ server }: { server: ServerView }) {
  const { t, i18n } = useTranslation("servers");
  const { data } = useQuery(settings());
  const text = t(server.startStep === "downloading" ? "connecting.downloading" : "connecting.text");
  const limit = (data?.startTimeoutSeconds ?? 120) * 1000;
  return (
    <div className="rounded-m border border-line bg-sunken p-3">
      <div className="mb-2 flex items-center gap-2">
        <span className="min-w-0 flex-1">{text}</span>
        <span className="shrink-0 text-fg-3">
          <Elapsed since={server.since} />
        </span>
      </div>
      <ProgressBar value={null} label={text} />
      <p className="m-0 mt-2 text-sm text-fg-3">{t("connecting.limit", { limit: formatMs(limit, i18n.language) })}</p>
    </div>
  );
}
