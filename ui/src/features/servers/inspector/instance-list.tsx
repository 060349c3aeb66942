import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { ErrorNotice } from "@/components/error-notice";
import { FactLine } from "@/components/fact-line";
import { Fold } from "@/components/fold";
import { StateMark } from "@/components/state-mark";
import { UntrustedText } from "@/components/their-voice";
import type { InstanceView } from "@/ipc/bindings/InstanceView";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { apps } from "@/ipc/queries";
import { failureWords } from "@/lib/failure-text";
import { folderPath } from "@/lib/folder-path";
import { formatAgo } from "@/lib/format";
import { useFocusPassedOn } from "@/lib/row-focus";
import { oncePerPress } from "@/lib/second-press";
import { shownState } from "@/lib/server-state";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";
import { useNow } from "@/lib/use-now";

/** How many folders are shown at first. */
const FOLDERS = 3;

/** The additional instances of a server: their callers, their states, and buttons to end them. */
export function InstanceList({ server, onLast }: { server: ServerView; onLast: () => void }) {
  const { t } = useTranslation("servers");
  const { data: known = [] } = useQuery(apps());
  const titleOf = (app: string) => visibleLine(known.find(({ id }) => id === app)?.title ?? app);
  return (
    <>
      <ul aria-label={t("instances.list")} className="m-0 mt-3 list-none overflow-hidden rounded-m border border-line p-0">
        {server.instances.map((instance) => (
          <Instance
            key={instance.number}
            server={server.id}
            instance={instance}
            app={instance.app === null ? null : titleOf(instance.app)}
            onEnd={server.instances.length === 1 ? onLast : undefined}
          />
        ))}
      </ul>
      <p className="m-0 mt-1.5 text-sm text-fg-3">{t("instances.ends")}</p>
    </>
  );
}

function Instance({
  server,
  instance,
  app,
  onEnd,
}: {
  server: number;
  instance: InstanceView;
  /** The title of its app. */
  app: string | null;
  onEnd: (() => void) | undefined;
}) {
  const { t, i18n } = useTranslation("servers");
  const now = useNow(15_000);
  const row = useFocusPassedOn<HTMLLIElement>();
  const { busy, run } = useCommand();
  const [asks, setAsks] = useState(false);
  const { number, roots, inSession, state, failure, since, usedAt, inUse, calls, pid } = instance;
  const shown = shownState({ state, startStep: null, failure, changed: false });
  const end = () => void run("end_instance", { id: server, number }, { done: onEnd });
  const facts = [
    inUse && t("instances.inUse"),
    t("instances.used", { ago: formatAgo(usedAt, now, i18n.language) }),
    t("instances.calls", { count: calls }),
    pid !== null && t("instances.process", { pid }),
  ];
  return (
    <li ref={row} className="border-b border-line py-2 pr-2 pl-3 last:border-0">
      <div className="flex items-start gap-2.5">
        <div className="min-w-0 flex-1">
          <div className="flex flex-wrap items-baseline gap-x-2">
            <b className="min-w-0 font-[560] wrap-any">
              {app === null ? t(roots === null && inSession ? "instances.sessions" : "instances.anyApp") : <bdi data-theirs>{app}</bdi>}
            </b>
            <span className="text-sm text-fg-3">{t("instances.number", { number })}</span>
          </div>
          <div className="flex flex-wrap gap-x-1.5 text-sm text-fg-3">
            <StateMark state={shown} />
            <span>{formatAgo(since, now, i18n.language)}</span>
          </div>
          <Folders roots={roots} />
          <p className="m-0 mt-0.5 text-sm text-fg-3 tabular">
            <FactLine facts={facts.filter((fact) => fact !== false)} />
          </p>
        </div>
        <Button aria-label={t("instances.endNumber", { number })} busy={busy} onClick={oncePerPress(inUse ? () => setAsks(true) : end)}>
          {t("instances.end")}
        </Button>
      </div>
      {failure && <ErrorNotice tone={shown === "failed" ? "bad" : "warn"} className="mt-2" {...failureWords(failure, i18n.language)} />}
      {asks && (
        <ConfirmDialog
          danger
          title={t("instances.confirm.title", { number })}
          text={t("instances.confirm.text")}
          submit={t("instances.confirm.submit")}
          onSubmit={end}
          onClose={() => setAsks(false)}
        />
      )}
    </li>
  );
}

/** The folders that were sent to an instance, as the app declared them. */
function Folders({ roots }: { roots: readonly string[] | null }) {
  const { t } = useTranslation("servers");
  if (roots === null || roots.length === 0)
    return <p className="m-0 mt-0.5 text-sm text-fg-3">{t(roots === null ? "instances.granted" : "instances.noFolders")}</p>;
  const rest = roots.length - FOLDERS;
  return (
    <div className="mt-0.5 flex flex-col text-fg-2">
      <Paths of={roots.slice(0, FOLDERS)} />
      {rest > 0 && (
        <Fold title={t("instances.moreFolders", { count: rest })}>
          <Paths of={roots.slice(FOLDERS)} />
        </Fold>
      )}
    </div>
  );
}

function Paths({ of }: { of: readonly string[] }) {
  return of.map((uri, at) => (
    // Wrapped lines are indented, so that the next folder is recognisable.
    <span key={at} data-theirs className="mono selectable block pl-4 -indent-4 wrap-any">
      <bdi>
        <UntrustedText text={folderPath(uri)} />
      </bdi>
    </span>
  ));
}
