import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { AppLevel } from "@/ipc/bindings/AppLevel";
import type { AppView } from "@/ipc/bindings/AppView";
import { apps } from "@/ipc/queries";
import { shownAtOnce, useCommand } from "@/lib/use-command";
import { Choices } from "./choices";
import { isKeylessInRepository, uses } from "@/lib/app-standing";

const levels = ["ask_here", "app_asks", "read_only"] as const satisfies readonly AppLevel[];

/** How an app's calls are approved if no rule decides. */
export function LevelChoice({ app }: { app: AppView }) {
  const { t } = useTranslation("apps");
  const client = useQueryClient();
  const { run } = useCommand({ vault: true });
  const choose = (level: AppLevel) => {
    const { failed } = shownAtOnce<AppView[]>(client, apps().queryKey, (list) =>
      list.map((one) => (one.id === app.id ? { ...one, level, chosenLevel: level } : one)),
    );
    void run("set_app_level", { id: app.id, level }, { failed });
  };
  const name = (level: AppLevel) => (
    <>
      {t(`level.${level}.name`)}
      {level === app.defaultLevel && <span className="ml-1.5 font-normal text-fg-3">{t("level.default")}</span>}
    </>
  );
  const values = levels.map((level) => ({ value: level, name: name(level), text: t(`level.${level}.text`) }));
  const waits = uses(app) && app.key !== "current";
  const why = isKeylessInRepository(app) ? "level.keyless" : app.key === "sealed" ? "level.waitsForVault" : "level.waits";
  return (
    <Choices
      title={t("level.title")}
      text={t("level.rules")}
      note={waits ? t(why) : undefined}
      value={app.level}
      values={values}
      onChoose={choose}
    />
  );
}
