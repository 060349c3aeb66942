import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Search, Wrench } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Chip } from "@/components/chip";
import { EmptyState } from "@/components/empty-state";
import { ErrorNotice } from "@/components/error-notice";
import { Icon } from "@/components/icon";
import { SearchInput } from "@/components/input";
import { Skeleton } from "@/components/skeleton";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { ToolView } from "@/ipc/bindings/ToolView";
import { tools } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { visibleLine } from "@/lib/untrusted";
import { Diagnostics } from "./diagnostics";

/** The server's tools by name and description; each leads to the Workbench. */
export function ToolsTab({ server }: { server: ServerView }) {
  const { t } = useTranslation("servers");
  const connected = server.toolCount !== null;
  const query = useQuery({ ...tools(server.id), enabled: connected });
  const [filter, setFilter] = useState("");
  if (!connected) return <EmptyState icon={Wrench} title={t("tools.notConnected")} text={t("tools.notConnectedText")} />;
  if (query.isPending) return <Skeleton rows={6} />;
  if (query.error) return <div className="p-5"><ErrorNotice title={t("tools.failed")} {...errorWords(query.error)} /></div>;
  const all = query.data.tools;
  const wanted = filter.trim().toLowerCase();
  const shown = all.filter((tool) => `${tool.name} ${tool.title ?? ""} ${tool.description ?? ""}`.toLowerCase().includes(wanted));
  if (all.length === 0) return <EmptyState icon={Wrench} title={t("tools.none")} text={t("tools.noneText")} />;
  return (
    <div className="flex flex-col gap-3 px-5 py-4">
      {all.length > 8 && (
        <SearchInput icon={Search} aria-label={t("tools.search")} placeholder={t("tools.search")} value={filter} onChange={(event) => setFilter(event.target.value)} />
      )}
      {shown.length === 0 ? (
        <p className="m-0 py-6 text-center text-fg-3">{t("tools.noMatch")}</p>
      ) : (
        <figure className="relative m-0 mt-2.5 rounded-m border border-line-strong bg-sunken pt-3 pb-1">
          <figcaption className="absolute -top-2.5 left-3 flex h-5 max-w-[calc(100%-24px)] items-center rounded-full border border-line-strong bg-surface px-2 text-xs font-semibold text-fg-2">
            <span className="truncate">{t("tools.frame", { name: visibleLine(server.name), count: all.length })}</span>
          </figcaption>
          <ul className="m-0 list-none p-0">
            {shown.map((tool, index) => <ToolLine key={`${tool.name}-${index}`} server={server.id} tool={tool} />)}
          </ul>
        </figure>
      )}
      {query.data.diagnostics.length > 0 && <Diagnostics items={query.data.diagnostics} />}
    </div>
  );
}

function ToolLine({ server, tool }: { server: number; tool: ToolView }) {
  return (
    <li className="border-b border-line last:border-0">
      <Link
        to="/workbench"
        search={{ server, tool: tool.name }}
        className="inset-focus flex gap-2 px-3 py-1.75 text-fg no-underline transition-colors hover:bg-hover"
      >
        <Icon of={Wrench} className="mt-0.75 shrink-0 text-fg-3" />
        <span className="min-w-0 flex-1">
          <span className="flex min-w-0 items-center gap-1.5">
            <span className="mono truncate">{visibleLine(tool.name)}</span>
            {tool.diagnostics.length > 0 && <Chip tone="warn">{tool.diagnostics.length}</Chip>}
          </span>
          {tool.description !== null && <span className="line-clamp-2 text-sm wrap-any text-fg-2">{visibleLine(tool.description)}</span>}
        </span>
      </Link>
    </li>
  );
}
