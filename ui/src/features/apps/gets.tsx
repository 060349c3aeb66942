import { TriangleAlert } from "lucide-react";
import { Trans, useTranslation } from "react-i18next";
import { ErrorNotice } from "@/components/error-notice";
import { Icon } from "@/components/icon";
import type { AppView } from "@/ipc/bindings/AppView";
import type { PinKind } from "@/ipc/bindings/PinKind";
import { isOffFor, isOpen, isPlain, type Reviewable, useReviewables } from "@/lib/approvals";
import { errorWords } from "@/lib/error-text";
import { formatList } from "@/lib/format";
import { saysDestructive } from "@/lib/tool-claims";
import { quotedLine } from "@/lib/untrusted";
import { offersNow, tally, toolStanding, useLess } from "./app-tools";
import { Choices } from "./choices";
import { GetsList } from "./gets-list";

/** What to approve when connecting: everything new, what is read-only, or nothing yet. */
export type Approve = "all" | "reading" | "none";

/** What an app gets of the servers, and what it could get. */
export interface Gets {
  readonly pending: boolean;
  /** Why some of it is unknown. */
  readonly error: Error | null;
  /** The tools that it already gets, of running servers. */
  readonly tools: readonly Reviewable[];
  /** How many approved tools it doesn't get: turned off, or unusable for any app. */
  readonly less: { readonly off: number; readonly leftOut: number };
  /** New items of its servers that can be approved together. */
  readonly fresh: readonly Reviewable[];
  /** The new tools that claim to be read-only. */
  readonly reading: readonly Reviewable[];
  /** Items that need a separate review. */
  readonly alone: readonly Reviewable[];
  /** How many servers may offer more than is known now. */
  readonly unread: number;
}

export function useGets(app: AppView, wanted: boolean): Gets {
  const { items, unread, pending, error } = useReviewables(wanted);
  const seen = unread.filter(({ id }) => !app.off.some((off) => off.server === id && off.tool === null));
  return { ...getsOf(items, app), unread: seen.length, pending, error };
}

/** What an app gets of these items. */
export function getsOf(items: readonly Reviewable[], app: Pick<AppView, "seesPrompts" | "seesResources" | "off">) {
  const seen = items.filter((item) => !isOffFor(app, item));
  const tools = items.filter(({ pin }) => pin.kind === "tool").map((item) => ({ item, standing: standingFor(app, item) }));
  const { off, leftOut } = tally(tools);
  const fresh = seen.filter(({ pin }) => isPlain(pin));
  return {
    tools: tools.filter(({ item, standing }) => standing === "got" && offersNow(item.server)).map(({ item }) => item),
    less: { off, leftOut },
    fresh,
    reading: fresh.filter(({ hints }) => hints.readOnly === true),
    alone: seen.filter(({ pin }) => isOpen(pin) && !isPlain(pin)),
  };
}

const isLeftOut = ({ pin }: Reviewable) => pin.forApps?.leftOut === true;

const standingFor = (app: Parameters<typeof isOffFor>[0], item: Reviewable) =>
  toolStanding({ approved: item.pin.state === "approved", leftOut: isLeftOut(item), off: isOffFor(app, item) });

/** The preselection: at most what claims to be read-only. */
export const proposed = ({ fresh, reading }: Pick<Gets, "fresh" | "reading">): Approve =>
  reading.length === 0 ? "none" : reading.length === fresh.length ? "all" : "reading";

/** The items that this choice approves. */
export const approvedBy = (choice: Approve, gets: Gets): readonly Reviewable[] =>
  choice === "all" ? gets.fresh : choice === "reading" ? gets.reading : [];

const kinds = ["tool", "prompt", "template", "instructions", "server"] as const satisfies readonly PinKind[];

/** The kinds of these items, each with its count. Tools are never called “items”. */
function useKinds() {
  const { t, i18n } = useTranslation("apps");
  return (items: readonly Reviewable[]) => {
    const parts = kinds
      .map((kind) => ({ kind, count: items.filter(({ pin }) => pin.kind === kind).length }))
      .filter(({ count }) => count > 0);
    return formatList(
      parts.map(({ kind, count }) => t(`gets.kinds.${kind}`, { count })),
      i18n.language,
    );
  };
}
const deleting = (items: readonly Reviewable[]) => items.filter(({ hints }) => saysDestructive(hints)).length;
const silent = (items: readonly Reviewable[]) =>
  items.filter(({ pin, hints }) => pin.kind === "tool" && hints.readOnly !== true && hints.destructive === null).length;

/** What apps will get, and the choice of what to approve for them. */
export function GetsSection({
  apps,
  gets,
  choice,
  onChoose,
}: {
  apps: readonly AppView[];
  gets: Gets;
  choice: Approve;
  onChoose: (choice: Approve) => void;
}) {
  const { t, i18n } = useTranslation("apps");
  const kindsOf = useKinds();
  const titles = apps.map((app) => quotedLine(app.title));
  const names = titles.length === 0 ? t("gets.yourApps") : formatList(titles, i18n.language);
  const less = useLess();
  const usable = approvedBy(choice, gets).filter((item) => item.pin.kind === "tool" && !isLeftOut(item));
  const more = usable.filter((item) => offersNow(item.server));
  const later = usable.length - more.length;
  const now = [...gets.tools, ...more];
  const risk = [
    deleting(now) > 0 && t("gets.deleting", { count: deleting(now) }),
    silent(now) > 0 && t("gets.silent", { count: silent(now) }),
  ].filter((part) => part !== false);
  const values = [
    { value: "all" as const, name: t("gets.all", { count: gets.fresh.length }), text: t("gets.allText") },
    ...(gets.reading.length > 0 && gets.reading.length < gets.fresh.length
      ? [{ value: "reading" as const, name: t("gets.reading", { count: gets.reading.length }), text: t("gets.readingText") }]
      : []),
    { value: "none" as const, name: t("gets.none"), text: t("gets.noneText") },
  ];
  const unusable = approvedBy(choice, gets).filter((item) => item.pin.kind === "tool" && isLeftOut(item)).length;
  const without = [
    ...less({ got: 0, waits: 0, off: gets.less.off, leftOut: gets.less.leftOut + unusable }, ["off", "leftOut"]),
    ...(later > 0 ? [t("gets.later", { count: later })] : []),
  ];
  const left = [
    gets.unread > 0 && !gets.pending && t("gets.unread", { count: gets.unread }),
    gets.alone.length > 0 && t("gets.alone", { what: kindsOf(gets.alone) }),
  ].filter((part) => part !== false);
  return (
    <section aria-label={t("gets.label")} className="flex flex-col gap-3 rounded-m border border-line bg-sunken px-4 py-3">
      {gets.pending ? (
        <p role="status" className="m-0 text-fg-3">
          {t("gets.counting")}
        </p>
      ) : gets.error !== null ? (
        <ErrorNotice title={t("gets.failed")} {...errorWords(gets.error)} />
      ) : now.length === 0 ? (
        <p role="status" className="m-0 flex gap-1.5 text-warn">
          <Icon of={TriangleAlert} className="mt-0.75 shrink-0" />
          {t(gets.fresh.length + gets.alone.length > 0 ? "gets.nothing" : "gets.noTools", { apps: names })}
        </p>
      ) : (
        <p role="status" className="m-0">
          <Trans
            t={t}
            i18nKey={more.length > 0 && gets.tools.length > 0 ? "gets.parts" : "gets.tools"}
            count={now.length}
            values={{ apps: names, already: gets.tools.length, more: more.length }}
            components={{ b: <b className="font-semibold" /> }}
          />{" "}
          {risk.length > 0 && <span className="text-fg-2">{t("gets.risk", { parts: risk.join(`${t("gets.and")} `) })}</span>}
        </p>
      )}
      {without.length > 0 && <p className="m-0 text-fg-2">{t("gets.without", { parts: formatList(without, i18n.language) })}</p>}
      {gets.tools.length + gets.fresh.length > 0 && <GetsList items={[...gets.fresh, ...gets.tools]} />}
      {gets.fresh.length > 0 && (
        <Choices title={t("gets.waiting", { what: kindsOf(gets.fresh) })} value={choice} values={values} onChoose={onChoose} />
      )}
      {left.length > 0 && <p className="m-0 text-sm text-fg-3">{t("gets.left", { parts: formatList(left, i18n.language) })}</p>}
    </section>
  );
}
