import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Wrench } from "lucide-react";
import { Fragment, type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { EmptyState } from "@/components/empty-state";
import { ErrorNotice } from "@/components/error-notice";
import { Page } from "@/components/page";
import { Button } from "@/components/button";
import { Skeleton } from "@/components/skeleton";
import { Split } from "@/components/split";
import { Quoted } from "@/components/their-voice";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { ToolView } from "@/ipc/bindings/ToolView";
import { servers as serversQuery } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { useShortcut } from "@/lib/shortcuts";
import { useMedia } from "@/lib/use-media";
import { visibleLine } from "@/lib/untrusted";
import { NoServers } from "./no-servers";
import { panesOf } from "./panes";
import { ResultPanel } from "./result-panel";
import { useRunAsked } from "./saved/saved";
import { searchFor, spotOf } from "./search";
import { runOf } from "./runs";
import { rememberView, showRun, showTab, useLastView, type View } from "./selection";
import { ServerPane } from "./server-pane";
import { nameOf, type Spot, type Target, targetKey } from "./target";
import { TasksPane } from "./task/tasks-pane";
import { offerIcon } from "@/components/offer-icon";
import { OfferTree } from "./tree/offer-tree";
import { clearSearch } from "./tree/tree-state";
import { TreePopover } from "./tree-popover";
import { useOffer } from "./use-offer";

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
          <ErrorNotice title={t("unread.title")} next={t("unread.next")} {...errorWords(error)}>
            <Button onClick={() => void refetch()}>{t("common:tryAgain")}</Button>
          </ErrorNotice>
        </div>
      </Page>
    );
  }
  if (servers === undefined)
    return (
      <Page title={title}>
        <Skeleton rows={8} />
      </Page>
    );
  if (servers.length === 0)
    return (
      <Page title={title}>
        <NoServers />
      </Page>
    );
  return <Bench servers={servers} title={title} />;
}

function Bench({ servers, title }: { servers: readonly ServerView[]; title: string }) {
  const { t } = useTranslation("workbench");
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const last = useLastView();
  const spot = spotOf(search);
  const view: View = search.server === undefined ? last : { server: search.server, spot };
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
    if (search.server !== undefined) rememberView({ server: search.server, spot: spotOf(search) });
  }, [search]);
  useRunAsked(servers);
  // A link to one call looks at its result, wherever the call was made.
  useEffect(() => {
    const run = search.run === undefined ? undefined : runOf(search.run);
    if (run === undefined) return;
    showRun(run.server, run.target, run.id);
    showTab("result");
    void navigate({ search: searchFor(run.server, run.target), replace: true });
  }, [search.run, navigate]);
  useShortcut("/", () => {
    if (!wide) return setPicking(true);
    searchBox.current?.focus();
    searchBox.current?.select();
  });

  const select = (id: number, chosenSpot: Spot | undefined) => {
    rememberView({ server: id, spot: chosenSpot });
    if (picking) setPicking(false);
    void navigate({ search: searchFor(id, chosenSpot) });
  };
  const tree = <OfferTree selection={view} onSelect={select} searchRef={searchBox} />;
  const named = view.spot === undefined ? null : (nameOf(view.spot) ?? t("tree.tasks"));
  const chosen =
    server === undefined ? null : named === null ? visibleLine(server.name) : `${visibleLine(server.name)} / ${visibleLine(named)}`;
  const layout: Layout = {
    title,
    side,
    sub: wide ? (
      chosen
    ) : (
      <TreePopover open={picking} onOpenChange={setPicking} chosen={chosen}>
        {tree}
      </TreePopover>
    ),
    tree: wide ? tree : null,
  };
  return <Work layout={layout} server={server} spot={view.spot} />;
}

interface Layout {
  readonly title: string;
  readonly sub: ReactNode;
  /** Beside the rest where there is room. */
  readonly tree: ReactNode | null;
  /** Room for arguments and result side by side. */
  readonly side: boolean;
}

/** What the chosen item or server needs, always in the same frame, so that the tree keeps its place and the focus. */
function Work({ layout, server, spot }: { layout: Layout; server: ServerView | undefined; spot: Spot | undefined }) {
  const { t } = useTranslation("workbench");
  const offer = useOffer(server, spot);
  if (server === undefined)
    return <Frame layout={layout} main={<EmptyState icon={Wrench} title={t("pick.title")} text={t("pick.text")} />} />;
  switch (offer.kind) {
    case "tasks":
      return <Frame layout={layout} main={<TasksPane key={server.id} server={server} />} />;
    case "loading":
      return <Frame layout={layout} main={<Skeleton />} />;
    case "gone":
      return (
        <Frame
          layout={layout}
          main={
            <EmptyState
              icon={offerIcon(offer.target.kind, null)}
              title={
                <>
                  <Quoted text={offer.target.name} /> {t("gone.title")}
                </>
              }
              text={t("gone.text")}
            />
          }
        />
      );
    case "server":
      return <Frame layout={layout} main={<ServerPane server={server} unread={offer.unread} />} />;
    default: {
      const key = targetKey(server.id, offer.target);
      const panes = panesOf(server, offer);
      return (
        <Frame
          layout={layout}
          actions={<Fragment key={key}>{panes.actions}</Fragment>}
          main={<Fragment key={key}>{panes.main}</Fragment>}
          work={{ server, target: offer.target, tool: offer.kind === "tool" ? offer.tool : null, label: panes.label(t) }}
        />
      );
    }
  }
}

/** What is worked on, where something is. */
interface Worked {
  readonly server: ServerView;
  readonly target: Target;
  readonly tool: ToolView | null;
  /** What the main pane is called where it is a tab. */
  readonly label: string;
}

/** The bar and the panes, as many as the window has room for. */
function Frame({ layout, actions, main, work }: { layout: Layout; actions?: ReactNode; main: ReactNode; work?: Worked }) {
  const { t } = useTranslation("workbench");
  const page = work === undefined ? main : <Worktable layout={layout} main={main} work={work} />;
  return (
    <Page title={layout.title} sub={layout.sub} actions={actions}>
      {layout.tree === null ? (
        page
      ) : (
        <Split id="workbench.tree" fixed="start" initial={236} min={190} max={420} label={t("split.tree")} start={layout.tree} end={page} />
      )}
    </Page>
  );
}

/** What is filled in and what came back: side by side, or as tabs. */
function Worktable({ layout, main, work: { label, ...work } }: { layout: Layout; main: ReactNode; work: Worked }) {
  const { t } = useTranslation("workbench");
  const key = targetKey(work.server.id, work.target);
  if (!layout.side) return <ResultPanel key={key} {...work} first={{ label, content: main }} />;
  return (
    <Split
      id="workbench.result"
      fixed="start"
      initial={418}
      min={320}
      max={760}
      label={t("split.result")}
      start={main}
      end={<ResultPanel key={key} {...work} />}
    />
  );
}
