import { useQuery } from "@tanstack/react-query";
import { LogIn } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Fold } from "@/components/fold";
import { VaultBanner } from "@/components/vault-banner";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { SignInInput } from "@/ipc/bindings/SignInInput";
import type { SignInView } from "@/ipc/bindings/SignInView";
import { accounts, signIn } from "@/ipc/queries";
import { accountsFor, isChosen, isOver, lastingOf, whoOf } from "@/lib/logins";
import { betweenSentences } from "@/lib/sentence";
import { underWay, useSignIn } from "@/lib/sign-in";
import { useCommand } from "@/lib/use-command";
import { useNow } from "@/lib/use-now";
import { useLockedServers } from "@/lib/waiting";
import { AccountList } from "./account-list";
import { type Begun, begunAs, keepBegun } from "./begun";
import { focusPanel } from "../focus";
import { OtherWays } from "./client-form";
import { Problem } from "./problem";
import { Progress } from "./progress";
import { Steps } from "./steps";

/** A server's accounts, and the progress of a sign-in: step by step, with its findings. */
export function SignInTab({ server }: { server: ServerView }) {
  const { t, i18n } = useTranslation("sign-in");
  const signing = useSignIn();
  const { data: all = [] } = useQuery(accounts());
  const { data: last = null } = useQuery(signIn(server.id));
  const choosing = useCommand({ failure: (text) => `${t("accounts.notChosen")}${betweenSentences(i18n.language)}${text}` });
  /** How it was started here, including its secret. Forgotten when the tab is closed. */
  const asked = useRef<Partial<SignInInput> | null>(null);
  /** An earlier sign-in that lacks its secret, and how often it was asked for. */
  const [missing, setMissing] = useState<{ begun: Begun; turn: number } | null>(null);
  const now = useNow(10_000);

  const locked = useLockedServers().length > 0;
  const mine = accountsFor(all, server.id);
  const inUse = mine.find((account) => isChosen(account, server.id));
  const signedIn = inUse !== undefined && !isOver(lastingOf(inUse, now));
  const brought = all.find((account) => account.id === last?.account);
  // The account of a past sign-in may be gone.
  const view = last?.status === "done" && (brought === undefined || isOver(lastingOf(brought, now))) ? null : last;
  const running = underWay(view);

  const begin = (part: Partial<SignInInput> = {}) => {
    asked.current = part;
    focusPanel();
    setMissing(null);
    void signing.begin(server.id, part, (begun) => keepBegun(begun, part));
  };
  /** Starts again with the same input and additions. */
  const again = (failed: SignInView, part: Partial<SignInInput> = {}) => {
    const begun = asked.current === null ? begunAs(failed) : null;
    if (begun !== null && begun.proof !== null && part.clientSecret === undefined)
      setMissing((before) => ({ begun, turn: (before?.turn ?? 0) + 1 }));
    else begin({ ...(asked.current ?? begun?.part), ...part });
  };

  return (
    <>
      {/* A sign-in that failed because of the vault has its own notice, and the screen shows a locked server. */}
      {!locked && !(view?.status === "failed" && view.problem?.code === "vault") && <VaultBanner />}
      <div className="flex flex-col gap-5 px-5 py-4">
        {!running && !signedIn && view?.status !== "failed" && (
          <section>
            <p className="m-0 mb-2.5 text-fg-2">
              {t(inUse !== undefined ? "intro.again" : server.state === "sign_in_needed" ? "intro.needed" : "intro.notAsked")}
            </p>
            <Button look="primary" icon={LogIn} onClick={() => begin()}>
              {t(inUse === undefined ? "begin" : "beginAgain")}
            </Button>
          </section>
        )}
        {view !== null && view.status !== "failed" && (
          <Progress
            view={view}
            who={brought === undefined ? null : whoOf(brought)}
            onCancel={() => void signing.cancel(server.id)}
            onReopen={() => void signing.reopen(server.id)}
          />
        )}
        {view?.status === "failed" && view.problem !== null && (
          <Problem problem={view.problem} onBegin={(part) => again(view, part)} onAgain={() => again(view)} />
        )}
        {view !== null && (view.steps.length > 0 || running) && (
          <Fold title={t("steps.done")} count={view.steps.length}>
            <Steps
              steps={view.steps}
              pending={view.status === "working" ? t("steps.working") : view.status === "browser" ? t("steps.waiting") : null}
            />
          </Fold>
        )}
        {mine.length > 0 && (
          <AccountList
            server={server.id}
            accounts={mine}
            busy={choosing.busy || running}
            onChoose={(account) => void choosing.run("choose_account", { server: server.id, account })}
            onAnother={() => begin({ another: true })}
          />
        )}
        {!running && (
          <Fold key={missing?.turn ?? 0} open={missing !== null} title={t("other.title")} hint={t("other.hint")}>
            <OtherWays before={missing?.begun ?? null} onBegin={begin} />
          </Fold>
        )}
      </div>
    </>
  );
}
