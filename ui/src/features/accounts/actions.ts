// Actions on accounts, for all places of this screen. Failures show a message.
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { AccountView } from "@/ipc/bindings/AccountView";
import type { SignOutView } from "@/ipc/bindings/SignOutView";
import type { Commands } from "@/ipc/bindings/commands";
import { formatList } from "@/lib/format";
import { hostOf } from "@/lib/logins";
import { wholeSentence } from "@/lib/sentence";
import { useSignIn } from "@/lib/sign-in";
import { toast } from "@/lib/toasts";
import { useCommand } from "@/lib/use-command";

type Act = "refresh_account" | "sign_out" | "sign_out_all" | "forget_account";

export function useAccountActions() {
  const { t, i18n } = useTranslation("accounts");
  const navigate = useNavigate();
  const signing = useSignIn();
  const { busy, run } = useCommand({ vault: true });
  /** The account of the current or last action. */
  const [at, setAt] = useState<number | null>(null);

  /** Resolves to whether it worked, which may be after the vault was unlocked. */
  const act = async <K extends Act>(id: number, name: K, args: Commands[K]["args"], done: (answer: Commands[K]["ret"]) => void) => {
    setAt(id);
    return (await run(name, args, { done })) !== undefined;
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
    busy: busy ? at : null,
    refresh: (account: AccountView) =>
      act(account.id, "refresh_account", { id: account.id }, () =>
        toast({ text: t("action.refreshed", { host: hostOf(account.issuer) }) }),
      ),
    signOut: (account: AccountView) => act(account.id, "sign_out", { id: account.id }, (end) => sayHow(account, end)),
    signOutAll: (list: readonly AccountView[]) =>
      act(0, "sign_out_all", {}, (ends) => {
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
      act(account.id, "forget_account", { id: account.id }, () => toast({ text: t("action.forgotten", { host: hostOf(account.issuer) }) })),
    /** Opens the sign-in and starts it. */
    signInAgain: (account: AccountView) => {
      const server = account.servers.find((user) => user.chosen) ?? account.servers[0];
      if (!server) return;
      void navigate({ to: "/servers", search: { id: server.id, tab: "sign_in" } });
      void signing.begin(server.id);
    },
  };
}

export type AccountActions = ReturnType<typeof useAccountActions>;
