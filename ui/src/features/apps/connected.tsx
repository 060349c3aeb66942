import { useQuery } from "@tanstack/react-query";
import { CircleCheck, CircleDashed } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CopyButton } from "@/components/code-block";
import { DialogBody, DialogFooter } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import { Icon } from "@/components/icon";
import { Spinner } from "@/components/spinner";
import type { AppView } from "@/ipc/bindings/AppView";
import { appActivity } from "@/ipc/queries";
import { formatList } from "@/lib/format";
import { quotedLine } from "@/lib/untrusted";

/** The apps that have listed their tools since then. */
export function useListed(apps: readonly AppView[], since: number): AppView[] {
  const { data: all = [] } = useQuery(appActivity());
  return apps.filter((app) => (all.find((one) => one.app === app.id)?.listedAt ?? 0) >= since);
}

/** The next steps after connecting: restart the app, ask it something, and see that it works. */
export function Connected({
  apps,
  since,
  tools,
  waiting,
  moved,
  onReview,
  onClose,
}: {
  apps: readonly AppView[];
  /** When the first app was connected. */
  since: number;
  /** How many tools they get. */
  tools: number;
  /** How many things aren't approved. */
  waiting: number;
  /** Whether the definitions had changed before they were approved. */
  moved: boolean;
  onReview: () => void;
  onClose: () => void;
}) {
  const { t, i18n } = useTranslation(["apps", "trust"]);
  const { data: all = [] } = useQuery(appActivity());
  const activity = (app: AppView) => all.find((one) => one.app === app.id);
  const haveListed = useListed(apps, since);
  const hasListed = (app: AppView) => haveListed.includes(app);
  const [listed] = haveListed;
  const called = apps.find((app) => (activity(app)?.calledAt ?? 0) >= since);
  const names = formatList(
    apps.map((app) => quotedLine(app.title)),
    i18n.language,
  );
  // The first app that did something, otherwise the only one.
  const asked = called ?? listed ?? (apps.length === 1 ? apps[0] : undefined);
  const question = t("lead.question");
  return (
    <>
      <DialogBody>
        {moved && (
          <div className="mb-3">
            <ErrorNotice answers tone="warn" title={t("trust:moved.title")} why={t("trust:moved.why")} />
          </div>
        )}
        <ol className="m-0 flex list-none flex-col gap-4 p-0">
          {tools > 0 && <Step done title={t("lead.can", { apps: names, count: tools })} />}
          <Step
            done={apps.every(hasListed)}
            title={t("lead.restart", { apps: names })}
            text={t("lead.restartText", { count: apps.length })}
          />
          {apps.map((app) => (
            <Step
              key={app.id}
              done={hasListed(app)}
              waits={!hasListed(app)}
              title={t(hasListed(app) ? "lead.listed" : "lead.listing", { apps: quotedLine(app.title), count: tools })}
              text={app === apps.at(-1) ? t(tools === 0 ? "lead.noTools" : "lead.listedText") : undefined}
            />
          ))}
          <Step
            done={called !== undefined}
            waits={listed !== undefined && called === undefined}
            title={asked ? t(called ? "lead.called" : "lead.ask", { apps: quotedLine(asked.title) }) : t("lead.askOne")}
            text={called ? t("lead.calledText") : undefined}
          >
            {called === undefined && (
              <p className="m-0 mt-1 flex items-center gap-2">
                <q className="selectable min-w-0 text-fg-2">{question}</q>
                <CopyButton text={question} label={t("lead.copy")} />
              </p>
            )}
          </Step>
        </ol>
      </DialogBody>
      <DialogFooter>
        <span className="flex-1" />
        {waiting > 0 && (
          <Button look={tools === 0 ? "primary" : "default"} onClick={onReview}>
            {t("lead.review", { count: waiting })}
          </Button>
        )}
        <Button look={waiting > 0 && tools === 0 ? "default" : "primary"} onClick={onClose}>
          {t("lead.done")}
        </Button>
      </DialogFooter>
    </>
  );
}

function Step({
  done,
  waits = false,
  title,
  text,
  children,
}: {
  done: boolean;
  /** Whether this is the current step. */
  waits?: boolean;
  title: string;
  text?: string | undefined;
  children?: ReactNode;
}) {
  const { t } = useTranslation("apps");
  return (
    <li className="flex gap-3">
      <span className="mt-0.5 grid size-4.5 shrink-0 place-items-center">
        {done ? (
          <Icon of={CircleCheck} size={16} className="text-ok" />
        ) : waits ? (
          <Spinner />
        ) : (
          <Icon of={CircleDashed} size={16} className="text-fg-3" />
        )}
        <span className="sr-only">{t(done ? "lead.isDone" : waits ? "lead.isAwaited" : "lead.isLater")}</span>
      </span>
      <div className="min-w-0 flex-1" aria-live="polite">
        <p className="m-0 font-semibold">{title}</p>
        {text !== undefined && <p className="m-0 text-fg-2">{text}</p>}
        {children}
      </div>
    </li>
  );
}
