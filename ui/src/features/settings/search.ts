// What the Settings screen's address says: the section to begin with.
const sections = ["policies", "folders"] as const;

export interface SettingsSearch {
  section?: (typeof sections)[number];
}

/** Keeps what makes sense of an address and drops the rest. */
export function settingsSearch(raw: Record<string, unknown>): SettingsSearch {
  const section = sections.find((known) => known === raw["section"]);
  return section ? { section } : {};
}
