import { BookOpen, CircleHelp, CircleX, type LucideIcon } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import type { RuleDraft } from "./draft";

/** Common rules, each one click away. */
export function Templates({ onRule, onReadOnly }: { onRule: (template: Partial<RuleDraft>) => void; onReadOnly: () => void }) {
  const { t } = useTranslation("policies");
  return (
    <section aria-label={t("template.title")}>
      <h2 className="m-0 mb-1.5 text-md font-[560]">{t("template.title")}</h2>
      <div className="grid grid-cols-3 gap-3">
        <Template
          icon={CircleHelp}
          name={t("template.destructive")}
          text={t("template.destructiveText")}
          onClick={() => onRule({ effect: "ask", destructiveOnly: true })}
        />
        <Template icon={BookOpen} name={t("template.readOnly")} text={t("template.readOnlyText")} onClick={onReadOnly} />
        <Template
          icon={CircleX}
          name={t("template.never")}
          text={t("template.neverText")}
          onClick={() => onRule({ effect: "deny", which: "one" })}
        />
      </div>
    </section>
  );
}

function Template({ icon, name, text, onClick }: { icon: LucideIcon; name: string; text: string; onClick: () => void }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="flex items-start gap-2.5 rounded-m border border-line bg-raised px-3 py-2.5 text-left transition-colors hover:border-line-strong hover:bg-hover"
    >
      <Icon of={icon} size={16} className="mt-0.5 shrink-0 text-accent" />
      <span className="min-w-0">
        <span className="block font-[560]">{name}</span>
        <span className="block text-sm text-fg-3">{text}</span>
      </span>
    </button>
  );
}
