// The URL parameters of the Settings screen: the section, and the setting that a link opens.
import { isSection, isSetting, sectionOf, type SectionId, type SettingId } from "@/lib/settings-index";

export interface SettingsSearch {
  section?: SectionId;
  setting?: SettingId;
}

/** Parses the URL parameters and drops invalid ones. A setting includes its section. */
export function settingsSearch(raw: Record<string, unknown>): SettingsSearch {
  const { section, setting } = raw;
  if (isSetting(setting)) return { section: sectionOf(setting), setting };
  return isSection(section) ? { section } : {};
}
