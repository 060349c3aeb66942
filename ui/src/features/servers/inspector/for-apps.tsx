import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ShieldCheck } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Icon } from "@/components/icon";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { apps } from "@/ipc/queries";
import { cx } from "@/lib/cx";
import { formatList } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import { useUsage } from "../list/use-usage";

/** How many tools a server has, and how many are approved. */
const toolsOf = ({ toolCount, review }: ServerView) => {
  const count = toolCount ?? 0;
  return { count, approved: Math.min(count, review.approvedTools) };
};

/** How many of a server's tools apps get. */
export function AppsGet({ server }: { server: ServerView }) {
  const { t } = useTranslation("servers");
  const { count, approved } = toolsOf(server);
  if (approved === count) return t("forApps.all", { count });
  return t(approved === 0 ? "forApps.none" : "forApps.some", { count, approved });
}

/** Which apps use a server, or a link to connect one. */
export function UsedBy({ server }: { server: ServerView }) {
  const { t, i18n } = useTranslation("servers");
  const known = useQuery(apps()).data !== undefined;
  const { usedBy } = useUsage([server])(server.id);
  if (!known) return null;
  if (usedBy.length > 0) return t("forApps.usedBy", { apps: formatList(usedBy, i18n.language) });
  return (
    <>
      {t("forApps.unused")}{" "}
      <Link to="/apps" className="rounded-xs text-accent underline">
        {t("forApps.connect")}
      </Link>
    </>
  );
}

/** What apps get of a server: how many of its tools, and which apps use it. */
export function ForApps({ server, onReview }: { server: ServerView; onReview: () => void }) {
  const { t } = useTranslation("servers");
  const { usedBy } = useUsage([server])(server.id);
  const { count, approved } = toolsOf(server);
  const isAll = approved === count;
  // A tool that no app would get isn't missing.
  const misses = !isAll && usedBy.length > 0;
  return (
    <section
      aria-label={t("forApps.title")}
      className={cx(
        // As high before the tools are known as afterwards, so that nothing below moves.
        "flex min-h-13.5 items-center gap-2.5 rounded-m border px-3 py-2",
        misses ? "border-transparent bg-warn-soft" : "border-line bg-sunken",
      )}
    >
      <Icon of={ShieldCheck} size={16} className={cx("shrink-0", misses ? "text-warn" : isAll && count > 0 ? "text-ok" : "text-fg-3")} />
      <div className="min-w-0 flex-1">
        {count > 0 && (
          <p className="m-0 tabular">
            <AppsGet server={server} />
          </p>
        )}
        <p className="m-0 text-sm wrap-any text-fg-2 empty:hidden">
          <UsedBy server={server} />
        </p>
      </div>
      {!isAll && (
        <Button aria-label={t("forApps.reviewOf", { name: visibleLine(server.name) })} onClick={onReview}>
          {t("forApps.review")}
        </Button>
      )}
    </section>
  );
}
