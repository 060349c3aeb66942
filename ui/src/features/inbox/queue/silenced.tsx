import { useQueryClient } from "@tanstack/react-query";
import { BellOff } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Icon } from "@/components/icon";
import { UntrustedText } from "@/components/their-voice";
import type { SilencedServer } from "@/ipc/bindings/SilencedServer";
import { call } from "@/ipc/bridge";
import { inbox } from "@/ipc/queries";
import { errorText } from "@/lib/error-text";
import { formatCount, formatSpan } from "@/lib/format";
import { wholeSentence } from "@/lib/sentence";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";
import { useNow } from "@/lib/use-now";
import { leadIn } from "@/lib/lead-in";
import { Facts } from "./facts";

/** Servers whose questions are put aside unseen, and the way back. */
export function Silenced({ servers, className }: { servers: readonly SilencedServer[]; className?: string }) {
  const { t, i18n } = useTranslation("inbox");
  const client = useQueryClient();
  const now = useNow(5_000);
  const [busy, setBusy] = useState<number | null>(null);
  if (servers.length === 0) return null;
  const lift = async (server: number) => {
    setBusy(server);
    try {
      await call("lift_silence", { server });
    } catch (error) {
      toast({ text: errorText(error), tone: "bad" });
    } finally {
      setBusy(null);
      void client.invalidateQueries({ queryKey: inbox().queryKey });
    }
  };
  return (
    <section aria-label={t("silenced.label")} className={className}>
      {servers.map((item) => (
        <div key={item.server} className="flex gap-2.5 border-b border-line bg-sunken px-3.5 py-2.5">
          <Icon of={BellOff} size={16} className="mt-0.5 shrink-0 text-warn" />
          <div className="min-w-0 flex-1">
            <b title={visibleLine(item.name)} className="block truncate">
              {leadIn(t("silenced.title"))}
              <bdi>
                <UntrustedText text={item.name} />
              </bdi>
            </b>
            <span className="block wrap-any text-fg-2">{wholeSentence(item.reason, i18n.language)}</span>
            <span className="block text-sm text-fg-3 tabular">
              <Facts
                facts={[
                  item.until === null
                    ? t("silenced.untilLifted")
                    : t("silenced.until", { time: formatSpan(item.until - now, i18n.language) }),
                  t("silenced.putAside", { count: item.putAside, shown: formatCount(item.putAside, i18n.language) }),
                ]}
              />
            </span>
            <Button className="mt-2" busy={busy === item.server} onClick={() => void lift(item.server)}>
              {t("silenced.lift")}
            </Button>
          </div>
        </div>
      ))}
    </section>
  );
}
