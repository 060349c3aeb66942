import { CircleCheck, CircleSlash, FileDiff, type LucideIcon, Sparkle } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Chip, type Tone } from "@/components/chip";
import { Icon } from "@/components/icon";
import type { PinState } from "@/ipc/bindings/PinState";

const marks: Record<PinState, { icon: LucideIcon; tone: Tone }> = {
  new: { icon: Sparkle, tone: "plain" },
  approved: { icon: CircleCheck, tone: "ok" },
  changed: { icon: FileDiff, tone: "warn" },
  gone: { icon: CircleSlash, tone: "plain" },
};

/** The state of an approval, as icon, word and colour. */
export function PinMark({ state }: { state: PinState }) {
  const { t } = useTranslation("trust");
  const { icon, tone } = marks[state];
  return (
    <Chip tone={tone}>
      <Icon of={icon} size={12} />
      {t(`state.${state}`)}
    </Chip>
  );
}
