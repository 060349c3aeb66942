import { ChevronDown, ChevronUp } from "lucide-react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { MOST_HITS } from "@/components/json-hits";
import { formatCount } from "@/lib/format";
import { overlayOpen, useShortcut } from "@/lib/shortcuts";
import type { Hits } from "./use-hits";

/** The number of the current hit, and buttons for the others. */
export function HitSteps({ hits: { at, count, step } }: { hits: Hits }) {
  const { t, i18n } = useTranslation("activity");
  const go = (by: 1 | -1) => () => {
    if (!overlayOpen()) step(by);
  };
  // Also in the search field.
  useShortcut("f3", go(1), { always: true, repeats: true });
  useShortcut("shift+f3", go(-1), { always: true, repeats: true });
  const number = (value: number) => formatCount(value, i18n.language);
  const shown = `${number(count)}${count < MOST_HITS ? "" : "+"}`;
  return (
    <>
      <span role="status" className="mr-1 text-sm whitespace-nowrap text-fg-3 tabular">
        {t("detail.hit", { at: number(at + 1), shown })}
      </span>
      <IconButton icon={ChevronUp} label={t("detail.previousHit")} keys="shift+F3" small onClick={() => step(-1)} />
      <IconButton icon={ChevronDown} label={t("detail.nextHit")} keys="F3" small onClick={() => step(1)} />
    </>
  );
}
