// What the Settings screen's address says: the section that is shown, and the setting that a link leads to.
import { isSection, isSetting, sectionOf, type SectionId, type SettingId } from "@/lib/settings-index";

export interface SettingsSearch {
  section?: SectionId;
  setting?: SettingId;
}

/** Keeps what makes sense of an address and drops the rest. A setting brings its section along. */
export function settingsSearch(raw: Record<string, unknown>): SettingsSearch {
  const { section, setting } = raw;
  if (isSetting(setting)) return { section: sectionOf(setting), setting };
  return isSection(section) ? { section } : {};
}
