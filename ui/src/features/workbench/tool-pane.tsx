import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CodeEditor } from "@/components/code-editor";
import { ErrorNotice } from "@/components/error-notice";
import { SegmentedControl } from "@/components/toggles";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { ToolView } from "@/ipc/bindings/ToolView";
import { isError } from "@/lib/schema/check";
import { concrete } from "@/lib/schema/model";
import { visibleLine } from "@/lib/untrusted";
import { argumentsOf, layOutText, typeText } from "@/components/form/draft";
import { resetDraft } from "./args/drafts";
import { Form } from "@/components/form/form";
import { jsonErrorText } from "@/components/form/json-error";
import { editorMistakes } from "./args/mistakes";
import { WithheldNotice } from "./args/withheld-notice";
import { ServerBanner } from "./server-banner";
import { showProblem, type Session, useSession } from "./session";
import { ToolHeader } from "./item-header";
import { BelowFields } from "./run-actions";
import type { Target } from "./target";

/** The main pane: a tool, and its arguments as a form or as JSON. */
export function ToolPane({ server, tool }: { server: ServerView; tool: ToolView }) {
  const { t } = useTranslation("workbench");
  const session = useSession(server, tool);
  const target: Target = { kind: "tool", name: tool.name };
  const takes = takesArguments(session);
  return (
    <section aria-label={t("tab.arguments")} className="flex min-h-0 flex-1 flex-col">
      <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-5 pt-3 pb-5">
        <ToolHeader server={server} tool={tool} />
        <ServerBanner server={server} />
        <WithheldNotice server={server.id} target={target} />
        {(takes || session.mode === "json") && <ModeSwitch session={session} />}
        {session.mode === "form" ? (
          <FormView server={server} session={session} />
        ) : (
          <JsonView server={server} tool={tool} session={session} />
        )}
        <BelowFields args={argumentsOf(session.draft)} takes={takes} />
      </div>
      <ProblemBar session={session} />
    </section>
  );
}

/** Switches the arguments between form and JSON. */
function ModeSwitch({ session: { mode, setMode, root } }: { session: Session }) {
  const { t } = useTranslation("workbench");
  return (
    <SegmentedControl
      label={t("mode.label")}
      value={mode}
      options={[
        { value: "form", label: t("mode.form"), disabled: root === null },
        { value: "json", label: "JSON" },
      ]}
      onChange={setMode}
      className="shrink-0 self-start"
    />
  );
}

function takesArguments({ root }: Session): boolean {
  const field = root === null ? null : concrete(root);
  return field?.kind !== "object" || field.properties.length > 0 || field.open;
}

function FormView({ server, session }: { server: ServerView; session: Session }) {
  const { t } = useTranslation("workbench");
  const { t: say } = useTranslation("form");
  const { draft, root, problems, unchecked, change, setMode } = session;
  if (root === null) return null;
  const broken = draft.error;
  return (
    <>
      {broken !== null && (
        <ErrorNotice
          tone="warn"
          title={t("form.broken.title")}
          why={broken.kind === "syntax" ? jsonErrorText(broken.error, say) : say("json.notObject")}
          next={t("form.broken.next")}
        >
          <Button onClick={() => setMode("json")}>{t("form.broken.back")}</Button>
          <Button look="ghost" onClick={() => change(layOutText)}>
            {t("form.broken.discard")}
          </Button>
        </ErrorNotice>
      )}
      <div inert={broken !== null} className={broken === null ? undefined : "opacity-50"}>
        <Form
          root={root}
          server={server.name}
          draft={draft}
          problems={problems}
          unchecked={unchecked}
          empty={t("form.noArguments")}
          onChange={change}
        />
      </div>
    </>
  );
}

function JsonView({ server, tool, session }: { server: ServerView; tool: ToolView; session: Session }) {
  const { t } = useTranslation("workbench");
  const { t: say } = useTranslation("form");
  const { draft, model, problems, change } = session;
  return (
    <div data-json-arguments className="flex min-h-64 flex-1 flex-col gap-1.5">
      {model.kind === "none" && <p className="m-0 text-sm text-fg-2">{t(`noForm.${model.reason}`)}</p>}
      <CodeEditor
        value={draft.text}
        onChange={(text) => change((now) => typeText(now, text))}
        label={t("form.jsonOf", { name: visibleLine(tool.name) })}
        mistakes={editorMistakes(draft, problems, say)}
        placeholder="{}"
        fill
        minHeight={160}
      />
      <div className="flex items-center gap-2 text-sm text-fg-3">
        <span className="min-w-0 flex-1">
          {draft.error?.kind === "syntax" ? (
            <span className="text-bad">{jsonErrorText(draft.error.error, say)}</span>
          ) : draft.error !== null ? (
            <span className="text-bad">{say("json.notObject")}</span>
          ) : (
            model.kind !== "none" && t("form.jsonHint")
          )}
        </span>
        <button
          type="button"
          disabled={draft.error !== null}
          onClick={() => change(layOutText)}
          className="rounded-xs px-1 font-medium text-fg-2 enabled:hover:text-fg disabled:opacity-50"
        >
          {t("form.layOut")}
        </button>
        <button
          type="button"
          onClick={() => resetDraft(server.id, tool.name, model)}
          className="rounded-xs px-1 font-medium text-fg-2 hover:text-fg"
        >
          {t("form.startOver")}
        </button>
      </div>
    </div>
  );
}

/** After an attempt with problems: how many, where, and a button to run it anyway. */
function ProblemBar({ session }: { session: Session }) {
  const { t } = useTranslation("workbench");
  const { draft, problems, failed, mode, run, running, connected } = session;
  if (!draft.revealed || running !== undefined) return null;
  const errors = problems.filter(isError);
  const broken = draft.error !== null || errors.some((problem) => problem.code === "invalidJson");
  if (errors.length === 0 && !broken && !failed) return null;
  return (
    <div
      role="status"
      className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-t border-line bg-surface py-1.5 pr-3 pl-5 text-sm"
    >
      <span className="min-w-40 flex-1 text-bad">
        {broken ? t("problems.broken") : failed ? t("problems.failed") : t("problems.count", { count: errors.length })}
      </span>
      {mode === "form" && errors.length > 0 && (
        <Button look="ghost" onClick={() => showProblem(errors)}>
          {t("problems.show")}
        </Button>
      )}
      {!broken && (
        <Button disabled={!connected} onClick={() => run(true)}>
          {t("problems.anyway")}
        </Button>
      )}
    </div>
  );
}
