import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { Quoted } from "@/components/their-voice";
import type { AccountView } from "@/ipc/bindings/AccountView";
import { formatList } from "@/lib/format";
import { hostOf, whoOf } from "@/lib/logins";
import { visibleLine } from "@/lib/untrusted";

/** Asks before tokens are revoked or a signed-out account is removed. Without an account, all are affected. */
export function SignOutDialog({
  account,
  accounts,
  onSubmit,
  onClose,
}: {
  account: AccountView | null;
  /** All accounts in use, for signing out of everything. */
  accounts: readonly AccountView[];
  onSubmit: () => void;
  onClose: () => void;
}) {
  const { t, i18n } = useTranslation("accounts");
  const who = account && whoOf(account);
  const of = account !== null && account.ended !== null ? "removal" : "signOut";
  const about = account === null ? accounts : [account];
  // Only servers that use it now. The others use another account.
  const names = [
    ...new Map(
      about.flatMap((item) => item.servers.filter((server) => server.chosen).map((server) => [server.id, visibleLine(server.name)])),
    ).values(),
  ];
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="s"
      title={
        account === null ? (
          t("signOutAll.title")
        ) : (
          <>
            {t(`${of}.title.before`)} {who === null ? t("unnamed") : <Quoted text={who} />} {t(`${of}.title.after`)}
          </>
        )
      }
      footer={
        <>
          <span className="flex-1" />
          <Button onClick={onClose}>{t("cancel", { ns: "common" })}</Button>
          <Button
            look="danger"
            onClick={() => {
              onClose();
              onSubmit();
            }}
          >
            {t(account === null ? "signOutAll.submit" : `${of}.submit`)}
          </Button>
        </>
      }
    >
      {of === "removal" ? (
        <p className="m-0 text-fg-2">{t("removal.text")}</p>
      ) : (
        <ul className="m-0 flex list-disc flex-col gap-1.5 pl-4.5 text-fg-2">
          <li className="wrap-any">
            {account === null ? t("signOutAll.back", { count: about.length }) : t("signOut.back", { host: hostOf(account.issuer) })}
          </li>
          <li className="wrap-any">
            {names.length === 0
              ? t("signOut.noServers")
              : t("signOut.servers", {
                  count: names.length,
                  names: formatList(
                    names.map((name) => `“${name}”`),
                    i18n.language,
                  ),
                })}
          </li>
          <li>{account === null ? t("signOutAll.here", { count: about.length }) : t("signOut.here")}</li>
          {account === null && <li>{t("signOutAll.secrets")}</li>}
        </ul>
      )}
    </Dialog>
  );
}
