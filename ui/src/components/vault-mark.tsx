import { KeyRound, LoaderCircle, LockKeyhole, LockKeyholeOpen, type LucideIcon, ShieldOff, Timer } from "lucide-react";
import { Icon } from "@/components/icon";
import { cx } from "@/lib/cx";
import type { VaultWord } from "@/lib/vault";

const marks: Record<VaultWord, { icon: LucideIcon; colour: string; turns?: boolean }> = {
  keychain: { icon: LockKeyholeOpen, colour: "text-fg-3" },
  passphrase: { icon: KeyRound, colour: "text-fg-3" },
  memory: { icon: Timer, colour: "text-warn" },
  locked: { icon: LockKeyhole, colour: "text-warn" },
  unavailable: { icon: ShieldOff, colour: "text-warn" },
  waiting: { icon: LoaderCircle, colour: "text-info", turns: true },
  opening: { icon: LoaderCircle, colour: "text-info", turns: true },
  closed: { icon: LockKeyhole, colour: "text-fg-3" },
};

/** The colour of the vault's state, for the text next to the icon. */
export const vaultColour = (word: VaultWord): string => marks[word].colour;

/** The vault's state as an icon. The text is next to it. */
export function VaultMark({ word, size = 14 }: { word: VaultWord; size?: 12 | 14 | 16 | 20 }) {
  const { icon, colour, turns } = marks[word];
  return <Icon of={icon} size={size} className={cx("shrink-0", colour, turns && "animate-spin")} />;
}
