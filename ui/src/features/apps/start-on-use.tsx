import { useTranslation } from "react-i18next";
import { Checkbox } from "@/components/toggles";
import type { StartRule } from "@/ipc/bindings/StartRule";

/** How servers that apps alone use are started, if nothing else is chosen. */
export const USUAL_START: StartRule = "on_use";

/** Whether servers from an app start on their first use. */
export function StartOnUse({ id, start, onChange }: { id: string; start: StartRule; onChange: (start: StartRule) => void }) {
  const { t } = useTranslation("apps");
  return (
    <div className="flex gap-2.5 px-3">
      <span className="mt-0.5 inline-flex">
        <Checkbox
          id={id}
          checked={start === "on_use"}
          onChange={(checked) => onChange(checked ? "on_use" : "with_mooring")}
          aria-describedby={`${id}-hint`}
        />
      </span>
      <div className="min-w-0 flex-1">
        <label htmlFor={id}>{t("startOnUse.label")}</label>
        <p id={`${id}-hint`} className="m-0 text-sm text-fg-3">
          {t("startOnUse.text")}
        </p>
      </div>
    </div>
  );
}
