import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Wrench } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { EmptyState } from "@/components/empty-state";
import { ErrorNotice } from "@/components/error-notice";
import { Page } from "@/components/page";
import { Button } from "@/components/button";
import { Skeleton } from "@/components/skeleton";
import { Split } from "@/components/split";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { ToolView } from "@/ipc/bindings/ToolView";
import { servers as serversQuery, tools as toolsQuery } from "@/ipc/queries";
import { useShortcut } from "@/lib/shortcuts";
import { useMedia } from "@/lib/use-media";
import { visibleLine } from "@/lib/untrusted";
import { NoServers } from "./no-servers";
import { ResultPanel } from "./result-panel";
import { RunActions } from "./run-actions";
import { rememberView, useLastView } from "./selection";
import { ServerPane } from "./server-pane";
import { ToolPane } from "./tool-pane";
import { ToolTree } from "./tree/tool-tree";
import { clearSearch } from "./tree/tree-state";
import { isConnected } from "./tree/tree-rows";
import { TreePopover } from "./tree-popover";

const route = getRouteApi("/workbench");

/** Tools of all servers, to try them: choose on the left, fill in, run, look at what came back. */
export function WorkbenchScreen() {
  const { t } = useTranslation(["workbench", "common"]);
  const { data: servers, error, refetch } = useQuery(serversQuery());
  const title = t("common:place.workbench");
  if (error) {
    return (
      <Page title={title}>
        <div className="max-w-150 p-5">
          <ErrorNotice title={t("unread.title")} next={t("unread.next")} evidence={error.message}>
            <Button onClick={() => void refetch()}>{t("common:tryAgain")}</Button>
          </ErrorNotice>
        </div>
      </Page>
    );
  }
  if (servers === undefined) return <Page title={title}><Skeleton rows={8} /></Page>;
  if (servers.length === 0) return <Page title={title}><NoServers /></Page>;
  return <Bench servers={servers} title={title} />;
}

function Bench({ servers, title }: { servers: readonly ServerView[]; title: string }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const last = useLastView();
  const view = search.server === undefined ? last : { server: search.server, tool: search.tool };
  const server = servers.find((item) => item.id === view.server);
  const [picking, setPickingOnly] = useState(false);
  const setPicking = (open: boolean) => {
    setPickingOnly(open);
    if (!open) clearSearch();
  };
  const searchBox = useRef<HTMLInputElement>(null);
  const wide = useMedia("(min-width: 1180px)");
  const side = useMedia("(min-width: 980px)");

  useEffect(() => {
    if (search.server !== undefined) rememberView({ server: search.server, tool: search.tool });
  }, [search.server, search.tool]);
  useShortcut("/", () => {
    if (!wide) return setPicking(true);
    searchBox.current?.focus();
    searchBox.current?.select();
  });

  const select = (id: number, tool: string | undefined) => {
    rememberView({ server: id, tool });
    if (picking) setPicking(false);
    void navigate({ search: tool === undefined ? { server: id } : { server: id, tool } });
  };
  const tree = <ToolTree selection={view} onSelect={select} searchRef={searchBox} />;
  const chosen = server === undefined ? null : view.tool === undefined ? visibleLine(server.name) : `${visibleLine(server.name)} / ${visibleLine(view.tool)}`;
  const layout: Layout = {
    title,
    side,
    sub: wide ? chosen : <TreePopover open={picking} onOpenChange={setPicking} chosen={chosen}>{tree}</TreePopover>,
    tree: wide ? tree : null,
  };
  return <Work layout={layout} server={server} name={view.tool} />;
}

interface Layout {
  readonly title: string;
  readonly sub: ReactNode;
  /** Beside the rest where there is room. */
  readonly tree: ReactNode | null;
  /** Room for arguments and result side by side. */
  readonly side: boolean;
}

/** What the chosen tool or server needs, always in the same frame, so that the tree keeps its place and the focus. */
function Work({ layout, server, name }: { layout: Layout; server: ServerView | undefined; name: string | undefined }) {
  const { data, error } = useQuery({ ...toolsQuery(server?.id ?? -1), enabled: server !== undefined && isConnected(server.state) });
  const tool = data?.tools.find((item) => item.name === name);
  if (server === undefined) return <Frame layout={layout} main={<Pick />} />;
  if (name === undefined || (data === undefined && (error !== null || !isConnected(server.state)))) {
    return <Frame layout={layout} main={<ServerPane server={server} toolCount={data?.tools.length ?? null} unread={error?.message ?? null} />} />;
  }
  if (data === undefined) return <Frame layout={layout} main={<Skeleton />} />;
  if (tool === undefined) return <Frame layout={layout} main={<Gone name={name} />} />;
  const key = `${server.id}/${tool.name}`;
  return <Frame layout={layout} actions={<RunActions key={key} server={server} tool={tool} />} tool={{ server, tool }} main={<ToolPane key={key} server={server} tool={tool} />} />;
}

/** The bar and the panes, as many as the window has room for. */
function Frame({ layout, actions, main, tool }: { layout: Layout; actions?: ReactNode; main: ReactNode; tool?: { server: ServerView; tool: ToolView } }) {
  const { t } = useTranslation("workbench");
  const work = tool === undefined ? (
    main
  ) : layout.side ? (
    <Split id="workbench.result" fixed="start" initial={418} min={320} max={760} label={t("split.result")} start={main} end={<ResultPanel server={tool.server} tool={tool.tool} />} />
  ) : (
    <ResultPanel server={tool.server} tool={tool.tool} first={main} />
  );
  return (
    <Page title={layout.title} sub={layout.sub} actions={actions}>
      {layout.tree === null ? work : <Split id="workbench.tree" fixed="start" initial={236} min={190} max={420} label={t("split.tree")} start={layout.tree} end={work} />}
    </Page>
  );
}

function Pick() {
  const { t } = useTranslation("workbench");
  return <EmptyState icon={Wrench} title={t("pick.title")} text={t("pick.text")} />;
}

function Gone({ name }: { name: string }) {
  const { t } = useTranslation("workbench");
  return <EmptyState icon={Wrench} title={t("gone.title", { name: visibleLine(name) })} text={t("gone.text")} />;
}
