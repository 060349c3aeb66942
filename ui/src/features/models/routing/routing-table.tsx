import { Plus } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import type { ModelsView } from "@/ipc/bindings/ModelsView";
import type { RouteRule } from "@/ipc/bindings/RouteRule";
import type { ModelActions } from "../actions";
import { Part } from "../section";
import { RouteRow } from "./route-row";

/** Which model answers which request: the first matching row decides. Rows can be moved with the keyboard. */
export function RoutingTable({ view, actions }: { view: ModelsView; actions: ModelActions }) {
  const { t } = useTranslation("models");
  const list = useRef<HTMLOListElement>(null);
  const [said, setSaid] = useState("");
  const { routes } = view;
  const set = (at: number, route: RouteRule) => void actions.route(routes.map((item, index) => (index === at ? route : item)));
  const move = (at: number, by: -1 | 1) => {
    const to = at + by;
    const [line] = routes.slice(at, at + 1);
    if (!line || to < 0 || to >= routes.length) return;
    void actions.route(routes.toSpliced(at, 1).toSpliced(to, 0, line));
    setSaid(t("routes.moved", { at: to + 1, count: routes.length }));
    // The row keeps the focus, so that it can be moved further.
    requestAnimationFrame(() =>
      list.current?.children[to]?.querySelector<HTMLElement>(`[data-move="${by === -1 ? "up" : "down"}"]`)?.focus(),
    );
  };
  const [first] = view.providers;
  const add = () => {
    const model = first?.models[0];
    void actions.route([...routes, { server: null, hint: null, provider: model ? (first?.id ?? null) : null, model: model?.id ?? "" }]);
  };
  return (
    <Part
      title={t("routes.title")}
      text={t("routes.text")}
      action={
        <Button icon={Plus} onClick={add}>
          {t("routes.add")}
        </Button>
      }
    >
      <p role="status" className="sr-only">
        {said}
      </p>
      {routes.length === 0 ? (
        <p className="m-0 px-4 py-3 text-fg-2">{t("routes.none")}</p>
      ) : (
        <ol ref={list} aria-label={t("routes.title")} className="m-0 list-none p-0">
          {routes.map((route, index) => (
            <RouteRow
              key={index}
              route={route}
              at={index}
              count={routes.length}
              view={view}
              onChange={(next) => set(index, next)}
              onMove={(by) => move(index, by)}
              onRemove={() => void actions.removeRoute(routes, index)}
            />
          ))}
        </ol>
      )}
    </Part>
  );
}
