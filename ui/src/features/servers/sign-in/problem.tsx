import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import type { SignInInput } from "@/ipc/bindings/SignInInput";
import type { SignInProblem } from "@/ipc/bindings/SignInProblem";
import { vault } from "@/ipc/queries";
import { showVault } from "@/lib/overlays";
import { sentence } from "@/lib/sentence";
import { blocked } from "@/lib/vault";
import { ClientForm } from "./client-form";

const codes = ["client_needed", "pkce_unannounced", "vault", "unreachable", "answered", "refused", "ended"] as const;

/** Why it failed, and what can be done about exactly that. */
export function Problem({ problem, onBegin, onAgain }: {
  problem: SignInProblem;
  /** Begins anew with something added. */
  onBegin: (part: Partial<SignInInput>) => void;
  /** Begins anew as it was. */
  onAgain: () => void;
}) {
  const { t, i18n } = useTranslation("signIn");
  const { data: vaultNow } = useQuery(vault());
  const code = codes.find((known) => known === problem.code) ?? "ended";
  const words = {
    title: t(`problem.${code}.title`),
    why: sentence(problem.message, i18n.language),
    next: problem.next === null ? t(`problem.${code}.next`) : sentence(problem.next, i18n.language),
  };
  if (code === "client_needed") {
    return (
      <div className="flex flex-col gap-4">
        <ErrorNotice tone="warn" answers {...words} />
        <ClientForm redirect={problem.redirect} onBegin={onBegin} />
      </div>
    );
  }
  if (code === "pkce_unannounced") {
    return (
      <ErrorNotice tone="warn" answers {...words}>
        <p className="m-0 w-full text-fg-2">{t("problem.pkce_unannounced.means")}</p>
        <Button onClick={() => onBegin({ pkceUnannounced: true })}>{t("problem.pkce_unannounced.allow")}</Button>
      </ErrorNotice>
    );
  }
  if (code === "vault") {
    const shut = vaultNow !== undefined && blocked(vaultNow);
    return (
      <ErrorNotice tone="warn" answers {...words}>
        <Button look="primary" onClick={() => (shut ? showVault(onAgain) : onAgain())}>{t(shut ? "problem.vault.open" : "problem.again")}</Button>
      </ErrorNotice>
    );
  }
  return (
    <ErrorNotice tone={code === "ended" ? "warn" : "bad"} answers {...words}>
      <Button look="primary" onClick={onAgain}>{t("problem.again")}</Button>
    </ErrorNotice>
  );
}
