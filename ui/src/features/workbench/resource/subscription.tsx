import { useQuery } from "@tanstack/react-query";
import { Radio } from "lucide-react";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import { Checkbox, Switch } from "@/components/toggles";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { subscriptions } from "@/ipc/queries";
import { declares } from "@/lib/capabilities";
import { cx } from "@/lib/cx";
import { formatCount } from "@/lib/format";
import { useCommand } from "@/lib/use-command";
import { clockTime } from "../result/clock-time";
import type { Target } from "../target";
import { isConnected } from "../tree/tree-rows";
import { useAutoRead, useReadOnUpdate } from "./auto-read";

/** The subscription to a resource: the switch, the updates so far, and automatic reading. */
export function Subscription({ server, target }: { server: ServerView; target: Target }) {
  const { t, i18n } = useTranslation("workbench");
  const connected = isConnected(server.state);
  const offered = declares(server.capabilities, "resources", "subscribe");
  const { data = [] } = useQuery({ ...subscriptions(server.id), enabled: connected && offered });
  const uri = target.name;
  const subscription = data.find((item) => item.uri === uri);
  const [auto, setAuto] = useAutoRead(server.id, target);
  const id = useId();
  useReadOnUpdate(server, target, subscription);
  const { busy, run } = useCommand();
  /** The state that is being switched to. */
  const [wanted, setWanted] = useState(false);
  const change = (next: boolean) => {
    setWanted(next);
    void run(next ? "subscribe_resource" : "unsubscribe_resource", { id: server.id, uri });
  };
  if (!offered) return connected ? <p className="m-0 text-sm text-fg-3">{t("subscribe.never")}</p> : null;
  const on = busy ? wanted : subscription !== undefined;
  return (
    <section aria-label={t("subscribe.title")} className="rounded-m border border-line bg-sunken px-3 py-2.5">
      <div className="flex items-center gap-2.5">
        <Icon of={Radio} className={cx("shrink-0", on ? "text-accent" : "text-fg-3")} />
        <label htmlFor={`${id}-switch`} className="min-w-0 flex-1 font-[560]">
          {t("subscribe.title")}
        </label>
        <Switch id={`${id}-switch`} checked={on} disabled={!connected || busy} onChange={change} />
      </div>
      <p role="status" className="mt-1 mb-0 text-sm text-fg-2 tabular">
        {subscription === undefined
          ? t("subscribe.off")
          : subscription.lastUpdate === null
            ? t("subscribe.none", { time: clockTime(subscription.since, i18n.language) })
            : t("subscribe.updated", {
                count: subscription.updates,
                shown: formatCount(subscription.updates, i18n.language),
                time: clockTime(subscription.lastUpdate, i18n.language),
              })}
      </p>
      {subscription !== undefined && (
        <div className="mt-2.5 flex items-center gap-2 border-t border-line pt-2.5">
          <Checkbox id={`${id}-auto`} checked={auto} onChange={setAuto} />
          <label htmlFor={`${id}-auto`} className="min-w-0 flex-1 text-fg-2">
            {t("subscribe.auto")}
          </label>
        </div>
      )}
    </section>
  );
}
