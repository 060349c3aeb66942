import { useTranslation } from "react-i18next";
import { LastingBar, LastingMark } from "@/components/lasting";
import { ContextMenu } from "@/components/menu";
import type { AccountView } from "@/ipc/bindings/AccountView";
import { cx } from "@/lib/cx";
import { hostOf, whoOf } from "@/lib/logins";
import { visibleLine } from "@/lib/untrusted";
import type { AccountActions } from "../actions";
import { useAccountMenu } from "./account-menu";
import type { AccountColumn } from "./columns";
import { needsSignIn } from "./groups";

interface RowProps {
  account: AccountView;
  /** The columns that have room. */
  columns: ReadonlySet<AccountColumn>;
  now: number;
  chosen: boolean;
  focusable: boolean;
  actions: AccountActions;
  onChoose: (id: number) => void;
  onOpen: (id: number) => void;
  onSignOut: (account: AccountView) => void;
}

/** An account: its owner, the servers that use it, and its lifetime. */
export function AccountRow({ account, columns, now, chosen, focusable, actions, onChoose, onOpen, onSignOut }: RowProps) {
  const { t } = useTranslation("accounts");
  const menu = useAccountMenu(account, actions, onSignOut);
  const cell = cx("h-11 truncate border-b border-line px-2.5", chosen ? "bg-selected" : "group-hover:bg-hover");
  const names = account.servers.map((server) => visibleLine(server.name));
  const [first] = names;
  const used = first === undefined ? t("servers.none") : names.length === 1 ? first : t("servers.more", { first, count: names.length - 1 });
  const who = whoOf(account) ?? t("unnamed");
  return (
    <ContextMenu items={menu} onOpenChange={(open) => open && onChoose(account.id)}>
      {/* The grid around the rows handles their keys. */}
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events */}
      <tr aria-selected={chosen} tabIndex={focusable ? 0 : -1} onClick={() => onOpen(account.id)} className="group inset-focus">
        <td className={cx(cell, "pl-4")}>
          <b data-name-cell className="block truncate" title={who}>
            <bdi>{who}</bdi>
          </b>
          <span className="mono block truncate text-fg-3" title={visibleLine(account.resource)}>
            {hostOf(account.resource)}
          </span>
        </td>
        {columns.has("servers") && (
          <td className={cx(cell, account.servers.some((server) => server.chosen) ? "text-fg" : "text-fg-3")} title={names.join(", ")}>
            {used}
          </td>
        )}
        {columns.has("lasting") && (
          <td className={cx(cell, "pr-4")}>
            <LastingMark account={account} now={now} className="max-w-full" />
            {needsSignIn(account, now) ? (
              <button
                type="button"
                // The row handles the keys, and the details have this button as well.
                tabIndex={-1}
                onClick={(event) => {
                  event.stopPropagation();
                  actions.signInAgain(account);
                }}
                className="block rounded-xs text-sm font-medium text-accent hover:underline"
              >
                {t("action.signInAgain")}
              </button>
            ) : (
              <LastingBar account={account} now={now} className="mt-1 mr-1" />
            )}
          </td>
        )}
      </tr>
    </ContextMenu>
  );
}
