import { ArrowLeftRight, Copy, FlaskConical, ListFilter, PanelRight } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { ContextMenu, type MenuItem } from "@/components/menu";
import type { LogRow } from "@/ipc/bindings/LogRow";
import { visibleLine } from "@/lib/untrusted";
import type { ActivitySearch } from "../search";
import { appOf, isAnswer } from "./describe";

export interface RowActions {
  open: (row: LogRow) => void;
  copy: (row: LogRow) => void;
  filter: (part: ActivitySearch) => void;
  workbench: (server: number, tool: string) => void;
  partner: (row: LogRow) => LogRow | null;
}

/** The context menu of the rows. */
export function RowMenu({
  rowAt,
  onMenu,
  actions,
  children,
}: {
  rowAt: (target: EventTarget) => LogRow | null;
  /** Called with the row for which the menu opens. */
  onMenu: (row: LogRow) => void;
  actions: RowActions;
  children: ReactNode;
}) {
  const { t } = useTranslation(["activity", "common"]);
  const [row, setRow] = useState<LogRow | null>(null);
  const items: MenuItem[] = [];
  if (row) {
    const { method, subject, serverId, source, kind } = row;
    const partner = actions.partner(row);
    items.push({ label: t("menu.open"), icon: PanelRight, keys: "enter", onSelect: () => actions.open(row) });
    if (partner)
      items.push({ label: t(isAnswer(row) ? "menu.request" : "menu.answer"), icon: ArrowLeftRight, onSelect: () => actions.open(partner) });
    if (serverId !== null && method === "tools/call" && subject !== null) {
      items.push({ label: t("detail.workbench"), icon: FlaskConical, onSelect: () => actions.workbench(serverId, subject) });
    }
    items.push({ label: t("detail.copy"), icon: Copy, onSelect: () => actions.copy(row) }, "separator");
    const app = row.app;
    if (appOf(row) === null)
      items.push({
        label: t("menu.only", { value: visibleLine(source) }),
        icon: ListFilter,
        onSelect: () => actions.filter({ server: source }),
      });
    if (app !== null)
      items.push({ label: t("menu.only", { value: visibleLine(app) }), icon: ListFilter, onSelect: () => actions.filter({ app }) });
    const call = row.call;
    if (call !== null) items.push({ label: t("menu.call"), icon: ListFilter, onSelect: () => actions.filter({ call }) });
    if (method !== null)
      items.push({ label: t("menu.only", { value: visibleLine(method) }), icon: ListFilter, onSelect: () => actions.filter({ method }) });
    items.push({ label: t("menu.only", { value: t(`kind.${kind}`) }), icon: ListFilter, onSelect: () => actions.filter({ kind }) });
  }
  return (
    <ContextMenu items={items}>
      <div
        className="relative flex min-h-0 min-w-0 flex-1 flex-col"
        onContextMenu={(event) => {
          const found = rowAt(event.target);
          setRow(found);
          // Empty space has no menu.
          if (found) onMenu(found);
          else event.preventDefault();
        }}
      >
        {children}
      </div>
    </ContextMenu>
  );
}
