import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/components/button";
import { Select } from "@/components/select";
import type { HiddenItem } from "@/ipc/bindings/HiddenItem";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { apps, tools } from "@/ipc/queries";
import { visibleLine } from "@/lib/untrusted";

/** Stands for all apps, or for the whole server. */
const ALL = "";
const keyOf = ({ app, server, tool }: HiddenItem) => JSON.stringify([app, server, tool]);

/** What apps don't see of the servers of a profile. */
export function HiddenItems({
  items,
  servers,
  onChange,
}: {
  items: readonly HiddenItem[];
  servers: readonly ServerView[];
  onChange: (items: readonly HiddenItem[]) => void;
}) {
  const { t } = useTranslation("profiles");
  const { data: known = [] } = useQuery(apps());
  const nameOf = (id: number) => visibleLine(servers.find((server) => server.id === id)?.name ?? "");
  const titleOf = (app: string) => visibleLine(known.find(({ id }) => id === app)?.title ?? app);
  const shown = items.filter(({ server }) => servers.some(({ id }) => id === server));
  const label = ({ app, server, tool }: HiddenItem) => {
    const what =
      tool === null
        ? t("hidden.server", { server: nameOf(server) })
        : t("hidden.tool", { server: nameOf(server), tool: visibleLine(tool) });
    return app === null ? what : t("hidden.from", { what, app: titleOf(app) });
  };
  return (
    <fieldset className="m-0 flex min-w-0 flex-col gap-1.5 border-0 p-0">
      <legend className="mb-1 p-0 font-[560]">{t("hidden.title")}</legend>
      {shown.map((item) => (
        <span key={keyOf(item)} className="flex items-center gap-2">
          <span className="min-w-0 flex-1 wrap-any">{label(item)}</span>
          <IconButton
            small
            icon={X}
            label={t("hidden.show", { what: label(item) })}
            onClick={() => onChange(items.filter((other) => keyOf(other) !== keyOf(item)))}
          />
        </span>
      ))}
      {servers.length === 0 ? (
        <p className="m-0 text-sm text-fg-3">{t("hidden.noServers")}</p>
      ) : (
        <AddHidden
          servers={servers}
          apps={known.map(({ id, title }) => ({ value: id, label: visibleLine(title) }))}
          onAdd={(item) => onChange([...items.filter((other) => keyOf(other) !== keyOf(item)), item])}
        />
      )}
    </fieldset>
  );
}

function AddHidden({
  servers,
  apps: known,
  onAdd,
}: {
  servers: readonly ServerView[];
  apps: readonly { value: string; label: string }[];
  onAdd: (item: HiddenItem) => void;
}) {
  const { t } = useTranslation("profiles");
  const [chosen, setChosen] = useState(String(servers[0]?.id ?? ""));
  const [tool, setTool] = useState(ALL);
  const [app, setApp] = useState(ALL);
  const server = servers.find(({ id }) => String(id) === chosen) ?? servers[0];
  const { data: list } = useQuery({ ...tools(server?.id ?? 0), enabled: server !== undefined });
  const named = (list?.tools ?? []).map(({ name }) => ({ value: `:${name}`, label: visibleLine(name) }));
  if (server === undefined) return null;
  return (
    <div className="flex flex-wrap gap-1.5">
      <Select
        label={t("hidden.pickServer")}
        value={String(server.id)}
        onChange={(next) => {
          setChosen(next);
          setTool(ALL);
        }}
        options={servers.map(({ id, name }) => ({ value: String(id), label: visibleLine(name) }))}
      />
      <Select
        label={t("hidden.pickTool")}
        value={tool === ALL ? "*" : tool}
        onChange={(next) => setTool(next === "*" ? ALL : next)}
        options={[{ value: "*", label: t("hidden.whole") }, ...named]}
      />
      <Select
        label={t("hidden.pickApp")}
        value={app === ALL ? "*" : app}
        onChange={(next) => setApp(next === "*" ? ALL : next)}
        options={[{ value: "*", label: t("hidden.allApps") }, ...known]}
      />
      <Button onClick={() => onAdd({ app: app === ALL ? null : app, server: server.id, tool: tool === ALL ? null : tool.slice(1) })}>
        {t("hidden.add")}
      </Button>
    </div>
  );
}
