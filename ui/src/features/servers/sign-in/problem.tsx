import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import { Said } from "@/components/said";
import { TheirVoice } from "@/components/their-voice";
import type { SignInInput } from "@/ipc/bindings/SignInInput";
import type { SignInProblem } from "@/ipc/bindings/SignInProblem";
import { vault } from "@/ipc/queries";
import { showVault } from "@/lib/overlays";
import { wholeSentence } from "@/lib/sentence";
import { blocked } from "@/lib/vault";
import { ClientForm } from "./client-form";

/** Why the sign-in failed, and what can be done about it. */
export function Problem({
  problem,
  onBegin,
  onAgain,
}: {
  problem: SignInProblem;
  /** Starts again with additional input. */
  onBegin: (part: Partial<SignInInput>) => void;
  /** Starts again with the same input. */
  onAgain: () => void;
}) {
  const { t, i18n } = useTranslation("sign-in");
  const { data: vaultNow } = useQuery(vault());
  const { code } = problem;
  /** The next step. If a client must be registered, the steps of its form explain it. */
  const nextWords = () => {
    if (code === "client_needed") return null;
    return problem.next === null ? t(`problem.${code}.next`) : wholeSentence(problem.next, i18n.language);
  };
  const words = { title: t(`problem.${code}.title`), why: wholeSentence(problem.message, i18n.language), next: nextWords() };
  const answered = {
    why: <Said said={problem.said?.ours ?? problem.message} whole />,
    theirs: problem.said !== null && <TheirVoice server={t("problem.speaker")}>{problem.said.theirs}</TheirVoice>,
  };
  if (code === "client_needed") {
    return (
      <div className="flex flex-col gap-4">
        <ErrorNotice tone="warn" answers {...words} />
        <ClientForm redirect={problem.redirect} onBegin={onBegin} />
      </div>
    );
  }
  if (code === "pkce_unannounced" || code === "resource_refused") {
    const allowed = code === "pkce_unannounced" ? { pkceUnannounced: true } : { withoutResource: true };
    return (
      // The explanation is below, so the next step is the short text.
      <ErrorNotice tone="warn" answers {...words} {...answered} next={t(`problem.${code}.next`)}>
        <p className="m-0 w-full text-fg-2">{t(`problem.${code}.means`)}</p>
        <Button onClick={() => onBegin(allowed)}>{t(`problem.${code}.allow`)}</Button>
      </ErrorNotice>
    );
  }
  if (code === "vault") {
    const shut = vaultNow !== undefined && blocked(vaultNow);
    return (
      <ErrorNotice tone="warn" answers {...words}>
        <Button look="primary" onClick={() => (shut ? showVault(onAgain) : onAgain())}>
          {t(shut ? "problem.vault.open" : "problem.again")}
        </Button>
      </ErrorNotice>
    );
  }
  if (code === "answered") {
    return (
      <ErrorNotice answers {...words} {...answered}>
        <Button look="primary" onClick={onAgain}>
          {t("problem.again")}
        </Button>
      </ErrorNotice>
    );
  }
  return (
    <ErrorNotice tone={code === "ended" ? "warn" : "bad"} answers {...words}>
      <Button look="primary" onClick={onAgain}>
        {t("problem.again")}
      </Button>
    </ErrorNotice>
  );
}
