// What can be done with a login from every place on this screen. Failures become a message.
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { AccountView } from "@/ipc/bindings/AccountView";
import type { SignOutView } from "@/ipc/bindings/SignOutView";
import { call } from "@/ipc/bridge";
import { accounts } from "@/ipc/queries";
import { errorText } from "@/lib/error-text";
import { formatList } from "@/lib/format";
import { hostOf } from "@/lib/logins";
import { showVault } from "@/lib/overlays";
import { wholeSentence } from "@/lib/sentence";
import { useSignIn, wantsVault } from "@/lib/sign-in";
import { toast } from "@/lib/toasts";

export function useAccountActions() {
  const { t, i18n } = useTranslation("accounts");
  const client = useQueryClient();
  const navigate = useNavigate();
  const signing = useSignIn();
  /** The login that something is done to now. */
  const [busy, setBusy] = useState<number | null>(null);

  /** Tells whether it worked; where the vault is asked for first, once it is known. */
  const attempt = async (id: number, work: () => Promise<void>): Promise<boolean> => {
    let worked: boolean | Promise<boolean> = false;
    setBusy(id);
    try {
      await work();
      worked = true;
    } catch (error) {
      if (wantsVault(error))
        worked = new Promise((done) => {
          showVault(() => done(attempt(id, work)));
        });
      else toast({ text: errorText(error), tone: "bad" });
    } finally {
      setBusy(null);
      await client.invalidateQueries({ queryKey: accounts().queryKey });
    }
    return worked;
  };

  const sayHow = (account: AccountView, { revoked, problem }: SignOutView) => {
    const host = hostOf(account.issuer);
    if (revoked) toast({ text: t("signOut.done", { host }) });
    else
      toast({
        text: problem === null ? t("signOut.kept", { host }) : t("signOut.keptWhy", { why: wholeSentence(problem, i18n.language) }),
        tone: "bad",
      });
  };

  return {
    busy,
    refresh: (account: AccountView) =>
      attempt(account.id, async () => {
        await call("refresh_account", { id: account.id });
        toast({ text: t("action.refreshed", { host: hostOf(account.issuer) }) });
      }),
    signOut: (account: AccountView) => attempt(account.id, async () => sayHow(account, await call("sign_out", { id: account.id }))),
    signOutAll: (list: readonly AccountView[]) =>
      attempt(0, async () => {
        const ends = await call("sign_out_all", {});
        const kept = new Set(
          ends
            .filter((end) => !end.revoked)
            .flatMap((end) =>
              list.filter((account) => account.id === end.id && account.ended === null).map((account) => hostOf(account.issuer)),
            ),
        );
        if (kept.size === 0) toast({ text: t("signOutAll.done", { count: ends.length }) });
        else toast({ text: t("signOutAll.kept", { count: kept.size, hosts: formatList([...kept], i18n.language) }), tone: "bad" });
      }),
    forget: (account: AccountView) =>
      attempt(account.id, async () => {
        await call("forget_account", { id: account.id });
        toast({ text: t("action.forgotten", { host: hostOf(account.issuer) }) });
      }),
    /** Goes where the sign-in is shown, and begins it. */
    signInAgain: (account: AccountView) => {
      const server = account.servers.find((user) => user.chosen) ?? account.servers[0];
      if (!server) return;
      void navigate({ to: "/servers", search: { id: server.id, tab: "sign_in" } });
      void signing.begin(server.id);
    },
  };
}

export type AccountActions = ReturnType<typeof useAccountActions>;
