import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { PanelLeft, Wrench } from "lucide-react";
import { Fragment, type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
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
import { enterWork, takeNext, useNext } from "@/lib/work-focus";
import { visibleLine } from "@/lib/untrusted";
import { CallTabs, type Opens } from "./call-tabs";
import { NoServers } from "./no-servers";
import { keepCallsOf } from "./open-calls";
import { panesOf } from "./panes";
import { ResultPanel } from "./result-panel";
import { useRunAsked } from "./saved/saved";
import { searchFor, spotOf } from "./search";
import { runOf } from "./runs";
import { rememberView, showRun, showTab, useLastView, useResultTab, useShownRun, type View } from "./selection";
import { ServerPane } from "./server-pane";
import { nameOf, type Spot, type Target, targetKey } from "./target";
import { TasksPane } from "./task/tasks-pane";
import { offerIcon } from "@/components/offer-icon";
import { OfferTree } from "./tree/offer-tree";
import { spotRowId } from "./tree/tree-rows";
import { clearSearch, revealInTree } from "./tree/tree-state";
import { TreePopover } from "./tree-popover";
import { useOffer } from "./use-offer";
import { listOf, useReload } from "./use-reload";
import { QuestionColumn, useAsked } from "./waits-for-you";

const route = getRouteApi("/workbench");

/** Tries out the offers of all servers: select on the left, fill in, run, and see the result. */
export function WorkbenchScreen() {
  const { t } = useTranslation(["workbench", "common"]);
  const { data: servers, error, refetch } = useQuery(serversQuery());
  const title = t("place");
  useEffect(() => {
    if (servers !== undefined) keepCallsOf(servers);
  }, [servers]);
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

  /** The item selected in the tree itself, where it is already visible. */
  const inTree = useRef<string | null>(null);

  const key = view.server === undefined ? null : spotRowId(view.server, view.spot);
  const follow = useEffectEvent((at: string | null) => {
    rememberView(view);
    if (inTree.current !== at && search.server !== undefined && view.server !== undefined) revealInTree(view.server, view.spot);
    inTree.current = null;
  });
  useEffect(() => follow(key), [key]);
  useRunAsked(servers);
  // A link to a call shows its result, wherever the call was made.
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
  const choose = (id: number, chosenSpot: Spot | undefined) => {
    inTree.current = spotRowId(id, chosenSpot);
    select(id, chosenSpot);
  };
  const tree = <OfferTree selection={view} onSelect={choose} searchRef={searchBox} />;
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
    onPick: () => setPicking(true),
    opens: { servers, view, side, onSelect: select },
  };
  return <Work layout={layout} server={server} spot={view.spot} />;
}

interface Layout {
  readonly title: string;
  readonly sub: ReactNode;
  /** The tree beside the rest, if there is room. */
  readonly tree: ReactNode | null;
  /** Opens the tree, if it isn't beside the rest. */
  readonly onPick: () => void;
  /** Whether arguments and result are side by side. */
  readonly side: boolean;
  readonly opens: Opens;
}

/** The panes of the selected item or server, always in the same frame, so that the tree keeps its place and focus. */
function Work({ layout, server, spot }: { layout: Layout; server: ServerView | undefined; spot: Spot | undefined }) {
  const { t } = useTranslation("workbench");
  const offer = useOffer(server, spot);
  const kind = spot === undefined || spot.kind === "tasks" ? "tool" : spot.kind;
  const { busy: reloading, reload } = useReload(server?.id ?? -1, listOf[kind]);
  const pick = layout.tree === null && (
    <Button look="primary" icon={PanelLeft} onClick={layout.onPick}>
      {t("pick.choose")}
    </Button>
  );
  if (server === undefined)
    return (
      <Frame
        layout={layout}
        main={
          <EmptyState icon={Wrench} title={t("pick.title")} text={t("pick.text")}>
            {pick}
          </EmptyState>
        }
      />
    );
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
            >
              <Button busy={reloading} onClick={reload}>
                {t("outcome.reload")}
              </Button>
              <Button look="ghost" onClick={() => layout.opens.onSelect(server.id, undefined)}>
                {t("gone.others", { name: visibleLine(server.name) })}
              </Button>
            </EmptyState>
          }
        />
      );
    case "server":
      return (
        <Frame
          layout={layout}
          main={
            <ServerPane server={server} unread={offer.unread}>
              {pick}
            </ServerPane>
          }
        />
      );
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

/** The current item, if there is one. */
interface Worked {
  readonly server: ServerView;
  readonly target: Target;
  readonly tool: ToolView | null;
  /** The label of the main pane as a tab. */
  readonly label: string;
}

/** The bar and the panes that fit in the window. */
function Frame({ layout, actions, main, work }: { layout: Layout; actions?: ReactNode; main: ReactNode; work?: Worked }) {
  const { t } = useTranslation("workbench");
  const page = <CallTabs {...layout.opens}>{work === undefined ? main : <Worktable layout={layout} main={main} work={work} />}</CallTabs>;
  return (
    <Page title={layout.title} sub={layout.sub} actions={actions}>
      {layout.tree === null ? (
        page
      ) : (
        <Split id="workbench.tree" fixed="start" initial={284} min={280} max={420} label={t("split.tree")} start={layout.tree} end={page} />
      )}
    </Page>
  );
}

/** The arguments and the result: side by side, or as tabs. */
function Worktable({ layout, main, work: { label, ...work } }: { layout: Layout; main: ReactNode; work: Worked }) {
  const { t } = useTranslation("workbench");
  const key = targetKey(work.server.id, work.target);
  const asked = useAsked(work.server.id, work.target);
  const [tab] = useResultTab(!layout.side);
  const asking = asked?.view.id;
  // A person who waits for the result sees the question there.
  const bring = useEffectEvent(() => tab === "result" && showTab("arguments"));
  useEffect(() => {
    if (asking !== undefined && !layout.side) bring();
  }, [asking, layout.side]);
  const next = useNext();
  useEffect(() => {
    if (next === undefined || targetKey(next.server, next) !== key || !takeNext()) return;
    // The tree follows items that were opened elsewhere.
    if (!next.inTree) revealInTree(next.server, next);
    // A resource is read automatically.
    showTab(next.kind === "resource" ? "result" : "arguments");
    enterWork();
  }, [next, key]);
  const { run: shown } = useShownRun(work.server.id, work.target);
  // An item that was never run shows its arguments first. A resource is read automatically.
  const begin = useEffectEvent((opened: string) => {
    if (opened === key && !layout.side && tab !== "arguments" && shown === undefined && work.target.kind !== "resource")
      showTab("arguments");
  });
  useLayoutEffect(() => begin(key), [key]);
  const column = (
    <QuestionColumn key={key} asked={asked}>
      {main}
    </QuestionColumn>
  );
  const waiting = asked?.run.id;
  if (!layout.side)
    return (
      <ResultPanel key={key} {...work} waiting={waiting} first={{ label: asked === null ? label : t("tab.yourAnswer"), content: column }} />
    );
  return (
    <Split
      id="workbench.result"
      fixed="start"
      initial={418}
      min={320}
      max={760}
      label={t("split.result")}
      start={column}
      end={<ResultPanel key={key} {...work} waiting={waiting} />}
    />
  );
}
