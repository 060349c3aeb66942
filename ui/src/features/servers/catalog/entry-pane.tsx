import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Download, ExternalLink, TriangleAlert } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Chip } from "@/components/chip";
import { CodeBlock } from "@/components/code-block";
import { ErrorNotice } from "@/components/error-notice";
import { LinkDialog } from "@/components/link-dialog";
import { Said } from "@/components/said";
import { Skeleton } from "@/components/skeleton";
import { UntrustedText } from "@/components/their-voice";
import type { CatalogEntryView } from "@/ipc/bindings/CatalogEntryView";
import type { ImportInput } from "@/ipc/bindings/ImportInput";
import { catalogEntry, catalogVersions, importPreview } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { formatList, formatMoment } from "@/lib/format";
import { wholeSentence } from "@/lib/sentence";
import { shownLinesOf } from "@/lib/server-address";
import { visibleLine } from "@/lib/untrusted";
import { InstallDialog } from "./install-dialog";
import { UpdateDialog } from "./update-dialog";

/** What is known of an entry, what it would run, and its installation. */
export function EntryPane({ name }: { name: string }) {
  const { t } = useTranslation("catalog");
  const [version, setVersion] = useState<string | null>(null);
  const query = useQuery(catalogEntry(name, version));
  if (query.isPending) return <Skeleton rows={6} />;
  if (query.error)
    return (
      <div className="flex flex-col gap-3 p-5">
        <ErrorNotice title={t("unread")} {...errorWords(query.error)}>
          <Button busy={query.isFetching} onClick={() => void query.refetch()}>
            {t("tryAgain", { ns: "common" })}
          </Button>
        </ErrorNotice>
        {version !== null && <Button onClick={() => setVersion(null)}>{t("versions.newest")}</Button>}
      </div>
    );
  return <Entry view={query.data} onVersion={setVersion} />;
}

function Entry({ view, onVersion }: { view: CatalogEntryView; onVersion: (version: string) => void }) {
  const { t, i18n } = useTranslation("catalog");
  const [link, setLink] = useState<string | null>(null);
  const [installing, setInstalling] = useState(false);
  const { entry } = view;
  const moment = (at: number | null) => (at === null ? null : formatMoment(at, i18n.language));
  const linkTo = (url: string | null, none: string) =>
    url === null ? (
      <span className="text-fg-3">{none}</span>
    ) : (
      <button
        type="button"
        className="inline-flex items-center gap-1 text-left wrap-any text-accent hover:underline"
        onClick={() => setLink(url)}
      >
        <UntrustedText text={url} />
        <ExternalLink size={13} aria-hidden className="shrink-0" />
      </button>
    );
  const facts: readonly (readonly [string, ReactNode])[] = [
    [t("fact.publisher"), <UntrustedText key="publisher" text={entry.publisher} />],
    [t("fact.name"), <UntrustedText key="name" text={entry.name} />],
    [t("fact.version"), <UntrustedText key="version" text={entry.version} />],
    [t("fact.repository"), linkTo(view.repository, t("fact.noRepository"))],
    [t("fact.website"), view.website !== null && linkTo(view.website, "")],
    [t("fact.published"), moment(entry.publishedMs)],
    [t("fact.updated"), moment(entry.updatedMs)],
  ];
  return (
    <section aria-label={visibleLine(entry.title)} className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-5 py-4">
      <header className="flex flex-wrap items-start gap-2">
        <h2 className="selectable m-0 min-w-0 flex-1 text-lg font-[620] wrap-any">
          <UntrustedText text={entry.title} />
        </h2>
        {entry.kinds.map((kind) => (
          <Chip key={kind}>{t(`kind.${kind}`)}</Chip>
        ))}
      </header>
      {entry.description !== "" && (
        <p className="selectable m-0 whitespace-pre-line wrap-any text-fg-2">
          <UntrustedText text={entry.description} />
        </p>
      )}
      {entry.status !== "active" && (
        <ErrorNotice
          tone="warn"
          title={t(`statusTitle.${entry.status}`)}
          why={view.statusMessage === null ? null : t("theySay", { text: visibleLine(view.statusMessage) })}
        />
      )}
      <dl className="m-0 grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1.5">
        {facts.map(
          ([label, value]) =>
            value !== null &&
            value !== false && (
              <div key={label} className="contents">
                <dt className="text-fg-3">{label}</dt>
                <dd className="selectable m-0 min-w-0 wrap-any">{value}</dd>
              </div>
            ),
        )}
      </dl>
      <p className="m-0 text-fg-3">{t("listed")}</p>
      <Installed view={view} />
      {view.problem !== null ? (
        <ErrorNotice tone="warn" title={t("cannot")} why={wholeSentence(view.problem, i18n.language)} />
      ) : (
        <Packages view={view} onInstall={() => setInstalling(true)} />
      )}
      <Versions key={entry.name} name={entry.name} shown={entry.version} onVersion={onVersion} />
      {link !== null && <LinkDialog url={link} onClose={() => setLink(null)} />}
      {installing && <InstallDialog view={view} onClose={() => setInstalling(false)} />}
    </section>
  );
}

/** The servers that came from the entry, with their updates. */
function Installed({ view }: { view: CatalogEntryView }) {
  const { t } = useTranslation("catalog");
  const [updating, setUpdating] = useState<number | null>(null);
  if (view.installed.length === 0) return null;
  return (
    <ul className="m-0 flex list-none flex-col gap-2 p-0">
      {view.installed.map((server) => (
        <li key={server.id} className="flex flex-wrap items-center gap-2 rounded-m border border-line bg-sunken px-3 py-2">
          <span className="min-w-0 flex-1 wrap-any">
            <Link to="/servers" search={{ id: server.id }} className="font-[560] hover:underline">
              {visibleLine(server.name)}
            </Link>{" "}
            <span className="text-fg-3">{t("installed.version", { version: visibleLine(server.version) })}</span>
          </span>
          {server.update !== null && (
            <Button look="primary" onClick={() => setUpdating(server.id)}>
              {t("installed.update", { version: visibleLine(server.update) })}
            </Button>
          )}
        </li>
      ))}
      {updating !== null && <UpdateDialog id={updating} onClose={() => setUpdating(null)} />}
    </ul>
  );
}

/** What each package or URL would run, and which values it needs. */
function Packages({ view, onInstall }: { view: CatalogEntryView; onInstall: () => void }) {
  const { t, i18n } = useTranslation("catalog");
  const marksOf = (input: ImportInput) => [...(input.required ? [t("needed")] : []), ...(input.secret ? [t("secret")] : [])];
  const query = useQuery(importPreview(view.serverJson));
  const entries = query.data?.entries ?? [];
  return (
    <div className="flex flex-col gap-3">
      {entries.map((entry) => (
        <div key={entry.name} className="flex flex-col gap-1.5">
          <h3 className="m-0 font-semibold wrap-any">
            {t(entry.server?.transport === "http" ? "connects" : "runs")}
            {entries.length > 1 && (
              <bdi className="ml-2 font-normal text-fg-3">
                <UntrustedText text={entry.name} />
              </bdi>
            )}
          </h3>
          {entry.server !== null && <CodeBlock language="text" text={visibleLines(shownLinesOf(entry.server))} copy={false} />}
          {entry.problem !== null && (
            <p className="m-0 wrap-any text-bad">
              <Said whole said={entry.problem} />
            </p>
          )}
          {entry.notes.map((note, index) => (
            <p key={index} className="m-0 flex gap-2 wrap-any text-fg-2">
              <TriangleAlert size={14} aria-hidden className="mt-1 shrink-0 text-warn" />
              <Said whole said={note} />
            </p>
          ))}
          {entry.inputs.length > 0 && (
            <ul className="m-0 list-disc pl-5 text-fg-2">
              {entry.inputs.map((input) => (
                <li key={input.key} className="wrap-any">
                  <span className="mono">{visibleLine(input.key)}</span>
                  {marksOf(input).length > 0 && ` (${formatList(marksOf(input), i18n.language)})`}
                  {input.description !== null && <span>{` – ${visibleLine(input.description)}`}</span>}
                </li>
              ))}
            </ul>
          )}
        </div>
      ))}
      <div>
        <Button look="primary" icon={Download} disabled={entries.length === 0} onClick={onInstall}>
          {t("install.open")}
        </Button>
      </div>
    </div>
  );
}

const visibleLines = (text: string) => text.split("\n").map(visibleLine).join("\n");

/** All versions. The registry is asked for them when the person wants them. */
function Versions({ name, shown, onVersion }: { name: string; shown: string; onVersion: (version: string) => void }) {
  const { t, i18n } = useTranslation("catalog");
  const [asked, setAsked] = useState(false);
  const query = useQuery({ ...catalogVersions(name), enabled: asked });
  if (query.data === undefined)
    return (
      <div className="flex flex-col items-start gap-2">
        {query.error && <ErrorNotice title={t("versions.failed")} {...errorWords(query.error)} />}
        <Button
          busy={query.isFetching}
          onClick={() => {
            if (asked) void query.refetch();
            else setAsked(true);
          }}
        >
          {t("versions.show")}
        </Button>
      </div>
    );
  return (
    <div>
      <h3 className="m-0 mb-1.5 font-semibold">{t("versions.title")}</h3>
      <ul className="m-0 flex list-none flex-col p-0">
        {query.data.map(({ version, status, publishedMs }) => (
          <li key={version} className="flex items-center gap-2 border-b border-line py-1 last:border-0">
            <span className="mono min-w-0 flex-1 wrap-any">{visibleLine(version)}</span>
            {status !== "active" && <Chip tone="warn">{t(`status.${status}`)}</Chip>}
            {publishedMs !== null && <span className="text-fg-3">{formatMoment(publishedMs, i18n.language)}</span>}
            <Button look="ghost" disabled={version === shown} onClick={() => onVersion(version)}>
              {t(version === shown ? "versions.shown" : "versions.choose")}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}
