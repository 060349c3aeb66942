import { useTranslation } from "react-i18next";
import { JsonTree } from "@/components/json-tree";
import { formatList } from "@/lib/format";
import { quotedLine } from "@/lib/untrusted";
import { maskSecrets } from "../result/mask-secrets";
import { fillArguments, hasPlaces, namesIn, useVariables } from "./variables";

/** What is sent after the variables are filled in. Hidden without variables. */
export function SentPreview({ args }: { args: string | null }) {
  const { t, i18n } = useTranslation("workbench");
  const variables = useVariables();
  if (args === null || !hasPlaces(args)) return null;
  const unknown = namesIn(args).filter((name) => variables.every((variable) => variable.name !== name));
  return (
    <section aria-label={t("variables.sent")} className="shrink-0 overflow-hidden rounded-m border border-line bg-sunken">
      <h3 className="m-0 border-b border-line px-2.5 py-1.5 text-xs font-semibold text-fg-2">{t("variables.sent")}</h3>
      <div className="max-h-48 overflow-y-auto px-2 py-2">
        <JsonTree text={maskSecrets(fillArguments(args, variables))} />
      </div>
      {unknown.length > 0 && (
        <p className="m-0 border-t border-line px-2.5 py-1.5 text-sm text-warn">
          {t("variables.unknown", { count: unknown.length, list: formatList(unknown.map(quotedLine), i18n.language) })}
        </p>
      )}
    </section>
  );
}
