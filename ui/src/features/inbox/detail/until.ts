// The text for how long a question is put off.
import { useTranslation } from "react-i18next";
import type { PutOff } from "@/ipc/bindings/PutOff";

/** Returns a function that gives the text: a time of day, or until the application ends. */
export function useUntil(): (putOff: PutOff) => string {
  const { t, i18n } = useTranslation("inbox");
  return ({ until }) =>
    until === null
      ? t("later.untilQuit")
      : t("later.until", { time: new Intl.DateTimeFormat(i18n.language, { timeStyle: "short" }).format(until) });
}
