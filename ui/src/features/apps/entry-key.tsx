import { KeyRound } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import type { Entry } from "./use-entry";

const intoFocus = (box: HTMLElement | null) => box?.focus();

/** Below an entry: what it means that it has no key, and the way to one; or that its key isn't shown again. */
export function EntryKey({
  entry,
  without,
  bare,
  onDone,
}: {
  entry: Entry;
  /** What it means that the entry has no key; or that the app has one, which ends. */
  without: "keyless" | "keylessListed" | "replaces";
  /** Its buttons stand elsewhere. */
  bare: boolean;
  /** What had the keyboard is gone. */
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
