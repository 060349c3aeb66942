import { useQuery } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { servers } from "@/ipc/queries";
import { formatList } from "@/lib/format";
import { quotedLine } from "@/lib/untrusted";
import { useSeveral } from "../several";
import { othersLike } from "./cause";

/** The servers that failed for the same reason, and a button that retries all of them. */
export function SameCause({ server }: { server: ServerView }) {
  const { t, i18n } = useTranslation("servers");
  const { data: list = [] } = useQuery(servers());
  const { busy, act } = useSeveral();
  const others = othersLike(server, list);
  if (others.length === 0) return null;
  const names = others.map(({ name }) => quotedLine(name));
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-m border border-line bg-sunken px-3 py-2">
      <p className="m-0 min-w-40 flex-1 wrap-any text-fg-2">
        {t("several.same", { count: others.length, list: formatList(names, i18n.language) })}
      </p>
      <Button icon={RefreshCw} busy={busy} onClick={() => void act("restart", [server, ...others])}>
        {t("several.again", { count: others.length + 1 })}
      </Button>
    </div>
  );
}
