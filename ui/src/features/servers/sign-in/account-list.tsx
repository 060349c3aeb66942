import { CircleSlash, CircleUser, Plus } from "lucide-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Chip } from "@/components/chip";
import { Icon } from "@/components/icon";
import { LastingMark } from "@/components/lasting";
import type { AccountView } from "@/ipc/bindings/AccountView";
import { cx } from "@/lib/cx";
import { hostOf, isChosen, isOver, lastingOf, whoOf } from "@/lib/logins";
import { useNow } from "@/lib/use-now";

/** The accounts that a server may use: the one in use, the others, and none. */
export function AccountList({
  server,
  accounts,
  busy,
  onChoose,
  onAnother,
}: {
  server: number;
  accounts: readonly AccountView[];
  busy: boolean;
  /** Null means no account. */
  onChoose: (account: number | null) => void;
  onAnother: () => void;
}) {
  const { t } = useTranslation("sign-in");
  const now = useNow(10_000);
  const nobody = !accounts.some((account) => isChosen(account, server));
  return (
    <section aria-labelledby="sign-in-accounts">
      <h3 id="sign-in-accounts" className="m-0 mb-2 font-semibold">
        {t("accounts.title")}
      </h3>
      <ul className="m-0 list-none overflow-hidden rounded-m border border-line p-0">
        {accounts.map((account) => {
          const chosen = isChosen(account, server);
          const over = isOver(lastingOf(account, now));
          const who = whoOf(account) ?? t("unnamed", { ns: "accounts" });
          return (
            <Line
              key={account.id}
              chosen={chosen}
              over={over}
              icon={<Icon of={CircleUser} size={16} className={cx("shrink-0", chosen ? "text-accent" : "text-fg-3")} />}
              name={
                <Link to="/accounts" search={{ id: account.id, open: true }} className="rounded-xs text-fg no-underline hover:underline">
                  <bdi className="font-[560] wrap-any">{who}</bdi>
                </Link>
              }
              note={
                <>
                  <LastingMark account={account} now={now} className="text-sm" />{" "}
                  <span className="truncate text-sm text-fg-3">{hostOf(account.issuer)}</span>
                </>
              }
            >
              {!chosen && !over && (
                <Button disabled={busy} aria-label={t("accounts.useOne", { who })} onClick={() => onChoose(account.id)}>
                  {t("accounts.use")}
                </Button>
              )}
            </Line>
          );
        })}
        <Line
          chosen={nobody}
          icon={<Icon of={CircleSlash} size={16} className="shrink-0 text-fg-3" />}
          name={t("accounts.nobody")}
          note={<span className="text-sm text-fg-3">{t("accounts.nobodyText")}</span>}
        >
          {!nobody && (
            <Button disabled={busy} aria-label={t("accounts.useNobody")} onClick={() => onChoose(null)}>
              {t("accounts.use")}
            </Button>
          )}
        </Line>
      </ul>
      <p className="m-0 mt-1.5 mb-2.5 text-sm text-fg-3">{t("accounts.restarts")}</p>
      <Button icon={Plus} disabled={busy} onClick={onAnother}>
        {t("accounts.another")}
      </Button>
    </section>
  );
}

function Line({
  chosen,
  over = false,
  icon,
  name,
  note,
  children,
}: {
  chosen: boolean;
  /** Signed out. */ over?: boolean;
  icon: ReactNode;
  name: ReactNode;
  note: ReactNode;
  children: ReactNode;
}) {
  const { t } = useTranslation("sign-in");
  return (
    <li className="flex min-h-12 items-center gap-2.5 border-b border-line px-3 py-1.75 last:border-0">
      {icon}
      <div className="min-w-0 flex-1">
        <div className="min-w-0">{name}</div>
        <div className="flex min-w-0 items-center gap-2">{note}</div>
      </div>
      {chosen ? <Chip tone={over ? "plain" : "ok"}>{t("accounts.inUse")}</Chip> : children}
    </li>
  );
}
