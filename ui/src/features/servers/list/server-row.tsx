import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ContextMenu } from "@/components/menu";
import { ServerMark } from "@/components/server-mark";
import { StateMark } from "@/components/state-mark";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { accounts } from "@/ipc/queries";
import { cx } from "@/lib/cx";
import { failureWords } from "@/lib/failure-text";
import { formatCount, formatMs } from "@/lib/format";
import { isChosen, whoOf } from "@/lib/logins";
import { useFocusPassedOn } from "@/lib/row-focus";
import { shownState } from "@/lib/server-state";
import { visibleLine } from "@/lib/untrusted";
import type { ServerActions } from "../actions";
import type { ServerTab } from "../search";
import { useServerMenu } from "./server-menu";

interface RowProps {
  server: ServerView;
  chosen: boolean;
  focusable: boolean;
  actions: ServerActions;
  onChoose: (id: number) => void;
  onOpen: (id: number, tab?: ServerTab) => void;
  onPage: (id: number) => void;
}

/** One server. Where it has no figures because it failed, the reason stands in their place. */
export function ServerRow({ server, chosen, focusable, actions, onChoose, onOpen, onPage }: RowProps) {
  const { t, i18n } = useTranslation();
  const row = useFocusPassedOn<HTMLTableRowElement>();
  const menu = useServerMenu(server, actions, (tab) => onOpen(server.id, tab));
  const { data: logins = [] } = useQuery(accounts());
  const login = logins.find((item) => isChosen(item, server.id));
  const account = login && (whoOf(login) ?? t("unnamed", { ns: "accounts" }));
  const { failure } = server;
  const words = failure && failureWords(failure, i18n.language);
  const reason = words?.title;
  const whole = words ? visibleLine(`${words.title} ${words.why ?? ""}`.trim()) : undefined;
  const reasonOnly = failure !== null && server.revision === null;
  const cell = cx("h-9.5 truncate border-b border-line px-2.5", chosen ? "bg-selected" : "group-hover:bg-hover");
  const figure = cx(cell, "text-right tabular", reasonOnly && "hidden @min-[820px]:table-cell");
  const nothing = <span className="text-fg-3">–</span>;
  return (
    <ContextMenu items={menu} onOpenChange={(open) => open && onChoose(server.id)}>
      {/* Keys are handled by the grid around the rows. */}
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events */}
      <tr
        ref={row}
        aria-selected={chosen}
        tabIndex={focusable ? 0 : -1}
        onClick={() => onOpen(server.id)}
        onDoubleClick={() => onPage(server.id)}
        className="group inset-focus"
      >
        <td className={cx(cell, "pl-4")}>
          <span className="flex min-w-0 items-center gap-2">
            <ServerMark server={server} small />
            <span className="flex min-w-0 items-baseline gap-1.5">
              <b className="truncate" title={visibleLine(server.name)}>
                {visibleLine(server.name)}
              </b>
              <span className="mono shrink-0 text-fg-3">{server.transport}</span>
            </span>
          </span>
        </td>
        <td className={cell}>
          <StateMark state={shownState(server)} className="max-w-full" />
        </td>
        <td className={cx(cell, "hidden @min-[980px]:table-cell")}>
          {account === undefined ? nothing : <bdi title={account}>{account}</bdi>}
        </td>
        <td className={cx(cell, "mono", reasonOnly && "hidden @min-[820px]:table-cell")}>
          {server.revision === null ? nothing : visibleLine(server.revision)}
        </td>
        <td className={figure}>{server.toolCount === null ? nothing : formatCount(server.toolCount, i18n.language)}</td>
        <td className={cx(figure, "pr-4")}>{server.callTimes === null ? nothing : formatMs(server.callTimes.p95Ms, i18n.language)}</td>
        {reasonOnly && (
          <td colSpan={3} title={whole} className={cx(cell, "pr-4 text-fg-2 @min-[820px]:hidden")}>
            {reason}
          </td>
        )}
        <td title={whole} className={cx(cell, "hidden pr-4 text-fg-2 @min-[820px]:table-cell")}>
          {reason ?? nothing}
        </td>
      </tr>
    </ContextMenu>
  );
}
