import { KeyRound } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import type { Entry } from "./use-entry";

const intoFocus = (box: HTMLElement | null) => box?.focus();

/** Below an entry: the effect of a missing key, and how to get one. Or that its key isn't shown again. */
export function EntryKey({
  entry,
  without,
  bare,
  onDone,
}: {
  entry: Entry;
  /** The effect of a missing key, or of replacing the existing one. */
  without: "keyless" | "keylessListed" | "replaces";
  /** Its buttons are elsewhere. */
  bare: boolean;
  /** The focused element is gone. */
  onDone: () => void;
}) {
  const { t } = useTranslation("apps");
  if (entry.keyed)
    return (
      <div ref={intoFocus} tabIndex={-1} role="status" className="flex flex-wrap items-center gap-2 outline-none">
        <span className="min-w-40 flex-1 font-[560]">{t("snippet.once")}</span>
        {!bare && (
          <Button
            look="ghost"
            onClick={() => {
              entry.finish();
              onDone();
            }}
          >
            {t("snippet.done")}
          </Button>
        )}
      </div>
    );
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span className="min-w-40 flex-1 text-sm text-fg-2">{t(`snippet.${without}`)}</span>
      {!bare && (
        <Button icon={KeyRound} busy={entry.busy} onClick={entry.create}>
          {t("snippet.create")}
        </Button>
      )}
    </div>
  );
}
