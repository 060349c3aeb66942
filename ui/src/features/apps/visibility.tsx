import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { ChevronRight, Search } from "lucide-react";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import { SearchInput } from "@/components/input";
import { Switch } from "@/components/toggles";
import type { AppOff } from "@/ipc/bindings/AppOff";
import type { AppView } from "@/ipc/bindings/AppView";
import { apps, servers, tools } from "@/ipc/queries";
import { cx } from "@/lib/cx";
import { visibleLine } from "@/lib/untrusted";
import { shownAtOnce, useCommand } from "@/lib/use-command";

/** Which servers and tools an app sees. What is off is absent and refused. */
export function Visibility({ app }: { app: AppView }) {
  const { t } = useTranslation("apps");
  const client = useQueryClient();
  const { run } = useCommand({ vault: true });
  const [text, setText] = useState("");
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
  const { data: saved = [] } = useQuery(servers());
  const running = saved.filter(({ state }) => state === "ready" || state === "degraded");
  const lists = useQueries({ queries: running.map(({ id }) => tools(id)) });
  const toolsOf = (id: number) => lists[running.findIndex((server) => server.id === id)]?.data?.tools ?? [];
  const wanted = text.trim().toLowerCase();

  const isOff = (server: number, tool: string | null) => app.off.some((off) => off.server === server && off.tool === tool);
  const turn = (server: number, tool: string | null, on: boolean) => {
    const others = app.off.filter((off) => off.server !== server || off.tool !== tool);
    const off: AppOff[] = on ? others : [...others, { server, tool }];
    const { failed } = shownAtOnce<AppView[]>(client, apps().queryKey, (list) =>
      list.map((one) => (one.id === app.id ? { ...one, off } : one)),
    );
    void run("set_app", { id: app.id, level: app.chosenLevel, off }, { failed });
  };
  const shown = saved
    .map((server) => ({ server, tools: toolsOf(server.id).filter((tool) => wanted === "" || tool.name.toLowerCase().includes(wanted)) }))
    .filter(({ server, tools }) => wanted === "" || tools.length > 0 || server.name.toLowerCase().includes(wanted));

  return (
    <section aria-labelledby="app-sees">
      <h3 id="app-sees" className="m-0 mb-1 font-semibold">
        {t("sees.title")}
      </h3>
      <p className="m-0 mb-2 text-fg-2">{t("sees.text")}</p>
      {saved.length === 0 ? (
        <p className="m-0 text-fg-3">{t("sees.none")}</p>
      ) : (
        <>
          <SearchInput
            icon={Search}
            aria-label={t("sees.search")}
            placeholder={t("sees.search")}
            value={text}
            onChange={(event) => setText(event.target.value)}
            className="mb-2 w-full"
          />
          {shown.length === 0 && <p className="m-0 text-fg-3">{t("sees.nothing")}</p>}
          <ul className="m-0 list-none rounded-m border border-line p-0">
            {shown.map(({ server, tools: found }) => {
              const on = !isOff(server.id, null);
              const all = toolsOf(server.id);
              const open = wanted === "" ? unfolded.has(server.id) : found.length > 0;
              const off = all.filter((tool) => isOff(server.id, tool.name)).length;
              return (
                <li key={server.id} className="border-b border-line last:border-0">
                  <ServerLine
                    name={server.name}
                    count={all.length === 0 ? null : { all: all.length, seen: on ? all.length - off : 0 }}
                    on={on}
                    open={open}
                    onTurn={(next) => turn(server.id, null, next)}
                    {...(all.length > 0 && wanted === ""
                      ? {
                          onFold: () =>
                            setUnfolded(new Set(open ? [...unfolded].filter((id) => id !== server.id) : [...unfolded, server.id])),
                        }
                      : {})}
                  />
                  {open && (
                    <ul className="m-0 list-none border-t border-line p-0">
                      {found.map((tool) => (
                        <ToolLine
                          key={tool.name}
                          name={tool.name}
                          on={on && !isOff(server.id, tool.name)}
                          disabled={!on}
                          onTurn={(next) => turn(server.id, tool.name, next)}
                        />
                      ))}
                    </ul>
                  )}
                </li>
              );
            })}
          </ul>
        </>
      )}
    </section>
  );
}

function ServerLine({
  name,
  count,
  on,
  open,
  onTurn,
  onFold,
}: {
  name: string;
  /** Its tools; null: they are not known. */
  count: { all: number; seen: number } | null;
  on: boolean;
  open: boolean;
  onTurn: (on: boolean) => void;
  /** Shows or hides its tools; absent where there are none to show, or all that match are shown. */
  onFold?: () => void;
}) {
  const { t } = useTranslation("apps");
  const id = useId();
  const words = (
    <>
      <b className="min-w-0 truncate font-[560]">
        <bdi>{visibleLine(name)}</bdi>
      </b>
      {count && <span className="shrink-0 text-sm text-fg-3 tabular">{t("sees.count", { seen: count.seen, count: count.all })}</span>}
    </>
  );
  return (
    <div className="flex min-h-9 items-center gap-2 px-3">
      {onFold ? (
        <button
          type="button"
          aria-expanded={open}
          onClick={onFold}
          className="inset-focus flex min-w-0 flex-1 items-center gap-1.5 rounded-xs py-1.5 text-left"
        >
          <Icon of={ChevronRight} className={cx("shrink-0 text-fg-3 transition-transform", open && "rotate-90")} />
          {words}
        </button>
      ) : (
        <span className="flex min-w-0 flex-1 items-center gap-1.5 py-1.5">{words}</span>
      )}
      <Switch id={id} checked={on} onChange={onTurn} label={t("sees.server", { name: visibleLine(name) })} />
    </div>
  );
}

function ToolLine({ name, on, disabled, onTurn }: { name: string; on: boolean; disabled: boolean; onTurn: (on: boolean) => void }) {
  const id = useId();
  return (
    <li className="flex min-h-8 items-center gap-2 border-b border-line pr-3 pl-8.5 last:border-0">
      <label htmlFor={id} className={cx("mono min-w-0 flex-1 truncate", disabled && "text-fg-3")} title={visibleLine(name)}>
        <bdi>{visibleLine(name)}</bdi>
      </label>
      <Switch id={id} checked={on} disabled={disabled} onChange={onTurn} />
    </li>
  );
}
