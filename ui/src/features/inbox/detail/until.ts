// Until when a question was put off, in words.
import { useTranslation } from "react-i18next";
import type { PutOff } from "@/ipc/bindings/PutOff";

/** Gives the words: a time of day, or that it is for as long as the application runs. */
export function useUntil(): (putOff: PutOff) => string {
  const { t, i18n } = useTranslation("inbox");
  return ({ until }) =>
    until === null
      ? t("later.untilQuit")
      : t("later.until", { time: new Intl.DateTimeFormat(i18n.language, { timeStyle: "short" }).format(until) });
}
