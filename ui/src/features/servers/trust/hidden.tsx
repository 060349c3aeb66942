import { useTranslation } from "react-i18next";
import { memberName } from "@/components/change-words";
import { Chip } from "@/components/chip";
import { ErrorNotice } from "@/components/error-notice";
import { MemberLabel } from "@/components/member-label";
import type { PinView } from "@/ipc/bindings/PinView";
import { sentence } from "@/lib/sentence";

/** Characters that are invisible or look like others: which, where, how often, and why they matter. */
export function Hidden({ pin }: { pin: PinView }) {
  const characters = pin.hidden;
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
              <span className="block text-sm text-fg-2">
                <MemberLabel name={memberName(pin, item.pointer)} pointer={item.pointer} />
              </span>
            </span>
          </li>
        ))}
      </ul>
    </ErrorNotice>
  );
}
