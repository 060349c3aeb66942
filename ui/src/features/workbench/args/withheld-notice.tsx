import { LockKeyhole, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { Icon } from "@/components/icon";
import { formatList } from "@/lib/format";
import { quotedLine } from "@/lib/untrusted";
import type { Target } from "../target";
import { setWithheld, useWithheld } from "./withheld";

/** Lists the arguments that weren't saved with the restored call. */
export function WithheldNotice({ server, target }: { server: number; target: Target }) {
  const { t, i18n } = useTranslation(["workbench", "common"]);
  const names = useWithheld(server, target);
  if (names.length === 0) return null;
  return (
    <div role="status" className="flex items-start gap-2 rounded-m bg-info-soft py-1.5 pr-1.5 pl-3 text-info">
      <Icon of={LockKeyhole} className="mt-1 shrink-0" />
      <span className="min-w-0 flex-1 py-0.5 wrap-any">
        {t("withheld.text", { count: names.length, list: formatList(names.map(quotedLine), i18n.language) })}
      </span>
      <IconButton small icon={X} label={t("common:close")} onClick={() => setWithheld(server, target, [])} />
    </div>
  );
}
