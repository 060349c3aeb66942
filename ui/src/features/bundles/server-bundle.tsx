import { useQuery } from "@tanstack/react-query";
import { History, PackageOpen } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { FactLine } from "@/components/fact-line";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { serverBundle } from "@/ipc/queries";
import { visibleLine } from "@/lib/untrusted";
import { RollBackDialog } from "./roll-back-dialog";
import { useOpenBundleFile } from "./use-open-bundle-file";

/** The bundle that a server came from, and the way to another version of it. */
export function ServerBundle({ server }: { server: ServerView }) {
  const { t } = useTranslation("bundles");
  const { data } = useQuery({ ...serverBundle(server.id), enabled: server.transport === "stdio" });
  const [goingBack, setGoingBack] = useState(false);
  const { open, busy } = useOpenBundleFile();
  if (data == null) return null;
  const { previous } = data;
  return (
    <section data-bundle aria-label={t("server.title")} className="rounded-m border border-line bg-surface p-3">
      <h3 className="m-0 mb-1 font-semibold">{t("server.title")}</h3>
      <FactLine
        facts={[
          visibleLine(data.title),
          t("version", { version: visibleLine(data.version) }),
          t("by", { author: visibleLine(data.author) }),
          t(`server.signature.${data.signature}`, { signer: visibleLine(data.signer ?? "") }),
        ]}
      />
      {previous !== null && <p className="mt-1 mb-0 text-fg-2">{t("server.earlier", { version: visibleLine(previous.version) })}</p>}
      <div className="mt-2.5 flex flex-wrap gap-2">
        <Button icon={PackageOpen} busy={busy} onClick={() => void open()}>
          {t("server.update")}
        </Button>
        {previous !== null && (
          <Button icon={History} onClick={() => setGoingBack(true)}>
            {t("server.back", { version: visibleLine(previous.version) })}
          </Button>
        )}
      </div>
      {goingBack && previous !== null && (
        <RollBackDialog server={server} bundle={data} previous={previous} onClose={() => setGoingBack(false)} />
      )}
    </section>
  );
}
