import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Lock, LockKeyhole, PencilLine } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import { ErrorNotice } from "@/components/error-notice";
import { Icon } from "@/components/icon";
import { Skeleton } from "@/components/skeleton";
import { VaultCard } from "@/components/vault-card";
import type { SecretView } from "@/ipc/bindings/SecretView";
import { secrets, vault } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { formatAgo, formatMoment } from "@/lib/format";
import { type Column, fittingColumns, NAME_ROOM, useWidth } from "@/lib/columns";
import { visibleLine } from "@/lib/untrusted";
import { useNow } from "@/lib/use-now";

const head = "h-7.5 border-b border-line px-2.5 text-left text-xs font-[560] text-fg-3";
const cell = "h-9.5 truncate border-b border-line px-2.5 group-last:border-0";

type ColumnId = "state" | "server" | "place" | "since";

/** The columns besides the name, by importance: the last is dropped first. */
const byWorth: readonly Column<ColumnId>[] = [
  { id: "state", width: 168 },
  { id: "server", width: 200, least: 120 },
  { id: "place", width: 72 },
  { id: "since", width: 128 },
];

/** The width of the state's icon, if there is no room for its text (px). */
const ICON_ROOM = 36;
/** The padding of a name's cell. */
const BESIDE_NAME = 26;

/** The vault, and the encrypted values of servers. */
export function SecretsPane() {
  const { t } = useTranslation("accounts");
  const list = useQuery(secrets());
  const { data: vaultNow } = useQuery(vault());
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-220 flex-col gap-6 px-6 py-5">
        {vaultNow && (
          <div>
            <h2 className="m-0 mb-2 text-lg font-[620] tracking-[-.01em]">{t("title", { ns: "vault" })}</h2>
            <VaultCard vault={vaultNow} />
          </div>
        )}
        <section aria-labelledby="secrets-heading">
          <h2 id="secrets-heading" className="m-0 text-lg font-[620] tracking-[-.01em]">
            {t("secrets.title")}
          </h2>
          <p className="m-0 mt-0.5 mb-2.5 text-fg-2">{t("secrets.text")}</p>
          <div className="overflow-hidden rounded-m border border-line">
            {list.isPending ? (
              <Skeleton rows={4} />
            ) : list.error ? (
              <div className="p-3">
                <ErrorNotice title={t("secretsFailed")} {...errorWords(list.error)} next={t("failedNext")}>
                  <Button busy={list.isFetching} onClick={() => void list.refetch()}>
                    {t("tryAgain", { ns: "common" })}
                  </Button>
                </ErrorNotice>
              </div>
            ) : list.data.length === 0 ? (
              <EmptyState icon={Lock} title={t("secrets.none")} text={t("secrets.noneText")} />
            ) : (
              <SecretTable list={list.data} />
            )}
          </div>
        </section>
      </div>
    </div>
  );
}

function SecretTable({ list }: { list: readonly SecretView[] }) {
  const { t, i18n } = useTranslation("accounts");
  const now = useNow(30_000);
  // Values that must be entered again come first.
  const sorted = list.toSorted((a, b) => Number(a.entered) - Number(b.entered));
  const [box, width] = useWidth<HTMLTableElement>("secrets");
  const columns = fittingColumns(byWorth, width - NAME_ROOM - BESIDE_NAME);
  const stateWidth = columns.get("state") ?? ICON_ROOM;
  const shortState = columns.has("state") ? undefined : "sr-only";
  return (
    <table ref={box} aria-label={t("secrets.label")} className="w-full table-fixed border-separate border-spacing-0">
      <thead>
        <tr>
          <th className={`${head} pl-4`}>{t("secrets.name")}</th>
          {columns.has("place") && <th className={`${head} w-18`}>{t("secrets.place")}</th>}
          {columns.has("server") && (
            <th style={{ width: columns.get("server") }} className={head}>
              {t("secrets.server")}
            </th>
          )}
          <th style={{ width: stateWidth }} className={`${head} pr-4`}>
            <span className={shortState}>{t("secrets.state")}</span>
          </th>
          {columns.has("since") && <th className={`${head} w-32 pr-4`}>{t("secrets.since")}</th>}
        </tr>
      </thead>
      <tbody>
        {sorted.map((secret) => {
          const name = visibleLine(secret.name);
          const server = visibleLine(secret.serverName);
          return (
            <tr key={`${secret.server}/${secret.place}/${secret.name}`} className="group hover:bg-hover">
              <td className={`${cell} mono pl-4`} title={name}>
                <span data-name-cell className="block truncate">
                  {name}
                </span>
              </td>
              {columns.has("place") && <td className={`${cell} text-fg-2`}>{t(`secrets.${secret.place}`)}</td>}
              {columns.has("server") && (
                <td className={cell}>
                  <Link
                    to="/servers"
                    search={{ id: secret.server, tab: "settings" }}
                    aria-label={t("secrets.open", { server })}
                    className="rounded-xs text-accent no-underline hover:underline"
                  >
                    {server}
                  </Link>
                </td>
              )}
              <td className={cell}>
                {secret.entered ? (
                  <span className="inline-flex items-center gap-1.5 text-fg-2">
                    <Icon of={LockKeyhole} className="shrink-0 text-ok" />
                    <span className={shortState}>{t("secrets.entered")}</span>
                  </span>
                ) : (
                  <Link
                    to="/servers"
                    search={{ id: secret.server, tab: "settings" }}
                    aria-label={t("secrets.enter", { name, server })}
                    className="inline-flex items-center gap-1.5 rounded-xs font-medium text-accent no-underline hover:underline"
                  >
                    <Icon of={PencilLine} className="shrink-0 text-warn" />
                    <span className={shortState}>{t("secrets.missing")}</span>
                  </Link>
                )}
              </td>
              {columns.has("since") && (
                <td
                  className={`${cell} pr-4 text-fg-2 tabular`}
                  title={secret.sealedAt === null ? undefined : formatMoment(secret.sealedAt, i18n.language)}
                >
                  {secret.sealedAt === null ? <span className="text-fg-3">–</span> : formatAgo(secret.sealedAt, now, i18n.language)}
                </td>
              )}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
