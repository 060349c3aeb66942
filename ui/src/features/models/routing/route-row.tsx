import { ArrowDown, ArrowUp, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { Input } from "@/components/input";
import { Select } from "@/components/select";
import type { ModelsView } from "@/ipc/bindings/ModelsView";
import type { RouteRule } from "@/ipc/bindings/RouteRule";
import { composing } from "@/lib/composing";
import { useFocusPassedOn } from "@/lib/row-focus";
import { visibleLine } from "@/lib/untrusted";

/** Converts a route's model to a single text, and back. */
const wordOf = ({ provider, model }: Pick<RouteRule, "provider" | "model">) =>
  provider === null ? "practice" : JSON.stringify([provider, model]);

/** A row of the routing table: the server and the hint that it matches, and its model. */
export function RouteRow({
  route,
  at,
  count,
  view,
  onChange,
  onMove,
  onRemove,
}: {
  route: RouteRule;
  at: number;
  count: number;
  view: ModelsView;
  onChange: (route: RouteRule) => void;
  onMove: (by: -1 | 1) => void;
  onRemove: () => void;
}) {
  const { t } = useTranslation("models");
  const [typed, setTyped] = useState<string | null>(null);
  const row = useFocusPassedOn<HTMLLIElement>();
  const line = at + 1;
  const targets = view.providers.flatMap((provider) =>
    provider.models.map((model) => ({
      provider: provider.id,
      model: model.id,
      label: `${visibleLine(provider.name)}: ${visibleLine(model.id)}`,
    })),
  );
  const known = route.provider === null || targets.some((target) => wordOf(target) === wordOf(route));
  const goneServer = route.server !== null && !view.servers.some((item) => item.policy.server === route.server);
  const commit = () => {
    if (typed !== null && typed.trim() !== (route.hint ?? "")) onChange({ ...route, hint: typed.trim() === "" ? null : typed.trim() });
    setTyped(null);
  };
  return (
    <li
      ref={row}
      className="grid grid-cols-[20px_minmax(0,.8fr)_minmax(0,.7fr)_minmax(0,1.7fr)_auto] items-center gap-2 border-b border-line px-3 py-2 last:border-0"
    >
      <span className="text-right text-sm text-fg-3 tabular">{line}</span>
      <Select
        label={t("routes.server", { line })}
        value={String(route.server ?? "any")}
        options={[
          { value: "any", label: t("routes.anyServer") },
          ...(goneServer ? [{ value: String(route.server), label: t("routes.goneServer") }] : []),
          ...view.servers.map(({ policy, serverName }) => ({ value: String(policy.server), label: visibleLine(serverName) })),
        ]}
        onChange={(value) => onChange({ ...route, server: value === "any" ? null : Number(value) })}
      />
      <Input
        aria-label={t("routes.hint", { line })}
        placeholder={t("routes.anyHint")}
        value={typed ?? route.hint ?? ""}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (composing(event.nativeEvent)) return;
          if (event.key === "Enter") commit();
          if (event.key === "Escape") setTyped(null);
        }}
      />
      <Select
        label={t("routes.model", { line })}
        value={wordOf(route)}
        options={[
          ...targets.map((target) => ({ value: wordOf(target), label: target.label })),
          ...(known ? [] : [{ value: wordOf(route), label: t("routes.goneModel", { model: visibleLine(route.model) }) }]),
          { value: "practice", label: t("practice.name") },
        ]}
        onChange={(value) => {
          const target = targets.find((item) => wordOf(item) === value);
          if (target || value === "practice") onChange({ ...route, provider: target?.provider ?? null, model: target?.model ?? "" });
        }}
        {...(known ? {} : { "aria-invalid": true as const })}
      />
      <span className="flex">
        <IconButton
          small
          data-move="up"
          icon={ArrowUp}
          label={t("routes.up", { line })}
          aria-disabled={at === 0}
          onClick={() => onMove(-1)}
          className={at === 0 ? "opacity-40" : undefined}
        />
        <IconButton
          small
          data-move="down"
          icon={ArrowDown}
          label={t("routes.down", { line })}
          aria-disabled={at === count - 1}
          onClick={() => onMove(1)}
          className={at === count - 1 ? "opacity-40" : undefined}
        />
        <IconButton small icon={X} label={t("routes.remove", { line })} onClick={onRemove} />
      </span>
    </li>
  );
}
