import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { settings } from "@/ipc/queries";
import { applyDensity } from "@/lib/density";
import { applyLanguage } from "@/lib/i18n";
import { applyTheme } from "@/lib/theme";

/** Applies the theme, density and language of the settings. */
export function Preferences() {
  const { data } = useQuery(settings());
  const theme = data?.theme;
  const density = data?.density;
  const language = data?.language;
  useEffect(() => {
    if (theme) applyTheme(theme);
  }, [theme]);
  useEffect(() => {
    if (density) applyDensity(density);
  }, [density]);
  useEffect(() => {
    if (language) void applyLanguage(language);
  }, [language]);
  return null;
}
