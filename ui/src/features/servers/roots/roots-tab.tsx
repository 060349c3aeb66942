import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ShieldAlert } from "lucide-react";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import { useFolderActions } from "@/components/folders/actions";
import { AddFolder } from "@/components/folders/add-folder";
import { FolderList } from "@/components/folders/folder-list";
import { Icon } from "@/components/icon";
import { Skeleton } from "@/components/skeleton";
import { Switch } from "@/components/toggles";
import type { RootView } from "@/ipc/bindings/RootView";
import type { ServerRoots } from "@/ipc/bindings/ServerRoots";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { serverRoots } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { formatAgo } from "@/lib/format";
import { betweenSentences } from "@/lib/sentence";
import { useNow } from "@/lib/use-now";

/** The folders that are shared with a server, and what sharing means. */
export function RootsTab({ server }: { server: ServerView }) {
  const { t } = useTranslation("roots");
  const query = useQuery(serverRoots(server.id));
  const actions = useFolderActions();
  if (query.isPending) return <Skeleton rows={5} />;
  if (query.error)
    return (
      <div className="p-5">
        <ErrorNotice title={t("failed")} {...errorWords(query.error)}>
          <Button busy={query.isFetching} onClick={() => void query.refetch()}>
            {t("tryAgain", { ns: "common" })}
          </Button>
        </ErrorNotice>
      </div>
    );
  const own = query.data.roots.filter((root) => root.server !== null);
  const every = query.data.roots.filter((root) => root.server === null);
  return (
    <div className="flex flex-col gap-5 px-5 py-4">
      <p className="m-0 flex gap-2.5 rounded-m border border-line bg-sunken px-3 py-2.5 text-fg-2">
        <Icon of={ShieldAlert} size={16} className="mt-px shrink-0 text-warn" />
        <span>{t(server.transport === "stdio" ? "advisory.local" : "advisory.remote")}</span>
      </p>
      <section aria-label={t("own.title")}>
        <h3 className="m-0 mb-2 font-semibold">{t("own.title")}</h3>
        {own.length === 0 ? (
          <p className="m-0 text-fg-2">{t(every.length > 0 && query.data.shared === true ? "own.noneShared" : "own.none")}</p>
        ) : (
          <FolderList roots={own} label={t("own.title")} actions={actions} />
        )}
        <div className="mt-3">
          <AddFolder server={server.id} />
        </div>
      </section>
      <EveryServer
        server={server.id}
        roots={every}
        shared={query.data.shared}
        onShare={(shared) => void actions.share(server.id, shared)}
      />
      <Asking roots={query.data} />
    </div>
  );
}

/** The folders for all servers, and whether they are shared with this one. */
function EveryServer({
  roots,
  shared,
  onShare,
}: {
  server: number;
  roots: readonly RootView[];
  shared: boolean | null;
  onShare: (shared: boolean) => void;
}) {
  const { t, i18n } = useTranslation("roots");
  const id = useId();
  return (
    <section aria-label={t("every.title")}>
      <div className="flex items-center gap-3">
        <h3 className="m-0 min-w-0 flex-1 font-semibold">
          <label htmlFor={id}>{t("every.share")}</label>
        </h3>
        <Switch id={id} checked={shared === true} onChange={onShare} />
      </div>
      <p className="m-0 mt-0.5 mb-2 text-fg-2">
        {roots.length === 0 && `${t("every.none")}${betweenSentences(i18n.language)}`}
        {t(shared === null ? "every.undecided" : shared ? "every.shared" : "every.kept")}
      </p>
      {roots.length > 0 && <FolderList roots={roots} label={t("every.title")} />}
      <p className="m-0 mt-1.5 text-sm">
        <Link to="/settings" search={{ section: "folders" }} className="rounded-xs text-accent no-underline hover:underline">
          {t(roots.length === 0 ? "every.first" : "every.edit")}
        </Link>
      </p>
    </section>
  );
}

/** When the server asked, and what was sent. */
function Asking({ roots }: { roots: ServerRoots }) {
  const { t, i18n } = useTranslation("roots");
  const now = useNow(15_000);
  const { askedAt, sent } = roots;
  const ago = askedAt === null ? "" : formatAgo(askedAt, now, i18n.language);
  return (
    <p className="m-0 text-sm text-fg-3">
      {askedAt === null
        ? t("asked.never")
        : sent === null
          ? t("asked.unanswered", { ago })
          : sent === 0
            ? t("asked.none", { ago })
            : t("asked.sent", { ago, count: sent })}
    </p>
  );
}
