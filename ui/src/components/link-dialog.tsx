import { useQuery } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import { useTranslation } from "react-i18next";
import { inspectedLink } from "@/ipc/queries";
import { errorText } from "@/lib/error-text";
import { useCommand } from "@/lib/use-command";
import { Address, AddressSigns } from "./address";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { ErrorNotice } from "./error-notice";

/** Shows where a link in a server's text leads, before the browser opens it. */
export function LinkDialog({ url, onClose }: { url: string; onClose: () => void }) {
  const { t } = useTranslation("inbox");
  const { data: address, error: unread } = useQuery(inspectedLink(url));
  const { busy, error, run } = useCommand({ failure: "shown" });
  const failure = error ?? unread;
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={t("link.title")}
      description={t(address !== undefined && address.blocked !== null ? "url.neverOpened" : "url.notFetched")}
      footer={
        <>
          <span className="flex-1" />
          <Button onClick={onClose}>{t("close", { ns: "common" })}</Button>
          {address?.blocked === null && (
            <Button
              look="primary"
              icon={ExternalLink}
              busy={busy}
              onClick={() => void run("open_link", { url: address.url }, { done: onClose })}
            >
              {t("answer.open")}
            </Button>
          )}
        </>
      }
    >
      {failure !== null && <ErrorNotice className="mb-3" title={t("url.problem")} why={errorText(failure)} next={t("link.problemNext")} />}
      {address !== undefined && (
        <>
          <Address address={address} />
          <AddressSigns address={address} />
        </>
      )}
    </Dialog>
  );
}
