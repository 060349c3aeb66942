import { Link } from "@tanstack/react-router";
import { type ReactNode, useRef } from "react";
import { flushSync } from "react-dom";
import { useTranslation } from "react-i18next";
import { SegmentedControl } from "@/components/toggles";
import type { DecisionKind } from "@/ipc/bindings/DecisionKind";
import type { Remember } from "@/ipc/bindings/Remember";
import type { Question } from "../use-question";
import type { Texts } from "@/lib/i18n";
import { leadIn } from "@/lib/lead-in";
import { Part } from "./part";

const scopes: readonly Remember[] = ["once", "session", "hour", "always"];

/** The label for declining, depending on how long it lasts. */
export const declineWord = (
  remember: Remember,
  t: (key: "answer.decline" | "answer.never" | "answer.declineFor.session" | "answer.declineFor.hour") => string,
): string =>
  t(remember === "once" ? "answer.decline" : remember === "always" ? "answer.never" : (`answer.declineFor.${remember}` as const));

/** Kinds of questions whose answers can be remembered, as they have texts for it. */
type Remembered = Exclude<keyof Texts["inbox"]["remember"] & DecisionKind, "tool">;

/** How long the answer is remembered, with the rule that either answer would create. */
export function RememberChoice({
  question,
  managed,
  denyOnly = false,
  children,
  ...of
}: {
  question: Question;
  /** Where a permanent answer can be undone. */
  managed?: "policies" | "models";
  /** An approval only applies once, whatever is chosen. */
  denyOnly?: boolean;
  /** Additional choices about what is remembered. */
  children?: ReactNode;
} & (
  | { kind: "tool"; /** The text for an approval. */ acceptedTool: (remember: Exclude<Remember, "once">) => string }
  | { kind: Remembered; acceptedTool?: undefined }
)) {
  const { t } = useTranslation("inbox");
  const { remember, setRemember, over } = question;
  const meaning = useRef<HTMLDivElement>(null);
  const choose = (next: Remember) => {
    flushSync(() => setRemember(next));
    // The explanation must be visible before the answer, and nothing may move under the pointer later.
    meaning.current?.scrollIntoView({ block: "nearest" });
  };
  const title = t(denyOnly ? "remember.titleDecline" : "remember.title");
  return (
    <Part title={title}>
      <SegmentedControl
        label={title}
        value={remember}
        onChange={choose}
        options={scopes.map((value) => ({ value, label: t(`remember.scope.${value}`), disabled: over }))}
        className="max-w-full"
      />
      {remember !== "once" && children}
      {remember !== "once" && of.kind === "tool" && <p className="m-0 mt-2.5 text-fg-2">{t("remember.declineReach")}</p>}
      <div ref={meaning} aria-live="polite" className="scroll-mb-4 mt-1.5 text-sm text-balance text-fg-3">
        {remember === "once" ? (
          <p className="m-0">{t(`remember.${of.kind}.once`)}</p>
        ) : (
          <>
            {!denyOnly && (
              <p className="m-0">
                <b className="text-fg-2">{leadIn(t("remember.ifYes"))}</b>
                {of.kind === "tool" ? of.acceptedTool(remember) : t(`remember.${of.kind}.${remember}.accept`)}
              </p>
            )}
            <p className="m-0 mt-0.5">
              <b className="text-fg-2">{leadIn(t("remember.ifNo"))}</b>
              {t(`remember.${of.kind}.${remember}.decline`)}
            </p>
            {remember === "always" && managed !== undefined && (
              <p className="m-0 mt-0.5">
                <Link to={`/${managed}`} preload={false} className="rounded-xs font-medium text-accent no-underline hover:underline">
                  {t(`remember.manage.${managed}`)}
                </Link>
              </p>
            )}
          </>
        )}
      </div>
    </Part>
  );
}
