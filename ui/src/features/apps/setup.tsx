import { useTranslation } from "react-i18next";
import { Fold } from "@/components/fold";
import { UntrustedText } from "@/components/their-voice";
import type { AppView } from "@/ipc/bindings/AppView";
import { formatMoment } from "@/lib/format";
import { Fact, Facts } from "./facts";
import { HttpAccess } from "./http-access";
import { hasKeyFact, KeyFact } from "./key-fact";
import { Snippet } from "./snippet";
import { useEntry } from "./use-entry";

/** An app's setup: its file, its key, and the entry for manual setup. */
export function Setup({ app }: { app: AppView }) {
  const { t, i18n } = useTranslation("apps");
  const entry = useEntry(app.id);
  const listed = app.file !== null;
  return (
    <section aria-labelledby="app-setup" className="flex flex-col gap-3">
      <h3 id="app-setup" className="m-0 font-semibold">
        {t("setup.title")}
      </h3>
      {(listed || app.connectedAt !== null || hasKeyFact(app)) && (
        <Facts>
          {app.file !== null && (
            <Fact name={t("fact.file")}>
              <span className="mono selectable wrap-any">
                <UntrustedText text={app.file} />
              </span>
            </Fact>
          )}
          {app.connectedAt !== null && <Fact name={t("fact.connected")}>{formatMoment(app.connectedAt, i18n.language)}</Fact>}
          <KeyFact app={app} />
        </Facts>
      )}
      {/* The only way if Mooring can't write the file. */}
      <Fold title={t("snippet.title")} open={app.state === "unreadable" || entry.keyed}>
        {listed && <p className="m-0 mb-2 text-fg-2">{t("snippet.text")}</p>}
        <Snippet entry={entry} listed={listed} makesKey={app.repository !== null ? undefined : app.key === "none" ? "first" : "next"} />
      </Fold>
      <HttpAccess id={app.id} name={app.title} />
    </section>
  );
}
