import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { inbox } from "@/ipc/queries";
import { waitingCount } from "@/lib/waiting";

/** Tells in the page's title how many questions wait for a yes or no, for whoever looks at the taskbar. */
export function WindowTitle() {
  const { t } = useTranslation();
  const { data } = useQuery(inbox());
  const count = waitingCount(data?.waiting);
  const title = count === 0 ? "Mooring" : `Mooring · ${t("status.waiting", { count })}`;
  useEffect(() => {
    document.title = title;
  }, [title]);
  return null;
}
