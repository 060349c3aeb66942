import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Download, Filter, Library } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import { FilterInput, ListBody } from "@/components/list-screen";
import { Page } from "@/components/page";
import { VaultBanner } from "@/components/vault-banner";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { servers } from "@/ipc/queries";
import { needOf } from "@/lib/server-needs";
import { shownState } from "@/lib/server-state";
import { useShortcut } from "@/lib/shortcuts";
import { visibleLine } from "@/lib/untrusted";
import { useMedia } from "@/lib/use-media";
import { type ServerActions, useServerActions } from "./actions";
import { AddDialog } from "./add/add-dialog";
import { Inspector } from "./inspector/inspector";
import { ChangedBanner } from "./list/changed-banner";
import { ServerTable } from "./list/server-table";
import { sorted, useServerSort } from "./list/sort";
import { ROWS, useSeveralRows } from "./list/use-several-rows";
import { useUsage } from "./list/use-usage";
import type { AddWay } from "./search";
import { focusChosenRow, focusPanel, isOnChosenRow } from "./focus";
import { Welcome } from "./welcome";
import { matchesFilter } from "./words";

const route = getRouteApi("/servers");

/** The search field of a server's open tab, if there is one. */
const searchInTab = () =>
  document.querySelector<HTMLInputElement>("[role=tabpanel][data-state=active] input[type=search], [role=tabpanel] input");

/** Adds, watches, starts, stops and changes servers. */
export function ServersScreen() {
  const { t, i18n } = useTranslation("servers");
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(servers());
  const wide = useMedia("(min-width: 1100px)");
  const verbs = useServerActions();
  const filterBox = useRef<HTMLInputElement>(null);
  const [filter, setFilter] = useState("");

  const list = query.data ?? [];
  const [sort, setSort] = useServerSort();
  const found = list.filter((server) => matchesFilter(server, filter, t(`state.${shownState(server)}`, { ns: "common" })));
  const usageOf = useUsage(list);
  const shown = sorted(found, sort, i18n.language, usageOf);
  const chosen = list.find((server) => server.id === search.id) ?? (wide ? shown[0] : undefined);
  // Keys don't act on servers that the filter hides.
  const marked = shown.find((server) => server.id === chosen?.id);
  const page = search.page === true && chosen !== undefined;
  const ready = list.filter(
    (server) => server.state === "ready" || server.state === "degraded" || server.state === "waiting_for_you",
  ).length;

  const go = (change: Partial<typeof search>) => void navigate({ search: (now) => ({ ...now, ...change }), replace: true });
  /** Selects a server. Keeps the open tab if the server needs nothing, and otherwise opens its overview. */
  const visit = (id: number | undefined, change: Partial<typeof search> = {}) =>
    void navigate({
      search: (now) => {
        const server = list.find((known) => known.id === id);
        const stays = now.tab === undefined || id === (now.id ?? chosen?.id) || (server !== undefined && needOf(server) === "none");
        return { ...now, id, tab: stays ? now.tab : "overview", ...change };
      },
      replace: true,
    });
  /** The selected server while this screen is open. */
  const looking = useRef<number | undefined>(undefined);
  useEffect(() => {
    looking.current = chosen?.id;
    return () => {
      looking.current = undefined;
    };
  }, [chosen?.id]);
  /** Selects the nearest neighbour of a removed server, unless the person has selected another one. */
  const leave = (gone: ServerView, all: readonly ServerView[]) => {
    if (looking.current !== gone.id) return;
    const at = shown.findIndex(({ id }) => id === gone.id);
    const stays = ({ id }: ServerView) => !all.some((server) => server.id === id);
    visit((shown.slice(at + 1).find(stays) ?? shown.slice(0, Math.max(0, at)).findLast(stays))?.id);
  };
  const actions: ServerActions = {
    ...verbs,
    remove: (server) =>
      verbs.remove(
        server,
        () => leave(server, [server]),
        () => visit(server.id),
      ),
  };
  /** A new server that gets the focus once it is in the list and the dialog is closed. */
  const added = useRef<number | undefined>(undefined);
  const onAdded = (id: number) => {
    added.current = id;
    visit(id, { add: undefined });
  };
  useEffect(() => {
    if (chosen === undefined || chosen.id !== added.current || search.add !== undefined) return;
    added.current = undefined;
    if (page) focusPanel();
    else focusChosenRow();
  }, [chosen, search.add, page]);
  const openPage = (id: number) => {
    void navigate({ search: (now) => ({ ...now, id, page: true }) });
    focusPanel();
  };
  const closePage = () => {
    go({ page: undefined, ...(wide ? {} : { tab: undefined }) });
    focusChosenRow();
  };
  const openAdd = (add: AddWay) => go({ add });
  const step = (by: number) => {
    const at = shown.findIndex((server) => server.id === chosen?.id);
    const next = shown[Math.min(shown.length - 1, Math.max(0, at + by))];
    if (next) visit(next.id);
  };

  const several = useSeveralRows({ shown, chosen: marked, enabled: !page, onGone: leave, onBack: visit });

  useShortcut("/", () => (page ? searchInTab() : filterBox.current)?.focus());
  useShortcut("s", () => !several.act("toggle") && marked && void actions.toggle(marked));
  useShortcut("r", () => !several.act("restart") && marked && void actions.restart(marked.id));
  useShortcut("l", () => marked?.transport === "http" && go({ id: marked.id, tab: "sign_in" }));
  useShortcut("escape", closePage, { enabled: page });
  useShortcut("alt+arrowleft", closePage, { enabled: page });
  // Only the focused row says which server is meant.
  useShortcut("backspace", (event) => !several.act("remove") && marked && isOnChosenRow(event) && void actions.remove(marked), {
    enabled: !page,
    within: ROWS,
  });

  const table = (
    <ServerTable
      servers={shown}
      picked={several.picked}
      chosen={chosen?.id ?? null}
      usageOf={usageOf}
      actions={actions}
      sort={sort}
      onSort={setSort}
      onChoose={visit}
      onOpen={(id, tab) => (tab ? go({ id, tab }) : visit(id, search.tab ? {} : { tab: "overview" }))}
      onStep={step}
      onPage={openPage}
    />
  );
  const nothingFound = (
    <EmptyState icon={Filter} title={t("filter.nothing")} text={t("filter.nothingText", { text: filter })}>
      <Button onClick={() => setFilter("")}>{t("filter.clear")}</Button>
    </EmptyState>
  );
  const inspector = chosen && (
    <Inspector
      key={chosen.id}
      server={chosen}
      tab={search.tab ?? "overview"}
      onTab={(tab) => go({ tab })}
      actions={actions}
      {...(page ? { onBack: closePage } : wide ? {} : { onClose: () => go({ tab: undefined }) })}
    />
  );

  return (
    <Page
      title={t("place")}
      sub={list.length > 0 && t("readyOf", { ready, count: list.length })}
      actions={
        list.length > 0 &&
        !page && (
          <>
            <FilterInput ref={filterBox} label={t("filter.label")} value={filter} onChange={setFilter} />
            <Button icon={Library} aria-label={t("browse", { ns: "catalog" })} onClick={() => void navigate({ to: "/catalog" })}>
              <span className="max-[720px]:hidden">{t("browse", { ns: "catalog" })}</span>
            </Button>
            <Button icon={Download} onClick={() => openAdd("import")}>
              {t("importButton")}
            </Button>
            <Button look="primary" keys="n" onClick={() => openAdd("command")}>
              {t("add.button")}
            </Button>
          </>
        )
      }
    >
      {list.some((server) => server.state === "locked") && <VaultBanner />}
      <ChangedBanner
        servers={list}
        open={wide || page || search.tab !== undefined ? chosen?.id : undefined}
        onLook={(id) => go({ id, tab: "trust", review: true })}
      />
      <ListBody
        query={query}
        failed={t("listFailed")}
        next={t("listFailedNext")}
        instead={list.length === 0 ? <Welcome onAdd={openAdd} /> : page ? inspector : shown.length === 0 && nothingFound}
        wide={wide}
        split={{ id: "servers", initial: 400, min: 392, max: 620, label: t("inspector.resize") }}
        sheet={{
          open: search.tab !== undefined,
          onOpenChange: (open) => go({ tab: open ? "overview" : undefined }),
          title: visibleLine(chosen?.name ?? ""),
        }}
        list={
          <>
            {table}
            {several.bar}
          </>
        }
        pane={inspector}
      />
      <AddDialog way={search.add ?? null} onWay={(add) => go({ add: add ?? undefined })} onAdded={onAdded} />
    </Page>
  );
}
