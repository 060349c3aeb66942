import { Check, ChevronRight } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import { Kbd } from "@/components/kbd";
import { StateMark } from "@/components/state-mark";
import { cx } from "@/lib/cx";
import type { Hit } from "./rank";

/** A result: icon, title with its matches, context, shortcut. */
export function PaletteRow({
  id,
  hit,
  active,
  opens,
  onPoint,
  onRun,
  onEnter,
}: {
  id: string;
  hit: Hit;
  active: boolean;
  /** Whether → opens its actions. */
  opens: boolean;
  onPoint: () => void;
  onRun: () => void;
  onEnter: () => void;
}) {
  const { t } = useTranslation("palette");
  const { entry, at } = hit;
  return (
    // The field has the focus and handles the keys. Options are for the mouse and for screen readers.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div
      role="option"
      id={id}
      aria-selected={active}
      aria-keyshortcuts={opens ? "ArrowRight" : undefined}
      onPointerMove={(event) => {
        // A list that scrolls under a resting pointer must not change the choice.
        if (!active && (event.movementX !== 0 || event.movementY !== 0)) onPoint();
      }}
      onClick={onRun}
      className={cx("flex h-8.5 items-center gap-2.5 rounded-s px-2.5", active && "bg-selected")}
    >
      <span aria-hidden className="grid w-4 shrink-0 place-items-center text-fg-3">
        {typeof entry.icon === "string" ? <StateMark state={entry.icon} iconOnly /> : <Icon of={entry.icon} size={16} />}
      </span>
      <span className={cx("min-w-0 truncate", entry.code && "mono")}>
        <Marked text={entry.title} at={at} />
      </span>
      {entry.subtitle !== undefined && <span className="min-w-0 shrink-[999] truncate text-fg-3">{entry.subtitle}</span>}
      <span className="flex-1" />
      {entry.current && (
        <span className="flex shrink-0 items-center gap-1 text-xs text-fg-3">
          <Icon of={Check} size={12} />
          {t("current")}
        </span>
      )}
      {entry.keys && <Kbd keys={entry.keys} />}
      {opens && active && (
        // For the mouse. Keyboards and screen readers use →.
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions
        <span
          aria-hidden
          title={t("hint.inside")}
          onClick={(event) => {
            event.stopPropagation();
            onEnter();
          }}
          className="-mr-1.5 grid size-6 shrink-0 place-items-center rounded-xs text-fg-3 hover:bg-hover hover:text-fg"
        >
          <Icon of={ChevronRight} />
        </span>
      )}
    </div>
  );
}

/** A title with its matches highlighted. */
function Marked({ text, at }: { text: string; at: readonly number[] }) {
  if (at.length === 0) return text;
  const runs: { text: string; hit: boolean }[] = [];
  const matched = new Set(at);
  for (let index = 0; index < text.length; index += 1) {
    const hit = matched.has(index);
    const last = runs.at(-1);
    if (last?.hit === hit) last.text += text.charAt(index);
    else runs.push({ text: text.charAt(index), hit });
  }
  return runs.map((run, index) =>
    run.hit ? (
      <b key={index} className="font-[620] text-accent">
        {run.text}
      </b>
    ) : (
      <span key={index}>{run.text}</span>
    ),
  );
}
