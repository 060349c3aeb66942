// Starts signing in to a server, from any place.
import { useQueryClient } from "@tanstack/react-query";
import i18next from "i18next";
import { useTranslation } from "react-i18next";
import type { Commands } from "@/ipc/bindings/commands";
import type { SignInInput } from "@/ipc/bindings/SignInInput";
import type { SignInView } from "@/ipc/bindings/SignInView";
import { signIn } from "@/ipc/queries";
import { betweenSentences } from "./sentence";
import { useCommand } from "./use-command";

/** The input for a sign-in with just the button. */
export function signInInput(part: Partial<SignInInput> = {}): SignInInput {
  return {
    way: "browser",
    clientId: null,
    clientSecret: null,
    redirect: null,
    pkceUnannounced: false,
    withoutResource: false,
    another: false,
    language: i18next.language === "zh-CN" ? "zh-CN" : "en",
    ...part,
  };
}

/** Whether a sign-in is running. */
export const underWay = (view: SignInView | null | undefined): boolean => view?.status === "working" || view?.status === "browser";

const verbs: { readonly [K in keyof Commands]?: "begin" | "cancel" | "reopen" } = {
  begin_sign_in: "begin",
  cancel_sign_in: "cancel",
  reopen_browser: "reopen",
};

export function useSignIn() {
  const client = useQueryClient();
  const { t, i18n } = useTranslation("sign-in");
  const { run } = useCommand({
    failure: (text, name) => `${t(`not.${verbs[name] ?? "begin"}`)}${betweenSentences(i18n.language)}${text}`,
    vault: true,
  });
  return {
    begin: (server: number, part: Partial<SignInInput> = {}, begun: (view: SignInView) => void = () => undefined) =>
      run(
        "begin_sign_in",
        { id: server, input: signInInput(part) },
        {
          done: (view) => {
            const { queryKey } = signIn(server);
            // An event that arrived meanwhile is newer than the result.
            if (client.getQueryData(queryKey)?.startedAt !== view.startedAt) client.setQueryData(queryKey, view);
            begun(view);
          },
        },
      ),
    cancel: (server: number) => run("cancel_sign_in", { id: server }),
    reopen: (server: number) => run("reopen_browser", { id: server }),
  };
}
