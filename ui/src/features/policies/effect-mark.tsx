import { CircleCheck, CircleHelp, CircleX, type LucideIcon } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import type { RuleEffect } from "@/ipc/bindings/RuleEffect";
import { cx } from "@/lib/cx";

const marks: Record<RuleEffect, { icon: LucideIcon; colour: string }> = {
  allow: { icon: CircleCheck, colour: "text-ok" },
  ask: { icon: CircleHelp, colour: "text-wait" },
  deny: { icon: CircleX, colour: "text-bad" },
};

/** The effect of a rule, as icon, word and colour. */
export function EffectMark({
  effect,
  past = false,
  className,
}: {
  effect: RuleEffect;
  /** A past effect that would be different now. */ past?: boolean;
  className?: string;
}) {
  const { t } = useTranslation("policies");
  const { icon, colour } = marks[effect];
  return (
    <span className={cx("inline-flex shrink-0 items-center gap-1.5", past ? "text-fg-3" : `font-medium ${colour}`, className)}>
      <Icon of={icon} className="shrink-0" />
      {t(`effect.${effect}`)}
    </span>
  );
}
