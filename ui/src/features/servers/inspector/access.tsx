import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleUser, Folder, ImageDown, type LucideIcon, Sparkles } from "lucide-react";
import { type ReactNode, useId } from "react";
import { useTranslation } from "react-i18next";
import { useFolderActions } from "@/components/folders/actions";
import { Icon } from "@/components/icon";
import { LastingMark } from "@/components/lasting";
import { Select } from "@/components/select";
import { Switch } from "@/components/toggles";
import type { AccountView } from "@/ipc/bindings/AccountView";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { accounts, models, serverRoots } from "@/ipc/queries";
import { accountsFor, hostOf, isChosen, isOver, lastingOf, whoOf } from "@/lib/logins";
import { cx } from "@/lib/cx";
import { betweenSentences } from "@/lib/sentence";
import { useAllowSampling } from "@/lib/use-allow-sampling";
import { useCommand } from "@/lib/use-command";
import { useNow } from "@/lib/use-now";
import { visibleLine } from "@/lib/untrusted";
import { answers } from "../actions";
import type { ServerTab } from "../search";

/** What a server may use: folders, models, an account. */
export function Access({ server }: { server: ServerView }) {
  const { t } = useTranslation("servers");
  return (
    <section aria-label={t("access.title")}>
      <h3 className="m-0 mb-1.5 font-semibold">{t("access.title")}</h3>
      <ul aria-label={t("access.title")} className="m-0 list-none overflow-hidden rounded-m border border-line p-0">
        <Folders server={server} />
        <Models server={server} />
        {server.transport === "http" && <Account server={server} />}
        {server.namesIcons && <Icons server={server} />}
      </ul>
    </section>
  );
}

const linked = "rounded-xs whitespace-nowrap text-accent underline";

function ToTab({ server, tab, children }: { server: ServerView; tab: ServerTab; children: ReactNode }) {
  return (
    <Link to="/servers" search={(now) => ({ ...now, id: server.id, tab })} replace className={linked}>
      {children}
    </Link>
  );
}

function Folders({ server }: { server: ServerView }) {
  const { t } = useTranslation("servers");
  const id = useId();
  const { data } = useQuery(serverRoots(server.id));
  const { share } = useFolderActions();
  // Unusable folders aren't shared.
  const usable = data?.roots.filter(({ problem }) => problem === null) ?? [];
  const shared = usable.filter((root) => root.server !== null || data?.shared === true).length;
  return (
    <Line
      icon={Folder}
      name={t("access.folders")}
      note={
        <>
          {data && <span>{t("access.shared", { count: shared })}</span>}
          <ToTab server={server} tab="roots">
            {t("access.change")}
          </ToTab>
        </>
      }
      labelled
    >
      <label htmlFor={id} className="text-sm text-fg-2">
        {t("access.everyFolder")}
      </label>
      <Switch id={id} checked={data?.shared === true} disabled={data === undefined} onChange={(on) => void share(server.id, on)} />
    </Line>
  );
}

function Models({ server }: { server: ServerView }) {
  const { t } = useTranslation("servers");
  const { data } = useQuery(models());
  const allow = useAllowSampling();
  const policy = data?.servers.find((item) => item.policy.server === server.id)?.policy;
  // A session server only learns when it connects that it may use models.
  const restarts = answers(server) && server.negotiatedEra !== "modern";
  return (
    <Line
      icon={Sparkles}
      name={t("access.models")}
      note={
        <>
          {restarts && <span>{t("access.restarts")}</span>}
          <Link to="/models" className={linked}>
            {t("access.budgets")}
          </Link>
        </>
      }
    >
      <Switch
        label={t("servers.switch", { ns: "models", name: visibleLine(server.name) })}
        checked={policy?.enabled === true}
        disabled={policy === undefined}
        onChange={(enabled) => policy && void allow({ ...policy, enabled })}
      />
    </Line>
  );
}

/** Whether icons with a URL are loaded from the server's own host. */
function Icons({ server }: { server: ServerView }) {
  const { t } = useTranslation("servers");
  const id = useId();
  const { run } = useCommand();
  const host = visibleLine(URL.parse(server.url ?? "")?.host ?? "");
  return (
    <Line icon={ImageDown} name={t("access.icons")} note={t("access.iconsNote")} labelled>
      <label htmlFor={id} className="text-sm text-fg-2 wrap-any">
        {t("access.iconsFrom", { host })}
      </label>
      <Switch id={id} checked={server.loadsIcons} onChange={(loads) => void run("set_loads_icons", { id: server.id, loads })} />
    </Line>
  );
}

const NOBODY = "nobody";

/** The account that the server uses, and a choice of others. A signed-out one can't be chosen. */
function Account({ server }: { server: ServerView }) {
  const { t, i18n } = useTranslation("sign-in");
  const now = useNow(10_000);
  const { data: all = [] } = useQuery(accounts());
  const { busy, run } = useCommand({ failure: (text) => `${t("accounts.notChosen")}${betweenSentences(i18n.language)}${text}` });
  const mine = accountsFor(all, server.id);
  const account = mine.find((item) => isChosen(item, server.id));
  const usable = mine.filter((item) => item === account || !isOver(lastingOf(item, now)));
  const name = t("fact.account", { ns: "servers" });
  const nameOf = (item: AccountView) => whoOf(item) ?? t("unnamed", { ns: "accounts" });
  /** Accounts with the same name are distinguished by their issuer. */
  const labelOf = (item: AccountView) =>
    usable.some((other) => other !== item && nameOf(other) === nameOf(item)) ? `${nameOf(item)} · ${hostOf(item.issuer)}` : nameOf(item);
  if (usable.length === 0)
    return (
      <Line icon={CircleUser} name={name} note={t("access.noAccount", { ns: "servers" })}>
        <ToTab server={server} tab="sign_in">
          {t("begin")}
        </ToTab>
      </Line>
    );
  return (
    <Line
      icon={CircleUser}
      name={name}
      note={
        <>
          {account ? (
            <LastingMark account={account} now={now} className="text-sm" />
          ) : (
            <span>{t("access.noAccount", { ns: "servers" })}</span>
          )}
          {answers(server) && <span>{t("access.restarts", { ns: "servers" })}</span>}
          <ToTab server={server} tab="sign_in">
            {t("accounts.another")}
          </ToTab>
        </>
      }
    >
      <Select
        label={name}
        value={account === undefined ? NOBODY : String(account.id)}
        disabled={busy}
        options={[
          ...usable.map((item) => ({ value: String(item.id), label: labelOf(item) })),
          { value: NOBODY, label: t("accounts.nobody") },
        ]}
        onChange={(next) => void run("choose_account", { server: server.id, account: next === NOBODY ? null : Number(next) })}
        className="max-w-60"
      />
    </Line>
  );
}

function Line({
  icon,
  name,
  note,
  labelled = false,
  children,
}: {
  icon: LucideIcon;
  name: string;
  note: ReactNode;
  /** Its content is more than a switch, so the label has its own line. */
  labelled?: boolean;
  children: ReactNode;
}) {
  return (
    <li className="flex flex-wrap items-center gap-x-2.5 gap-y-1 border-b border-line px-3 py-2 last:border-0">
      <Icon of={icon} size={16} className="shrink-0 text-fg-3" />
      <div className="min-w-32 flex-1">
        <div className="font-[560]">{name}</div>
        <div className="flex flex-wrap items-center gap-x-1.5 text-sm text-fg-3 empty:hidden">{note}</div>
      </div>
      <div className={cx("flex items-center gap-2", labelled ? "basis-full justify-between pl-6.5" : "ml-auto max-w-full")}>{children}</div>
    </li>
  );
}
