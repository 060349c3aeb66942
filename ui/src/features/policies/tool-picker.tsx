import { useQueries, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Combobox } from "@/components/form/combobox";
import { servers, tools } from "@/ipc/queries";
import { visibleLine } from "@/lib/untrusted";
import { nameOf, patternOf } from "@/lib/tool-name";

/** A choice of one of the running servers' tools. */
export function ToolPicker({
  id,
  server,
  pattern,
  onChange,
  "aria-describedby": describedBy,
}: {
  id: string;
  /** The tools of this server, or of all if null. */
  server: number | null;
  pattern: string;
  onChange: (pattern: string) => void;
  "aria-describedby": string | undefined;
}) {
  const { t } = useTranslation("policies");
  const { data: list = [] } = useQuery(servers());
  const running = list.filter(({ id: own, state }) => (state === "ready" || state === "degraded") && (server === null || server === own));
  const offered = useQueries({ queries: running.map((one) => tools(one.id)) });
  const chosen = pattern === "" ? null : nameOf(pattern);
  const known = offered.flatMap(({ data }) => data?.tools.map((tool) => tool.name) ?? []);
  const names = [...new Set([...(chosen === null ? [] : [chosen]), ...known])].toSorted((a, b) => a.localeCompare(b));
  return (
    <Combobox
      id={id}
      aria-label={undefined}
      aria-labelledby={id}
      aria-describedby={describedBy}
      aria-invalid={undefined}
      aria-required={undefined}
      labels={names.map(visibleLine)}
      at={chosen === null ? -1 : names.indexOf(chosen)}
      placeholder={t("form.pick")}
      clearable={false}
      disabled={false}
      onPick={(at) => {
        const name = at === null ? undefined : names[at];
        if (name !== undefined) onChange(patternOf(name));
      }}
    />
  );
}
