// Beginning to sign in to a server, from wherever somebody clicks.
import { useQueryClient } from "@tanstack/react-query";
import i18next from "i18next";
import { useTranslation } from "react-i18next";
import type { SignInInput } from "@/ipc/bindings/SignInInput";
import type { SignInView } from "@/ipc/bindings/SignInView";
import { call, IpcError } from "@/ipc/bridge";
import { signIn } from "@/ipc/queries";
import { errorText } from "./error-text";
import { showVault } from "./overlays";
import { betweenSentences } from "./sentence";
import { toast } from "./toasts";

/** What is sent when nothing but the button was pressed. */
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

/** Whether a sign-in goes on. */
export const underWay = (view: SignInView | null | undefined): boolean => view?.status === "working" || view?.status === "browser";

const shut: ReadonlySet<string> = new Set(["vault_locked", "vault_unavailable", "vault_waiting"]);

/** A command was refused because the vault is not open, be it found out while renewing or signing in. */
export function wantsVault(thrown: unknown): boolean {
  const { code, details } = IpcError.from(thrown);
  if (code === "sign_in") return typeof details === "object" && details !== null && "code" in details && details.code === "vault";
  return shut.has(code);
}

export function useSignIn() {
  const client = useQueryClient();
  const { t, i18n } = useTranslation("signIn");
  const attempt = async <T>(what: "begin" | "cancel" | "reopen", work: () => Promise<T>, again: () => void): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      if (wantsVault(error)) showVault(again);
      else toast({ text: `${t(`not.${what}`)}${betweenSentences(i18n.language)}${errorText(error)}`, tone: "bad" });
      return null;
    }
  };
  const begin = (server: number, part: Partial<SignInInput> = {}): Promise<SignInView | null> =>
    attempt(
      "begin",
      async () => {
        const view = await call("begin_sign_in", { id: server, input: signInInput(part) });
        const { queryKey } = signIn(server);
        // What was announced meanwhile is newer than the answer.
        if (client.getQueryData(queryKey)?.startedAt !== view.startedAt) client.setQueryData(queryKey, view);
        await client.invalidateQueries({ queryKey });
        return view;
      },
      () => void begin(server, part),
    );
  return {
    begin,
    cancel: (server: number) =>
      attempt(
        "cancel",
        () => call("cancel_sign_in", { id: server }),
        () => undefined,
      ),
    reopen: (server: number) =>
      attempt(
        "reopen",
        () => call("reopen_browser", { id: server }),
        () => undefined,
      ),
  };
}
