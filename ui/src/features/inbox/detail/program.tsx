import { useTranslation } from "react-i18next";
import { UntrustedText } from "@/components/their-voice";

/** The connecting program, as far as the system reports it. */
export function Program({ path, isTerminal }: { path: string | null; isTerminal: boolean }) {
  const { t } = useTranslation("inbox");
  return (
    <>
      <dt className="text-fg-3">{t(isTerminal ? "who.terminal" : "who.program")}</dt>
      <dd className="m-0 min-w-0 wrap-any">
        {path === null ? (
          <span className="text-fg-2">{t(isTerminal ? "who.noTerminal" : "who.noProgram")}</span>
        ) : (
          <code className="selectable">
            <bdi>
              <UntrustedText text={path} />
            </bdi>
          </code>
        )}
      </dd>
    </>
  );
}
