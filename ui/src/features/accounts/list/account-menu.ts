import { useNavigate } from "@tanstack/react-router";
import { Copy, KeyRound, LogIn, LogOut, RefreshCw, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { MenuItem } from "@/components/menu";
import type { AccountView } from "@/ipc/bindings/AccountView";
import { toast } from "@/lib/toasts";
import type { AccountActions } from "../actions";

/** The menu of an account: on right click and behind the dots in the details. */
export function useAccountMenu(account: AccountView, actions: AccountActions, onSignOut: (account: AccountView) => void): MenuItem[] {
  const { t } = useTranslation("accounts");
  const navigate = useNavigate();
  const server = account.servers.find((user) => user.chosen) ?? account.servers[0];
  const copy = async (text: string) => {
    await navigator.clipboard.writeText(text);
    toast({ text: t("action.copied") });
  };
  const { client } = account;
  return [
    ...(account.ended === null
      ? [
          {
            label: t("action.refresh"),
            icon: RefreshCw,
            keys: "r",
            disabled: !account.refreshable,
            onSelect: () => void actions.refresh(account),
          },
        ]
      : [{ label: t("action.signInAgain"), icon: LogIn, disabled: server === undefined, onSelect: () => actions.signInAgain(account) }]),
    {
      label: t("action.serverSignIn"),
      icon: KeyRound,
      disabled: server === undefined,
      onSelect: () => server && void navigate({ to: "/servers", search: { id: server.id, tab: "sign_in" } }),
    },
    "separator" as const,
    { label: t("action.copyIssuer"), icon: Copy, onSelect: () => void copy(account.issuer) },
    ...(client === null ? [] : [{ label: t("action.copyClient"), icon: Copy, onSelect: () => void copy(client.id) }]),
    "separator" as const,
    account.ended === null
      ? { label: t("action.signOut"), icon: LogOut, keys: "backspace", danger: true, onSelect: () => onSignOut(account) }
      : { label: t("action.forget"), icon: Trash2, keys: "backspace", danger: true, onSelect: () => onSignOut(account) },
  ];
}
