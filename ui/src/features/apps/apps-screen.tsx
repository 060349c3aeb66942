import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { AppWindow, ArrowRightLeft, Filter, Layers, Plug } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import { FilterInput, ListBody } from "@/components/list-screen";
import { MoreMenu } from "@/components/menu";
import { Page } from "@/components/page";
import { apps } from "@/ipc/queries";
import { showOverlay } from "@/lib/overlays";
import { useShortcut } from "@/lib/shortcuts";
import { showTakeOver } from "@/lib/take-over";
import { visibleLine } from "@/lib/untrusted";
import { useMedia } from "@/lib/use-media";
import { AppInspector } from "./app-inspector";
import { AppTable } from "./app-table";
import { byGroup } from "./groups";
import { SnippetDialog } from "./snippet-dialog";
import { standingOf } from "@/lib/app-standing";
import { appsWithOwn } from "./take-over/offers";

const route = getRouteApi("/apps");

/** Other apps that use the servers: their connections and permissions. */
export function AppsScreen() {
  const { t } = useTranslation(["apps", "profiles"]);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(apps());
  const wide = useMedia("(min-width: 1100px)");
  const filterBox = useRef<HTMLInputElement>(null);
  const [filter, setFilter] = useState("");
  const [all, setAll] = useState(false);
  const [snippet, setSnippet] = useState(false);

  const list = byGroup(query.data ?? []);
  const wanted = filter.trim().toLowerCase();
  const there = list.filter((app) => all || app.state !== "absent" || app.id === search.id);
  const found = wanted === "" ? there : list.filter((app) => `${app.title} ${app.id}`.toLowerCase().includes(wanted));
  const absent = list.length - list.filter((app) => app.state !== "absent").length;
  const connected = list.filter((app) => standingOf(app) === "connected").length;
  const chosen = found.find((app) => app.id === search.id) ?? (wide ? found[0] : undefined);
  const go = (change: Partial<typeof search>) => void navigate({ search: (now) => ({ ...now, ...change }), replace: true });
  const step = (by: number) => {
    const at = found.findIndex((app) => app.id === chosen?.id);
    const next = found[Math.min(found.length - 1, Math.max(0, at + by))];
    if (next) go({ id: next.id });
  };
  useShortcut("/", () => filterBox.current?.focus());

  const table = (
    <AppTable
      apps={found}
      chosen={chosen?.id ?? null}
      onOpen={(id) => go({ id, open: true })}
      onStep={step}
      after={
        absent > 0 &&
        wanted === "" && (
          <Button look="ghost" onClick={() => setAll(!all)}>
            {all ? t("list.fewer") : t("list.more", { count: absent })}
          </Button>
        )
      }
    />
  );
  const inspector = chosen && <AppInspector key={chosen.id} app={chosen} {...(wide ? {} : { onClose: () => go({ open: undefined }) })} />;

  return (
    <Page
      title={t("place")}
      // In a narrow window the buttons need the room, and a truncated word would say nothing.
      sub={wide && connected > 0 && t("sub", { count: connected })}
      actions={
        <>
          <FilterInput ref={filterBox} label={t("filter.label")} value={filter} onChange={setFilter} />
          <Button look={there.length > 0 ? "primary" : "default"} icon={Plug} onClick={() => setSnippet(true)}>
            {t("snippet.other")}
          </Button>
          <MoreMenu
            label={t("menu.more")}
            items={[
              { label: t("manage", { ns: "profiles" }), icon: Layers, onSelect: () => showOverlay("profiles") },
              ...(appsWithOwn(list).length > 0 ? [{ label: t("takeOver.action"), icon: ArrowRightLeft, onSelect: showTakeOver }] : []),
            ]}
          />
        </>
      }
    >
      <ListBody
        query={query}
        failed={t("listFailed")}
        instead={
          found.length === 0 &&
          (wanted !== "" ? (
            <EmptyState icon={Filter} title={t("filter.nothing")} text={t("filter.nothingText", { text: filter })}>
              <Button onClick={() => setFilter("")}>{t("filter.clear")}</Button>
            </EmptyState>
          ) : (
            <EmptyState icon={AppWindow} title={t("empty.title")} text={t("empty.text")}>
              <Button look="primary" icon={Plug} onClick={() => setSnippet(true)}>
                {t("snippet.other")}
              </Button>
              {absent > 0 && <Button onClick={() => setAll(true)}>{t("list.more", { count: absent })}</Button>}
            </EmptyState>
          ))
        }
        wide={wide}
        split={{ id: "apps", initial: 460, min: 360, max: 680, label: t("inspector.resize") }}
        sheet={{
          open: search.open === true,
          onOpenChange: (open) => go({ open: open || undefined }),
          title: chosen === undefined ? "" : visibleLine(chosen.title),
        }}
        list={table}
        pane={inspector}
      />
      {snippet && <SnippetDialog onClose={() => setSnippet(false)} />}
    </Page>
  );
}
