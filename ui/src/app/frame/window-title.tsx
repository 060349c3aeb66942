import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useWaitingCount } from "@/lib/waiting";

/** Shows in the window's title how many questions wait, for the taskbar. */
export function WindowTitle() {
  const { t } = useTranslation();
  const count = useWaitingCount();
  const title = count === 0 ? "Mooring" : `Mooring · ${t("status.waiting", { count })}`;
  useEffect(() => {
    document.title = title;
  }, [title]);
  return null;
}
