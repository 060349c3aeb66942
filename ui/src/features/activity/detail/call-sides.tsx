import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { JsonTree } from "@/components/json-tree";
import type { LogRow } from "@/ipc/bindings/LogRow";
import { logCallRows, logEntry } from "@/ipc/queries";
import { formatCount } from "@/lib/format";
import { appName } from "@/lib/callers";
import { visibleLine } from "@/lib/untrusted";
import { isAnswer, isRequest } from "../list/describe";
import { type Difference, differences } from "./differences";

/** The messages between the app and Mooring in one call, next to those between Mooring and the server. */
export function CallSides({ call, app, onCall }: { call: number; app: string; onCall: (call: number) => void }) {
  const { t, i18n } = useTranslation("activity");
  const { data: rows = [] } = useQuery(logCallRows(call));
  const { asked, passed, answered, returned } = sidesOf(rows);
  const server = passed ?? answered;
  const names = { app: appName(app), server: visibleLine(server?.source ?? "") };
  return (
    <section aria-label={t("call.title")} className="@container">
      <h2 className="mt-4.5 mb-1 flex items-baseline gap-2 text-md font-semibold">
        {t("call.title")}
        <button type="button" onClick={() => onCall(call)} className="rounded-xs text-sm font-normal text-accent hover:underline">
          {t("call.all", { count: rows.length, shown: formatCount(rows.length, i18n.language) })}
        </button>
      </h2>
      {rows.length > 0 && passed === null && <p className="mt-0 mb-2 text-fg-3">{t("call.notPassed")}</p>}
      <Pair
        left={asked}
        leftName={t("call.sent", names)}
        right={passed}
        rightName={t("call.got", names)}
        same={t("call.sameRequest")}
        changed={t("call.changedRequest")}
      />
      <Pair
        left={returned}
        leftName={t("call.received", names)}
        right={answered}
        rightName={t("call.answered", names)}
        same={t("call.sameResult")}
        changed={t("call.changedResult")}
      />
    </section>
  );
}

/** The four messages of a call. If there were several rounds, those of the last. */
function sidesOf(rows: readonly LogRow[]) {
  const last = (wanted: (row: LogRow) => boolean) => rows.findLast((row) => row.kind === "frame" && wanted(row)) ?? null;
  const isCall = (row: LogRow) => row.method === "tools/call" || row.method === "prompts/get" || row.method === "resources/read";
  return {
    asked: last((row) => row.direction === "from_app" && isCall(row) && isRequest(row)),
    passed: last((row) => row.direction === "out" && isCall(row) && isRequest(row)),
    answered: last((row) => row.direction === "in" && isCall(row) && isAnswer(row)),
    returned: last((row) => row.direction === "to_app" && isCall(row) && isAnswer(row)),
  };
}

/** Two messages side by side, with their differences above. */
function Pair({
  left,
  leftName,
  right,
  rightName,
  same,
  changed,
}: {
  left: LogRow | null;
  leftName: string;
  right: LogRow | null;
  rightName: string;
  /** The text if there are no differences. */
  same: string;
  /** The title of the differences. */
  changed: string;
}) {
  const before = useBody(left);
  const after = useBody(right);
  const found = before === null || after === null ? null : differences(before, after);
  if (left === null && right === null) return null;
  return (
    <div className="mb-4">
      {found !== null &&
        (found.length === 0 ? <p className="mt-0 mb-2 text-fg-3">{same}</p> : <Differences name={changed} found={found} />)}
      <div className="grid gap-2.5 @min-[640px]:grid-cols-2">
        {before !== null && <Side name={leftName}>{<JsonTree text={before} />}</Side>}
        {after !== null && <Side name={rightName}>{<JsonTree text={after} />}</Side>}
      </div>
    </div>
  );
}

function useBody(row: LogRow | null): string | null {
  const { data } = useQuery({ ...logEntry(row?.id ?? 0), enabled: row !== null });
  return row === null ? null : (data?.body ?? null);
}

function Differences({ name, found }: { name: string; found: readonly Difference[] }) {
  return (
    <dl aria-label={name} className="m-0 mb-2 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1">
      {found.map(({ path, before, after }) => (
        <div key={path} className="contents">
          <dt className="mono text-fg-3">{visibleLine(path)}</dt>
          <dd className="mono m-0 min-w-0 wrap-any">
            {before === null ? <Absent /> : visibleLine(before)}
            <span className="mx-1.5 text-fg-3">→</span>
            <mark className="rounded-xs bg-warn-soft px-0.5 text-inherit">{after === null ? <Absent /> : visibleLine(after)}</mark>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Absent() {
  const { t } = useTranslation("activity");
  return <span className="font-sans text-fg-3">{t("call.absent")}</span>;
}

function Side({ name, children }: { name: string; children: ReactNode }) {
  return (
    <figure className="m-0 min-w-0">
      <figcaption className="mb-1 text-sm text-fg-2 wrap-any">{name}</figcaption>
      <div className="rounded-m border border-line bg-sunken py-2 pr-3 pl-1.5">{children}</div>
    </figure>
  );
}
