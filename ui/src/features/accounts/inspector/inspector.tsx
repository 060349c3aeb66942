import { Link } from "@tanstack/react-router";
import { LogIn, LogOut, RefreshCw, Trash2, X } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/components/button";
import { Fold } from "@/components/fold";
import { Timeline } from "@/components/lasting";
import { MoreMenu } from "@/components/menu";
import { UntrustedText } from "@/components/their-voice";
import type { AccountView } from "@/ipc/bindings/AccountView";
import { KEEP_CLEAR } from "@/lib/clear-of";
import { formatAgo, formatMoment } from "@/lib/format";
import { isOver, lastingOf, whoOf } from "@/lib/logins";
import { visibleLine } from "@/lib/untrusted";
import { useNow } from "@/lib/use-now";
import type { AccountActions } from "../actions";
import { useAccountMenu } from "../list/account-menu";
import { Scopes } from "./scopes";

/** The details of an account: its owner, servers, lifetime and actions. */
export function AccountInspector({
  account,
  actions,
  onSignOut,
  onClose,
}: {
  account: AccountView;
  actions: AccountActions;
  onSignOut: (account: AccountView) => void;
  /** In a sheet: closes it. */
  onClose?: () => void;
}) {
  const { t, i18n } = useTranslation("accounts");
  const now = useNow(5_000);
  const menu = useAccountMenu(account, actions, onSignOut);
  const who = whoOf(account) ?? t("unnamed");
  const busy = actions.busy === account.id;
  const lasting = lastingOf(account, now);
  /** Whether its end is the most important fact. */
  const ends = isOver(lasting) || lasting === "soon";
  const meaning = lasting !== "renews" && account.servers.length === 0 ? "unused" : lasting;
  const token = (
    <section aria-labelledby="account-token">
      <h3 id="account-token" className="m-0 mb-1.5 font-semibold">
        {t("timeline.title")}
      </h3>
      <Timeline account={account} now={now} />
      <p className="m-0 mt-2 text-fg-2">{t(`meaning.${meaning}`)}</p>
    </section>
  );
  return (
    <aside aria-label={t("inspector.label", { who })} className="flex min-h-0 flex-1 flex-col bg-surface">
      <div className="flex items-start gap-1 border-b border-line pt-3.5 pr-3 pb-3 pl-5">
        <div className="min-w-0 flex-1">
          <h2 className="selectable m-0 line-clamp-3 text-xl font-[620] tracking-[-.015em] wrap-any">
            <bdi>{who}</bdi>
          </h2>
          <p className="m-0 mt-1 truncate text-fg-3" title={formatMoment(account.signedInAt, i18n.language)}>
            {t("inspector.signedIn", { ago: formatAgo(account.signedInAt, now, i18n.language) })}
          </p>
        </div>
        <MoreMenu label={t("action.more")} items={menu} />
        {onClose && <IconButton icon={X} label={t("close", { ns: "common" })} keys="escape" onClick={onClose} />}
      </div>
      <div className="flex min-h-0 flex-1 flex-col gap-5 overflow-y-auto px-5 py-4">
        {ends && token}
        <Facts account={account} now={now} />
        <Scopes account={account} />
        {!ends && token}
        <Fold title={t("inspector.technical")}>
          <Technical account={account} />
        </Fold>
      </div>
      <footer {...KEEP_CLEAR} className="flex shrink-0 flex-wrap items-center gap-2 border-t border-line px-5 py-3">
        {account.ended === null ? (
          <>
            {account.refreshable ? (
              <Button icon={RefreshCw} keys="r" busy={busy} onClick={() => void actions.refresh(account)}>
                {t("action.refresh")}
              </Button>
            ) : (
              account.servers.length > 0 && (
                <Button look={ends ? "primary" : "default"} icon={LogIn} disabled={busy} onClick={() => actions.signInAgain(account)}>
                  {t("action.signInAgain")}
                </Button>
              )
            )}
            <span className="flex-1" />
            <Button look="danger" icon={LogOut} disabled={busy} onClick={() => onSignOut(account)}>
              {t("action.signOut")}
            </Button>
          </>
        ) : (
          <>
            {account.servers.length > 0 && (
              <Button look="primary" icon={LogIn} disabled={busy} onClick={() => actions.signInAgain(account)}>
                {t("action.signInAgain")}
              </Button>
            )}
            <span className="flex-1" />
            <Button look="danger" icon={Trash2} busy={busy} onClick={() => onSignOut(account)}>
              {t("action.forget")}
            </Button>
          </>
        )}
      </footer>
    </aside>
  );
}

const PAIRS = "m-0 grid grid-cols-[88px_minmax(0,1fr)] gap-x-3 gap-y-1.75";

/** Which servers use it, and its times. */
function Facts({ account, now }: { account: AccountView; now: number }) {
  const { t, i18n } = useTranslation("accounts");
  const { signedInAt, usedAt, servers } = account;
  return (
    <dl className={PAIRS}>
      <Fact name={t("fact.servers")}>
        {servers.length === 0 ? (
          <span className="text-fg-3">{t("servers.none")}</span>
        ) : (
          <ul className="m-0 list-none p-0">
            {servers.map((server) => (
              <li key={server.id}>
                <Link
                  to="/servers"
                  search={{ id: server.id, tab: "sign_in" }}
                  className="rounded-xs text-accent no-underline hover:underline"
                >
                  {visibleLine(server.name)}
                </Link>
                {!server.chosen && <span className="text-fg-3"> · {t("servers.notChosen")}</span>}
              </li>
            ))}
          </ul>
        )}
      </Fact>
      <Fact name={t("fact.signedIn")}>
        <span className="text-fg-2">{formatMoment(signedInAt, i18n.language)}</span>
      </Fact>
      <Fact name={t("fact.used")}>
        <span className="text-fg-2" title={usedAt === null ? undefined : formatMoment(usedAt, i18n.language)}>
          {usedAt === null ? t("fact.neverUsed") : formatAgo(usedAt, now, i18n.language)}
        </span>
      </Fact>
    </dl>
  );
}

/** The protocol's terms for what the account is for and what it proves. */
function Technical({ account }: { account: AccountView }) {
  const { t } = useTranslation("accounts");
  const { client, label, subject } = account;
  const kind = account.tokenType.toLowerCase();
  return (
    <dl className={PAIRS}>
      <Fact name={t("fact.issuer")} code>
        <UntrustedText text={account.issuer} />
      </Fact>
      <Fact name={t("fact.resource")} code>
        <UntrustedText text={account.resource} />
      </Fact>
      {subject !== null && subject !== label && (
        <Fact name={t("fact.subject")} code>
          <UntrustedText text={subject} />
        </Fact>
      )}
      <Fact name={t("fact.type")}>
        <span className="text-fg-2">
          {kind === "dpop" ? t("fact.dpop") : kind === "bearer" ? t("fact.bearer") : visibleLine(account.tokenType)}
        </span>
      </Fact>
      {client !== null && (
        <Fact name={t("fact.client")}>
          <span className="mono block wrap-any">
            <UntrustedText text={client.id} />
          </span>
          <span className="text-fg-3">{t(`fact.origin.${client.origin}`)}</span>
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, code = false, children }: { name: string; code?: boolean; children: ReactNode }) {
  return (
    <>
      <dt className="text-fg-3">{name}</dt>
      <dd className={code ? "mono m-0 min-w-0 pt-px wrap-any" : "m-0 min-w-0 wrap-any"}>{children}</dd>
    </>
  );
}
