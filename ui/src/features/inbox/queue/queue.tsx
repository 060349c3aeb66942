import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import { visibleLine } from "@/lib/untrusted";
import { useNow } from "@/lib/use-now";
import { BehindRow, QueueRow } from "./queue-row";

interface Group {
  readonly server: number;
  readonly name: string;
  readonly items: readonly InteractionView[];
}

/** The servers, in the order of their oldest questions. */
export function byServer(waiting: readonly InteractionView[]): Group[] {
  const groups = new Map<number, InteractionView[]>();
  for (const item of waiting) groups.set(item.server, [...(groups.get(item.server) ?? []), item]);
  return [...groups].map(([server, items]) => ({
    server,
    name: items[0]?.serverName ?? "",
    items: items.toSorted((a, b) => a.position - b.position),
  }));
}

/** The questions by server: the first of each can be answered, the others wait behind it. */
export function Queue({
  waiting,
  chosen,
  onChoose,
}: {
  waiting: readonly InteractionView[];
  chosen: number | null;
  onChoose: (id: number) => void;
}) {
  const { t } = useTranslation("inbox");
  const now = useNow(1_000);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const row = chosen === null ? null : list.current?.querySelector<HTMLElement>("[aria-current=true]");
    row?.scrollIntoView({ block: "nearest" });
    // The keys that move through the queue keep the focus on the row.
    if (row && list.current?.contains(document.activeElement)) row.focus({ preventScroll: true });
  }, [chosen]);
  const away = waiting.filter((item) => item.putOff !== null);
  return (
    <div ref={list}>
      <ul aria-label={t("queue.label")} className="m-0 list-none p-0">
        {byServer(waiting.filter((item) => item.putOff === null)).map((group) => (
          <li key={group.server} aria-label={visibleLine(group.name)} className="border-b border-line">
            {group.items.map((item, index) =>
              index === 0 ? (
                <QueueRow key={item.id} view={item} now={now} chosen={item.id === chosen} onChoose={onChoose} />
              ) : (
                <BehindRow key={item.id} view={item} />
              ),
            )}
          </li>
        ))}
      </ul>
      {away.length > 0 && (
        <section aria-labelledby="inbox-later" className="border-b border-line">
          <h2 id="inbox-later" className="m-0 px-3.5 pt-3.5 pb-1 text-sm font-semibold text-fg-3">
            {t("later.title")}
          </h2>
          <ul aria-labelledby="inbox-later" className="m-0 list-none p-0">
            {away.map((item) => (
              <li key={item.id}>
                <QueueRow view={item} now={now} chosen={item.id === chosen} onChoose={onChoose} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
