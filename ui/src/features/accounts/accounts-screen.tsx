import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Filter, LogOut } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import { FilterInput, ListBody } from "@/components/list-screen";
import { MoreMenu } from "@/components/menu";
import { Page } from "@/components/page";
import { SegmentedControl } from "@/components/toggles";
import { VaultBanner } from "@/components/vault-banner";
import type { AccountView } from "@/ipc/bindings/AccountView";
import { accounts } from "@/ipc/queries";
import { whoOf } from "@/lib/logins";
import { pressedOnRow } from "@/lib/row-walk";
import { useShortcut } from "@/lib/shortcuts";
import { useMedia } from "@/lib/use-media";
import { useNow } from "@/lib/use-now";
import { type AccountActions, useAccountActions } from "./actions";
import { AccountInspector } from "./inspector/inspector";
import { AccountTable } from "./list/account-table";
import { byService, inOrder, matchesFilter, needsSignIn } from "./list/groups";
import { NoLogins } from "./no-logins";
import { SecretsPane } from "./secrets/secrets-pane";
import { SignOutDialog } from "./sign-out-dialog";

const route = getRouteApi("/accounts");

/** Accounts, their lifetimes, and encrypted values. */
export function AccountsScreen() {
  const { t } = useTranslation("accounts");
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const query = useQuery(accounts());
  const wide = useMedia("(min-width: 1100px)");
  const now = useNow(30_000);
  const verbs = useAccountActions();
  const filterBox = useRef<HTMLInputElement>(null);
  const [filter, setFilter] = useState("");
  /** The account that the dialog asks about. */
  const [leaving, setLeaving] = useState<AccountView | "all" | null>(null);

  const view = search.view ?? "logins";
  const list = query.data ?? [];
  const needing = list.filter((account) => needsSignIn(account, now)).length;
  const live = list.filter((account) => account.ended === null);
  const groups = byService(inOrder(list, now).filter((account) => matchesFilter(account, filter)));
  const shown = groups.flatMap((group) => group.accounts);
  const chosen = shown.find((account) => account.id === search.id) ?? (wide ? shown[0] : undefined);
  const logins = view === "logins" && list.length > 0;

  const go = (change: Partial<typeof search>) => void navigate({ search: (now) => ({ ...now, ...change }), replace: true });
  /** The selected account, for work that ends later. Undefined once the screen was left. */
  const looking = useRef<number | undefined>(undefined);
  useEffect(() => {
    looking.current = search.id;
    return () => {
      looking.current = undefined;
    };
  }, [search.id]);
  /** Selects the nearest neighbour, unless the person has selected another account meanwhile. */
  const moveOn = async (account: AccountView, work: Promise<boolean>): Promise<boolean> => {
    const at = shown.findIndex((item) => item.id === account.id);
    const others = [...shown.slice(at + 1), ...shown.slice(0, Math.max(0, at)).toReversed()];
    const worked = await work;
    if (!worked || looking.current !== account.id) return worked;
    // Other accounts may be gone too. Prefer one that is signed in, because others offer removal in the same place.
    const left = client.getQueryData(accounts().queryKey) ?? [];
    const there = others.filter(({ id }) => left.some((item) => item.id === id));
    const next = there.find(({ id }) => left.some((item) => item.id === id && item.ended === null)) ?? there[0];
    go({ id: next?.id, open: undefined });
    return worked;
  };
  const actions: AccountActions = {
    ...verbs,
    signOut: (account) => moveOn(account, verbs.signOut(account)),
    forget: (account) => moveOn(account, verbs.forget(account)),
  };
  const step = (by: number) => {
    const at = shown.findIndex((account) => account.id === chosen?.id);
    const next = shown[Math.min(shown.length - 1, Math.max(0, at + by))];
    if (next) go({ id: next.id });
  };
  const leave = (who: AccountView | "all") => {
    if (who === "all") return actions.signOutAll(list);
    return who.ended === null ? actions.signOut(who) : actions.forget(who);
  };

  useShortcut("/", () => filterBox.current?.focus(), { enabled: logins });
  useShortcut("r", () => chosen?.refreshable === true && chosen.ended === null && void actions.refresh(chosen), { enabled: logins });
  useShortcut("backspace", (event) => chosen && pressedOnRow(event) && setLeaving(chosen), { enabled: logins });

  const table = (
    <AccountTable
      groups={groups}
      chosen={chosen?.id ?? null}
      actions={actions}
      onChoose={(id) => go({ id })}
      onOpen={(id) => go({ id, open: true })}
      onStep={step}
      onSignOut={setLeaving}
    />
  );
  const inspector = chosen && (
    <AccountInspector
      key={chosen.id}
      account={chosen}
      actions={actions}
      onSignOut={setLeaving}
      {...(wide ? {} : { onClose: () => go({ open: undefined }) })}
    />
  );

  return (
    <Page
      title={t("place")}
      sub={
        view === "logins" &&
        list.length > 0 && (
          <>
            {t("sub", { count: list.length })}
            {needing > 0 && <span className="text-warn"> · {t("needYou", { count: needing })}</span>}
          </>
        )
      }
      actions={
        <>
          {logins && <FilterInput ref={filterBox} label={t("filter.label")} value={filter} onChange={setFilter} />}
          <SegmentedControl
            label={t("view.label")}
            value={view}
            onChange={(next) => go({ view: next === "logins" ? undefined : next, open: undefined })}
            options={[
              { value: "logins", label: t("view.logins") },
              { value: "secrets", label: t("view.secrets") },
            ]}
          />
          {live.length > 0 && (
            <MoreMenu
              label={t("action.more")}
              items={[{ label: t("action.signOutAll"), icon: LogOut, danger: true, onSelect: () => setLeaving("all") }]}
            />
          )}
        </>
      }
    >
      {view === "logins" && <VaultBanner />}
      {view === "secrets" ? (
        <SecretsPane />
      ) : (
        <ListBody
          query={query}
          failed={t("listFailed")}
          next={t("failedNext")}
          instead={
            list.length === 0 ? (
              <NoLogins />
            ) : (
              shown.length === 0 && (
                <EmptyState icon={Filter} title={t("filter.nothing")} text={t("filter.nothingText", { text: filter })}>
                  <Button onClick={() => setFilter("")}>{t("filter.clear")}</Button>
                </EmptyState>
              )
            )
          }
          wide={wide}
          split={{ id: "accounts", initial: 420, min: 340, max: 620, label: t("inspector.resize") }}
          sheet={{
            open: search.open === true,
            onOpenChange: (open) => go({ open: open || undefined }),
            title: (chosen && whoOf(chosen)) ?? t("unnamed"),
          }}
          list={table}
          pane={inspector}
        />
      )}
      {leaving !== null && (
        <SignOutDialog
          account={leaving === "all" ? null : leaving}
          accounts={live}
          onSubmit={() => void leave(leaving)}
          onClose={() => setLeaving(null)}
        />
      )}
    </Page>
  );
}
