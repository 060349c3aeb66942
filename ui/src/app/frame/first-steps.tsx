import { useQuery } from "@tanstack/react-query";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { Check, Sailboat } from "lucide-react";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Icon } from "@/components/icon";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { apps, decisions, inbox, servers } from "@/ipc/queries";
import { useAddServer } from "@/lib/add-server";
import { isUnderWay } from "@/lib/approvals";
import { KEEP_CLEAR } from "@/lib/clear-of";
import { cx } from "@/lib/cx";
import { enterScreen } from "@/lib/enter-screen";
import { endFirstSteps, FIRST_STEPS, finishFirstStep, type FirstStep, useFirstSteps } from "@/lib/first-steps";
import { keyLabels } from "@/lib/platform";
import { visibleLine } from "@/lib/untrusted";
import { useOpenWork } from "@/lib/work-focus";

/** The demo server's tools for the first two steps. */
const TOOLS = { run: "echo", form: "reserve_berth" } as const;

/** Four steps: run a demo tool, answer its form, see the messages, connect an app. Other servers count too. */
export function FirstSteps() {
  const steps = useFirstSteps();
  const { data: list = [] } = useQuery({ ...servers(), enabled: steps !== null });
  const server = list.find((candidate) => candidate.id === steps?.server);
  return steps && server ? <Steps server={server} called={list.some(({ calls }) => calls > 0)} before={steps.done} /> : null;
}

function Steps({ server, called, before }: { server: ServerView; called: boolean; before: readonly FirstStep[] }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const openWork = useOpenWork();
  const addServer = useAddServer();
  const { data: decided = [] } = useQuery(decisions(1));
  const { data: asked } = useQuery(inbox());
  const { data: found = [] } = useQuery(apps());
  const { pathname, search } = useRouterState({ select: ({ location }) => location });
  const answered = decided.length > 0;
  const connected = found.some(({ state }) => state === "connected");
  // Opening Activity before there are messages doesn't count.
  const seen = pathname === "/activity" && (answered || before.includes("form"));
  const happened = { run: called || answered, form: answered, see: seen, app: connected };
  useEffect(() => {
    for (const name of FIRST_STEPS) if (happened[name]) finishFirstStep(name);
  });
  const done = (name: FirstStep) => happened[name] || before.includes(name);
  const step = FIRST_STEPS.find((name) => !done(name));
  const app = found.find(({ state }) => state === "found");
  const show = (name: FirstStep) => {
    if (name === "run" || name === "form") openWork(server.id, "tool", TOOLS[name]);
    else if (name === "see") void navigate({ to: "/activity", search: { server: server.name } }).then(enterScreen);
    else void navigate({ to: "/apps", search: app === undefined ? {} : { id: app.id, open: true } }).then(enterScreen);
  };
  /** Whether this step's tool is open. */
  const isOpen = (name: FirstStep) =>
    (name === "run" || name === "form") && pathname === "/workbench" && search.server === server.id && search.tool === TOOLS[name];
  /** Before the server is ready, there is no tool to show. */
  const isSoon = (step === "run" || step === "form") && isUnderWay(server.state);
  const waits = asked?.waiting.some((item) => item.server === server.id && item.question.kind === "form") === true;
  const keys = keyLabels("mod+enter").join(" ");
  const words = () => {
    if (isSoon) return t("firstSteps.soon", { name: visibleLine(server.name) });
    switch (step) {
      case "run":
        return t(isOpen("run") ? "firstSteps.run.open" : "firstSteps.run.text", { keys });
      case "form":
        if (waits) return t("firstSteps.form.waits", { keys });
        return t(isOpen("form") ? "firstSteps.form.open" : "firstSteps.form.text", { keys });
      case "see":
        return t("firstSteps.see.text");
      case "app":
        return app === undefined ? t("firstSteps.app.text") : t("firstSteps.app.found", { app: visibleLine(app.title) });
      case undefined:
        return t("firstSteps.end.text");
    }
  };
  return (
    <section
      {...KEEP_CLEAR}
      aria-label={t("firstSteps.title")}
      className="flex min-w-0 items-center gap-4 border-b border-line bg-info-soft px-4 py-2"
    >
      <Icon of={Sailboat} className="shrink-0 text-info" />
      <div className="min-w-0 flex-1">
        <ol className="m-0 flex list-none flex-wrap gap-x-4 p-0 text-xs">
          {FIRST_STEPS.map((name, index) => (
            <li
              key={name}
              {...(name === step ? { "aria-current": "step" as const } : {})}
              className={cx("flex items-center gap-1", name === step ? "font-semibold text-fg" : "text-fg-2")}
            >
              {done(name) ? (
                <span className="grid size-4 place-items-center rounded-full bg-ok-soft text-ok">
                  <Icon of={Check} size={12} />
                </span>
              ) : (
                <span
                  className={cx(
                    "grid size-4 place-items-center rounded-full border tabular",
                    name === step ? "border-accent bg-accent text-on-accent" : "border-line-strong",
                  )}
                >
                  {index + 1}
                </span>
              )}
              {t(`firstSteps.${name}.name`)}
              {done(name) && <span className="sr-only">{t("firstSteps.done")}</span>}
            </li>
          ))}
        </ol>
        <p role="status" className="m-0 mt-0.5 text-pretty">
          {words()}
        </p>
      </div>
      {step ? (
        <>
          {!isSoon && (
            <Button look={isOpen(step) ? "default" : "primary"} onClick={() => show(step)}>
              {t("firstSteps.show")}
            </Button>
          )}
          <Button look="ghost" onClick={endFirstSteps}>
            {t("firstSteps.skip")}
          </Button>
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
