import { useTranslation } from "react-i18next";
import { Fold } from "@/components/fold";
import { Quoted, UntrustedText } from "@/components/their-voice";
import { readTool } from "./blocks";

const SHOWN = 64;

/** The tools that the model may ask for. They run at the server. */
export function ToolOffers({ tools, choice }: { tools: readonly string[]; choice: string | null }) {
  const { t } = useTranslation("inbox");
  if (tools.length === 0) return null;
  const known = choice === "required" || choice === "none" || choice === "auto" ? choice : null;
  return (
    <div className="mt-3">
      <Fold title={t("sampling.tools")} count={tools.length} hint={t("sampling.toolsHint")}>
        <ul data-theirs className="m-0 max-h-60 list-none divide-y divide-line overflow-y-auto rounded-m border border-line bg-sunken p-0">
          {tools.slice(0, SHOWN).map((raw, index) => {
            const { name, description } = readTool(raw);
            return (
              <li key={index} className="px-3 py-1.5 wrap-any">
                <Quoted text={name} />
                {description !== null && <span className="block text-sm text-fg-2"><UntrustedText text={description.slice(0, 400)} /></span>}
              </li>
            );
          })}
        </ul>
        {known !== null && <p className="m-0 mt-1 text-sm text-fg-3">{t(`sampling.toolChoice.${known}`)}</p>}
      </Fold>
    </div>
  );
}
