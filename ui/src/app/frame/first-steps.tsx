import { useQuery } from "@tanstack/react-query";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { Check, Sailboat } from "lucide-react";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Icon } from "@/components/icon";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { decisions, servers } from "@/ipc/queries";
import { useAddServer } from "@/lib/add-server";
import { KEEP_CLEAR } from "@/lib/clear-of";
import { cx } from "@/lib/cx";
import { enterScreen } from "@/lib/enter-screen";
import { endFirstSteps, FIRST_STEPS, finishFirstStep, type FirstStep, useFirstSteps } from "@/lib/first-steps";

/** The demo server's tools for the first two steps. */
const TOOLS = { run: "echo", form: "register_ship" } as const;

/** Three steps with the demo server: run a tool, answer its form, see the messages. With another server they count as well. */
export function FirstSteps() {
  const steps = useFirstSteps();
  const { data: list = [] } = useQuery({ ...servers(), enabled: steps !== null });
  const server = list.find((candidate) => candidate.id === steps?.server);
  return steps && server ? <Steps server={server} called={list.some(({ calls }) => calls > 0)} before={steps.done} /> : null;
}

function Steps({ server, called, before }: { server: ServerView; called: boolean; before: readonly FirstStep[] }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const addServer = useAddServer();
  const { data: decided = [] } = useQuery(decisions(1));
  const inActivity = useRouterState({ select: ({ location }) => location.pathname === "/activity" });
  const answered = decided.length > 0;
  // A look before there is anything to see is no step.
  const happened = { run: called || answered, form: answered, see: inActivity && (answered || before.includes("form")) };
  useEffect(() => {
    for (const name of FIRST_STEPS) if (happened[name]) finishFirstStep(name);
  });
  const done = (name: FirstStep) => happened[name] || before.includes(name);
  const step = FIRST_STEPS.find((name) => !done(name));
  const show = (name: FirstStep) => {
    const going =
      name === "see"
        ? navigate({ to: "/activity", search: { server: server.name } })
        : navigate({ to: "/workbench", search: { server: server.id, tool: TOOLS[name] } });
    void going.then(enterScreen);
  };
  return (
    <section
      {...KEEP_CLEAR}
      aria-label={t("firstSteps.title")}
      className="flex min-w-0 items-center gap-4 border-t border-line bg-info-soft px-4 py-2"
    >
      <Icon of={Sailboat} className="shrink-0 text-info" />
      <div className="min-w-0 flex-1">
        <ol className="m-0 flex list-none gap-4 p-0 text-xs">
          {FIRST_STEPS.map((name, index) => (
            <li
              key={name}
              {...(name === step ? { "aria-current": "step" as const } : {})}
              className={cx("flex items-center gap-1", name === step ? "font-semibold text-fg" : "text-fg-2")}
            >
              {done(name) ? <Icon of={Check} size={12} className="text-ok" /> : <span className="tabular">{index + 1}</span>}
              {t(`firstSteps.${name}.name`)}
              {done(name) && <span className="sr-only">{t("firstSteps.done")}</span>}
            </li>
          ))}
        </ol>
        <p role="status" className="m-0 mt-0.5 truncate">
          {t(`firstSteps.${step ?? "end"}.text`)}
        </p>
      </div>
      {step ? (
        <>
          <Button onClick={() => show(step)}>{t("firstSteps.show")}</Button>
          <Button onClick={endFirstSteps}>{t("firstSteps.skip")}</Button>
        </>
      ) : (
        <>
          <Button
            onClick={() => {
              endFirstSteps();
              addServer("command");
            }}
          >
            {t("firstSteps.end.add")}
          </Button>
          <Button onClick={endFirstSteps}>{t("close")}</Button>
        </>
      )}
    </section>
  );
}
