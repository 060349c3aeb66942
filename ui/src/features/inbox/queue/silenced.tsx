import { BellOff } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { FactLine } from "@/components/fact-line";
import { Icon } from "@/components/icon";
import { UntrustedText } from "@/components/their-voice";
import type { SilencedServer } from "@/ipc/bindings/SilencedServer";
import { formatCount, formatSpan } from "@/lib/format";
import { wholeSentence } from "@/lib/sentence";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";
import { useNow } from "@/lib/use-now";
import { leadIn } from "@/lib/lead-in";

/** Muted servers and apps, whose questions are dismissed automatically, with buttons to unmute them. */
export function Silenced({ servers, className }: { servers: readonly SilencedServer[]; className?: string }) {
  const { t } = useTranslation("inbox");
  const now = useNow(5_000);
  if (servers.length === 0) return null;
  return (
    <section aria-label={t("silenced.label")} className={className}>
      {servers.map((item) => (
        <Item key={`${item.server} ${item.app ?? ""}`} item={item} now={now} />
      ))}
    </section>
  );
}

function Item({ item, now }: { item: SilencedServer; now: number }) {
  const { t, i18n } = useTranslation("inbox");
  const { busy, run } = useCommand();
  const lift = () => (item.app ? run("lift_app_silence", { app: item.app }) : run("lift_silence", { server: item.server }));
  return (
    <div className="flex gap-2.5 border-b border-line bg-sunken px-3.5 py-2.5">
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
          <FactLine
            facts={[
              item.until === null ? t("silenced.untilLifted") : t("silenced.until", { time: formatSpan(item.until - now, i18n.language) }),
              t("silenced.putAside", { count: item.putAside, shown: formatCount(item.putAside, i18n.language) }),
            ]}
          />
        </span>
        <Button className="mt-2" busy={busy} onClick={() => void lift()}>
          {t("silenced.lift")}
        </Button>
      </div>
    </div>
  );
}
