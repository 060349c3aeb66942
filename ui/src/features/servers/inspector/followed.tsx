import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Radio, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { Icon } from "@/components/icon";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { subscriptions } from "@/ipc/queries";
import { declares } from "@/lib/capabilities";
import { formatAgo, formatCount } from "@/lib/format";
import { useCommand } from "@/lib/use-command";
import { useNow } from "@/lib/use-now";
import { visibleLine } from "@/lib/untrusted";

/** The subscribed resources, as they change. */
export function Followed({ server }: { server: ServerView }) {
  const { t, i18n } = useTranslation("servers");
  const { run } = useCommand();
  const now = useNow(1_000);
  const { data = [] } = useQuery({ ...subscriptions(server.id), enabled: declares(server.capabilities, "resources", "subscribe") });
  if (data.length === 0) return null;
  return (
    <section aria-labelledby="server-followed">
      <h3 id="server-followed" className="m-0 mb-1.5 font-semibold">
        {t("followed.title")}
      </h3>
      <ul className="m-0 list-none overflow-hidden rounded-m border border-line p-0">
        {data.map((item) => (
          <li key={item.uri} className="flex items-center gap-2 border-b border-line py-1 pr-1 pl-3 last:border-0">
            <Icon of={Radio} className="shrink-0 text-accent" />
            <div className="min-w-0 flex-1">
              <Link
                to="/workbench"
                search={{ server: server.id, resource: item.uri }}
                className="mono block truncate rounded-xs text-fg no-underline hover:underline"
                title={visibleLine(item.uri)}
              >
                {visibleLine(item.uri)}
              </Link>
              <span className="block text-sm text-fg-3 tabular">
                {item.lastUpdate === null
                  ? t("followed.none")
                  : t("followed.updated", {
                      count: item.updates,
                      shown: formatCount(item.updates, i18n.language),
                      ago: formatAgo(item.lastUpdate, now, i18n.language),
                    })}
              </span>
            </div>
            <IconButton
              small
              icon={X}
              label={t("followed.end", { uri: visibleLine(item.uri) })}
              onClick={() => void run("unsubscribe_resource", { id: server.id, uri: item.uri })}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
