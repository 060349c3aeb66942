import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { settings } from "@/ipc/queries";
import { applyLanguage } from "@/lib/i18n";
import { applyTheme } from "@/lib/theme";

/** Keeps theme and language as the settings say. */
export function Preferences() {
  const { data } = useQuery(settings());
  const theme = data?.theme;
  const language = data?.language;
  useEffect(() => {
    if (theme) applyTheme(theme);
  }, [theme]);
  useEffect(() => {
    if (language) void applyLanguage(language);
  }, [language]);
  return null;
}
