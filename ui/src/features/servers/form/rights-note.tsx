import { Globe, ShieldAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import type { Transport } from "@/ipc/bindings/Transport";
import { cx } from "@/lib/cx";

/** Explains what a server may do, before it is added. */
export function RightsNote({ transport, className }: { transport: Transport; className?: string }) {
  const { t } = useTranslation("servers");
  return (
    <p className={cx("m-0 flex gap-2.5 rounded-m border border-line bg-sunken px-3 py-2.5 text-fg-2", className)}>
      <Icon of={transport === "stdio" ? ShieldAlert : Globe} size={16} className="mt-px shrink-0 text-warn" />
      <span>{t(transport === "stdio" ? "rights.local" : "rights.remote")}</span>
    </p>
  );
}
