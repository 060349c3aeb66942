import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { AppToolList } from "@/ipc/bindings/AppToolList";
import type { AppView } from "@/ipc/bindings/AppView";
import { apps } from "@/ipc/queries";
import { shownAtOnce, useCommand } from "@/lib/use-command";
import { Choices } from "./choices";

const lists = ["whole", "search", "auto"] as const satisfies readonly AppToolList[];

/** How an app gets the tools: all of them, or a search. */
export function ToolListChoice({ app }: { app: AppView }) {
  const { t } = useTranslation("apps");
  const client = useQueryClient();
  const { run } = useCommand();
  const choose = (toolList: AppToolList) => {
    const { failed } = shownAtOnce<AppView[]>(client, apps().queryKey, (list) =>
      list.map((one) => (one.id === app.id ? { ...one, toolList } : one)),
    );
    void run("set_app_tool_list", { id: app.id, toolList }, { failed });
  };
  const text = (list: AppToolList) => (list === "auto" && app.searchesTools ? t("toolList.auto.own") : t(`toolList.${list}.text`));
  const values = lists.map((list) => ({ value: list, name: t(`toolList.${list}.name`), text: text(list) }));
  return <Choices title={t("toolList.title")} value={app.toolList} values={values} onChoose={choose} />;
}
