import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Field } from "@/components/field";
import { Fold } from "@/components/fold";
import { GrowingInput, Input } from "@/components/input";
import { Select } from "@/components/select";
import { newServer } from "@/ipc/bindings/defaults";
import { composing } from "@/lib/composing";
import type { Change } from "./changes";
import { CommandPreview } from "./command-preview";
import { completeUrl, type Draft, type DraftField, eraFor, erasFor, inputOf, problemsOf, START_RULES, suggestedName } from "./draft";
import { PairsEditor } from "./pairs-editor";

interface FormProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
  /** Names of the other servers. */
  taken: ReadonlySet<string>;
  /** The backend's error. */
  refused: { field: string; text: string } | null;
  /** The saved command, which needs no review while it is unchanged. */
  savedCommand?: string;
  /** Shows missing values immediately, not only after leaving a field. */
  eager?: boolean;
  /** The differences from the saved server. */
  changes?: readonly Change[];
}

const UNCHANGED: readonly Change[] = [];

/** The fields of a local or remote server, for adding and changing it. */
export function ServerForm({ draft, onChange, taken, refused, savedCommand, eager = false, changes = UNCHANGED }: FormProps) {
  const { t } = useTranslation("servers");
  const [left, setLeft] = useState<ReadonlySet<DraftField>>(new Set());
  const problems = problemsOf(draft, taken);
  const local = draft.transport === "stdio";
  const suggestion = suggestedName(draft, taken);
  const era = eraFor(draft);

  const changed = (part: Change["part"]) => changes.some((change) => change.part === part) && <ChangedMark />;
  const changedNames = new Set(changes.flatMap((change) => ("name" in change ? [change.name] : [])));
  const optional = (part: Change["part"]) => (
    <>
      {t("optional", { ns: "common" })} {changed(part)}
    </>
  );
  const leave = (field: DraftField) => setLeft((now) => new Set(now).add(field));
  const error = (field: DraftField): string | null => {
    if (refused?.field === field) return refused.text;
    const problem = problems[field];
    const said = eager || left.has(field) || problem === "twice" || problem === "bad_name";
    if (problem === undefined || !said) return null;
    return t(`problem.${problem}`);
  };

  return (
    <>
      {local ? (
        <>
          <Field label={t("form.command.label")} note={changed("command")} hint={t("form.command.hint")} error={error("command")}>
            {(wiring) => (
              <GrowingInput
                {...wiring}
                data-first
                placeholder="npx -y @modelcontextprotocol/server-filesystem /home/me/Documents"
                value={draft.commandLine}
                onChange={(event) => onChange({ ...draft, commandLine: event.target.value })}
                onBlur={() => draft.commandLine !== "" && leave("command")}
                onKeyDown={(event) => {
                  // One line: Enter submits the form, as in other fields.
                  if (event.key !== "Enter" || composing(event.nativeEvent)) return;
                  event.preventDefault();
                  event.currentTarget.form?.requestSubmit();
                }}
              />
            )}
          </Field>
          {draft.commandLine !== savedCommand && (
            <CommandPreview
              commandLine={draft.commandLine}
              hasFolder={draft.cwd.trim() !== ""}
              variables={draft.env.map((row) => row.name).filter((name) => name !== "")}
              path={inputOf(draft, taken).env["PATH"] ?? null}
              onChange={(commandLine) => onChange({ ...draft, commandLine })}
            />
          )}
        </>
      ) : (
        <Field label={t("form.url.label")} note={changed("url")} hint={t("form.url.hint")} error={error("url")}>
          {(wiring) => (
            <Input
              {...wiring}
              code
              data-first
              // No type="url", because we show the errors, not the browser.
              inputMode="url"
              placeholder="https://mcp.example.com/mcp"
              value={draft.url}
              onChange={(event) => onChange({ ...draft, url: event.target.value })}
              onBlur={() => {
                const url = completeUrl(draft.url);
                if (url !== draft.url) onChange({ ...draft, url });
                if (url !== "") leave("url");
              }}
            />
          )}
        </Field>
      )}
      <Field label={t("form.name.label")} note={changed("name")} hint={t("form.name.hint")} error={error("name")}>
        {(wiring) => (
          <Input
            {...wiring}
            placeholder={suggestion}
            value={draft.name}
            onChange={(event) => onChange({ ...draft, name: event.target.value })}
            onBlur={() => leave("name")}
          />
        )}
      </Field>
      <Fold
        title={local ? t("form.env.label") : t("form.headers.label")}
        count={local ? draft.env.length : draft.headers.length}
        hint={t("form.storage")}
        open={(local ? draft.env : draft.headers).length > 0}
      >
        {local ? (
          <PairsEditor
            kind="env"
            rows={draft.env}
            changed={changedNames}
            onChange={(env) => onChange({ ...draft, env })}
            problem={error("env")}
          />
        ) : (
          <PairsEditor
            kind="headers"
            rows={draft.headers}
            changed={changedNames}
            onChange={(headers) => onChange({ ...draft, headers })}
            problem={error("headers")}
          />
        )}
      </Fold>
      <Fold title={t("form.more")} open={draft.cwd !== "" || draft.timeout !== "" || era !== "auto" || draft.start !== newServer.start}>
        <div className="flex flex-col gap-4">
          {local && (
            <Field label={t("form.cwd.label")} note={optional("cwd")} hint={t("form.cwd.hint")} error={error("cwd")}>
              {(wiring) => (
                <Input
                  {...wiring}
                  code
                  value={draft.cwd}
                  onChange={(event) => onChange({ ...draft, cwd: event.target.value })}
                  onBlur={() => leave("cwd")}
                />
              )}
            </Field>
          )}
          <Field label={t("form.timeoutMs.label")} note={optional("timeoutMs")} hint={t("form.timeoutMs.hint")} error={error("timeoutMs")}>
            {(wiring) => (
              <span className="flex items-center gap-2">
                <Input
                  {...wiring}
                  inputMode="numeric"
                  value={draft.timeout}
                  onChange={(event) => onChange({ ...draft, timeout: event.target.value })}
                  onBlur={() => leave("timeoutMs")}
                  className="w-24! tabular"
                />
                <span className="text-fg-3">{t("form.seconds")}</span>
              </span>
            )}
          </Field>
          <Field label={t("form.start.label")} note={changed("start")} hint={t(`form.start.hint.${draft.start}`)} error={error("start")}>
            {({ id, ...aria }) => (
              <Select
                id={id}
                {...aria}
                value={draft.start}
                options={START_RULES.map((value) => ({ value, label: t(`form.start.${value}`) }))}
                onChange={(start) => onChange({ ...draft, start })}
                className="w-full max-w-56"
              />
            )}
          </Field>
          <Field label={t("form.era.label")} note={changed("era")} hint={t(`form.era.hint.${era}`)} error={error("era")}>
            {({ id, ...aria }) => (
              <Select
                id={id}
                {...aria}
                value={era}
                options={erasFor(draft.transport).map((value) => ({ value, label: t(`form.era.${value}`) }))}
                onChange={(next) => onChange({ ...draft, era: next })}
                className="w-full max-w-56"
              />
            )}
          </Field>
        </div>
      </Fold>
    </>
  );
}

/** Marks a field with an unsaved change. Screen reader users have the list of changes below. */
function ChangedMark() {
  const { t } = useTranslation("servers");
  return (
    <span aria-hidden data-changed className="text-sm font-[560] text-accent">
      {t("edit.changed")}
    </span>
  );
}
