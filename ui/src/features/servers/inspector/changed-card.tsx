import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "@/components/error-notice";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { trust } from "@/ipc/queries";
import { quotedLine } from "@/lib/untrusted";
import { answers } from "../actions";
import { AppsGet, UsedBy } from "./for-apps";
import { ReviewButton } from "./review-button";

/** What of a server has changed and is blocked, what apps still get of it, and a button to review it. */
export function ChangedCard({ server }: { server: ServerView }) {
  const { t } = useTranslation(["servers", "trust"]);
  const changed = useQuery(trust(server.id)).data?.items.filter(({ state }) => state === "changed") ?? [];
  const title =
    changed.length === 0
      ? t("trust:banner.text", { count: 1, names: quotedLine(server.name) })
      : t(changed.every(({ kind }) => kind === "tool") ? "servers:changed.tools" : "servers:changed.parts", { count: changed.length });
  return (
    <ErrorNotice
      tone="changed"
      title={title}
      why={
        answers(server) && (
          <>
            {(server.toolCount ?? 0) > 0 && (
              <span className="block tabular">
                <AppsGet server={server} />
              </span>
            )}
            <UsedBy server={server} />
          </>
        )
      }
    >
      <ReviewButton server={server.id} />
    </ErrorNotice>
  );
}
