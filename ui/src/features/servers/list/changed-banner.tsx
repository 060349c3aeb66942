import { FileDiff } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Icon } from "@/components/icon";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { formatList } from "@/lib/format";
import { quotedLine } from "@/lib/untrusted";

/** Servers that differ from what was approved, what that means, and links to them. */
export function ChangedBanner({
  servers,
  open,
  onLook,
}: {
  servers: readonly ServerView[];
  /** The server whose details are open, which already show its changes. */
  open: number | undefined;
  onLook: (id: number) => void;
}) {
  const { t, i18n } = useTranslation("trust");
  const changed = servers.filter((server) => server.changed);
  const [first] = changed;
  if (!first || (changed.length === 1 && first.id === open)) return null;
  const names = changed.slice(0, 4).map((server) => quotedLine(server.name));
  const rest = changed.length - names.length;
  return (
    <div role="status" className="flex shrink-0 items-center gap-2.5 border-b border-line bg-warn-soft px-4 py-2">
      <Icon of={FileDiff} className="shrink-0 text-warn" />
      <span className="min-w-0 flex-1 wrap-any">
        {t("banner.text", {
          count: changed.length,
          names: formatList(rest > 0 ? [...names, t("banner.more", { count: rest })] : names, i18n.language),
        })}
      </span>
      <Button onClick={() => onLook(first.id)}>{t("banner.look")}</Button>
    </div>
  );
}
