import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import { type SectionId, sections, settingTexts } from "@/lib/settings-index";

/** The list of sections. */
export function SectionList({ chosen }: { chosen: SectionId | null }) {
  const { t } = useTranslation(settingTexts);
  return (
    <nav aria-label={t("settings:sections")}>
      <ul className="m-0 flex list-none flex-wrap gap-0.5 p-0 @min-[600px]:flex-col @min-[600px]:flex-nowrap">
        {sections.map(({ id, icon, title }) => (
          <li key={id}>
            <Link
              to="/settings"
              search={{ section: id }}
              replace
              aria-current={id === chosen ? "page" : undefined}
              className="inset-focus flex h-7.5 items-center gap-2.25 rounded-s px-2 text-fg-2 no-underline transition-colors hover:bg-hover aria-[current=page]:bg-selected aria-[current=page]:text-fg"
            >
              <Icon of={icon} className="shrink-0" />
              <span className="min-w-0 truncate">{t(title)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
