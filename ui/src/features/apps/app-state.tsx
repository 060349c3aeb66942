import { CircleCheck, CircleDashed, CircleX, LockKeyhole, MessageCircle, type LucideIcon, TriangleAlert } from "lucide-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import type { AppView } from "@/ipc/bindings/AppView";
import { appCost } from "@/ipc/queries";
import { cx } from "@/lib/cx";
import { type Standing, standingOf, uses } from "@/lib/app-standing";
import { gotIn } from "./app-tools";

const marks: Record<Standing | "noTools", { icon: LucideIcon; colour: string }> = {
  connected: { icon: CircleCheck, colour: "text-ok" },
  noTools: { icon: TriangleAlert, colour: "text-warn" },
  asks: { icon: TriangleAlert, colour: "text-warn" },
  refused: { icon: CircleX, colour: "text-bad" },
  sealed: { icon: LockKeyhole, colour: "text-warn" },
  sharedKey: { icon: TriangleAlert, colour: "text-warn" },
  notAllowed: { icon: CircleDashed, colour: "text-fg-3" },
  found: { icon: CircleDashed, colour: "text-fg-3" },
  absent: { icon: CircleDashed, colour: "text-fg-3" },
  broken: { icon: CircleX, colour: "text-bad" },
  unreadable: { icon: CircleX, colour: "text-bad" },
  unlisted: { icon: MessageCircle, colour: "text-info" },
};

/** An app's state as an icon and a word. `counted` adds the number of its tools. */
export function AppState({ app, counted = false }: { app: AppView; counted?: boolean }) {
  const { t } = useTranslation("apps");
  const { data: cost } = useQuery({ ...appCost(app.id), enabled: uses(app) });
  const known = standingOf(app);
  const count = known === "connected" && cost ? gotIn(app, cost) : null;
  const standing = count === 0 ? "noTools" : known;
  const { icon, colour } = marks[standing];
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5">
      <Icon of={icon} className={cx("shrink-0", colour)} />
      <span className="truncate tabular">{counted && count ? t("state.tools", { count }) : t(`state.${standing}`)}</span>
    </span>
  );
}
