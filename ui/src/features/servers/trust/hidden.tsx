import { useTranslation } from "react-i18next";
import { Chip } from "@/components/chip";
import { ErrorNotice } from "@/components/error-notice";
import { UntrustedText } from "@/components/their-voice";
import type { HiddenCharacter } from "@/ipc/bindings/HiddenCharacter";
import { sentence } from "@/lib/sentence";

/** Characters that is invisible or look like others: which, where, how often, and why they are named. */
export function Hidden({ characters }: { characters: readonly HiddenCharacter[] }) {
  const { t, i18n } = useTranslation("trust");
  return (
    <ErrorNotice title={t("hidden.title", { count: characters.reduce((sum, item) => sum + item.count, 0) })}>
      <ul className="m-0 flex w-full list-none flex-col gap-1.5 p-0">
        {characters.map((item, index) => (
          <li key={index} className="flex items-baseline gap-2">
            <span className="w-17 shrink-0">
              <Chip tone="warn" className="mono">
                {item.codePoint}
              </Chip>
            </span>
            <span className="min-w-0 flex-1 wrap-any">
              {sentence(item.reason, i18n.language)}
              <span className="text-fg-3">{"\u00A0· "}</span>
              <span className="whitespace-nowrap text-fg-3">{t("hidden.times", { count: item.count })}</span>
              <span className="mono block text-fg-3">
                <UntrustedText text={item.pointer} />
              </span>
            </span>
          </li>
        ))}
      </ul>
    </ErrorNotice>
  );
}
