import { useQueryClient } from "@tanstack/react-query";
import { RadioGroup } from "radix-ui";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import type { AppLevel } from "@/ipc/bindings/AppLevel";
import type { AppView } from "@/ipc/bindings/AppView";
import { apps } from "@/ipc/queries";
import { shownAtOnce, useCommand } from "@/lib/use-command";

const levels = ["ask_here", "app_asks", "read_only"] as const satisfies readonly AppLevel[];

/** How the calls of an app are allowed where no rule decides. */
export function LevelChoice({ app }: { app: AppView }) {
  const { t } = useTranslation("apps");
  const id = useId();
  const client = useQueryClient();
  const { run } = useCommand({ vault: true });
  const choose = (level: AppLevel) => {
    const { failed } = shownAtOnce<AppView[]>(client, apps().queryKey, (list) =>
      list.map((one) => (one.id === app.id ? { ...one, level, chosenLevel: level } : one)),
    );
    void run("set_app", { id: app.id, level, off: app.off }, { failed });
  };
  return (
    <section>
      <h3 id={id} className="m-0 mb-1 font-semibold">
        {t("level.title")}
      </h3>
      <p className="m-0 mb-2 text-fg-2">{t("level.rules")}</p>
      <RadioGroup.Root
        aria-labelledby={id}
        value={app.level}
        onValueChange={(level) => choose(levels.find((known) => known === level) ?? app.level)}
        className="flex flex-col gap-2"
      >
        {levels.map((level) => (
          <div key={level} className="flex items-start gap-2">
            <RadioGroup.Item
              id={`${id}-${level}`}
              value={level}
              aria-describedby={`${id}-${level}-hint`}
              className="mt-0.5 grid size-4 shrink-0 place-items-center rounded-full border border-control bg-surface transition-colors data-[state=checked]:border-accent disabled:opacity-50"
            >
              <RadioGroup.Indicator className="block size-2 rounded-full bg-accent" />
            </RadioGroup.Item>
            <div className="min-w-0 flex-1">
              <label htmlFor={`${id}-${level}`} className="font-[560]">
                {t(`level.${level}.name`)}
                {level === app.defaultLevel && <span className="ml-1.5 font-normal text-fg-3">{t("level.default")}</span>}
              </label>
              <p id={`${id}-${level}-hint`} className="m-0 text-sm text-fg-2">
                {t(`level.${level}.text`)}
              </p>
            </div>
          </div>
        ))}
      </RadioGroup.Root>
    </section>
  );
}
