import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Field } from "@/components/field";
import { Input } from "@/components/input";
import { Select } from "@/components/select";
import { UntrustedText } from "@/components/their-voice";
import { Checkbox, SegmentedControl } from "@/components/toggles";
import { servers } from "@/ipc/queries";
import { callers, callingApp } from "@/lib/callers";
import { formatMoment } from "@/lib/format";
import { pieces, visibleLine } from "@/lib/untrusted";
import { Conditions } from "./conditions";
import type { RuleDraft, Term, Which } from "./draft";
import { nameOf } from "@/lib/tool-name";
import { ToolPicker } from "./tool-picker";

const effects = ["allow", "ask", "deny"] as const;
const tools = ["any", "one", "pattern"] as const satisfies readonly Which[];

/** The parts of a rule: its effect, its calls, and its duration. */
export function RuleForm({ draft, onChange }: { draft: RuleDraft; onChange: (draft: RuleDraft) => void }) {
  const { t, i18n } = useTranslation("policies");
  const destructive = useId();
  const { data: list = [] } = useQuery(servers());
  const set = (part: Partial<RuleDraft>) => onChange({ ...draft, ...part });
  const terms: Term[] = ["always", "hour", "day", "week", ...(draft.end === null ? [] : (["kept"] as const))];
  const app = callingApp(draft.caller);
  const gone = draft.server !== null && !list.some((server) => server.id === draft.server);
  // A field doesn't show invisible characters, and some characters reorder others.
  const hidden = pieces(draft.tool).some((piece) => typeof piece !== "string");
  return (
    <div className="flex flex-col gap-3.5">
      <div>
        <p className="m-0 mb-1 font-[560]">{t("form.effect")}</p>
        <SegmentedControl
          label={t("form.effect")}
          value={draft.effect}
          onChange={(effect) => set({ effect })}
          options={effects.map((value) => ({ value, label: t(`effect.${value}`) }))}
        />
        <p className="m-0 mt-1 text-sm text-fg-3">{t(`means.${draft.effect}`)}</p>
      </div>
      <div className="grid grid-cols-2 gap-3">
        <Field label={t("form.server")}>
          {({ id, ...aria }) => (
            <Select
              id={id}
              {...aria}
              value={String(draft.server ?? "any")}
              options={[
                { value: "any", label: t("any.server") },
                ...(gone ? [{ value: String(draft.server), label: t("goneServer") }] : []),
                ...list.map((server) => ({ value: String(server.id), label: visibleLine(server.name) })),
              ]}
              onChange={(value) => set({ server: value === "any" ? null : Number(value) })}
            />
          )}
        </Field>
        <Field label={t("form.which")}>
          {({ id, ...aria }) => (
            <Select
              id={id}
              {...aria}
              value={draft.which}
              options={tools.map((value) => ({ value, label: t(`which.${value}`) }))}
              onChange={(which) => set({ which, ...(which === "one" && nameOf(draft.tool) === null ? { tool: "" } : {}) })}
            />
          )}
        </Field>
        {draft.which !== "any" && (
          <Field
            label={t(draft.which === "one" ? "form.tool" : "form.pattern")}
            className="col-span-2"
            hint={
              <>
                {t(draft.which === "one" ? "form.pickHint" : "form.patternHint")}
                {hidden && (
                  <span className="block text-fg-2">
                    {t("form.toolHidden")}{" "}
                    <bdi className="mono">
                      <UntrustedText text={draft.tool} />
                    </bdi>
                  </span>
                )}
              </>
            }
          >
            {(wiring) =>
              draft.which === "one" ? (
                <ToolPicker
                  id={wiring.id}
                  aria-describedby={wiring["aria-describedby"]}
                  server={draft.server}
                  pattern={draft.tool}
                  onChange={(tool) => set({ tool })}
                />
              ) : (
                <Input
                  {...wiring}
                  code
                  placeholder={t("any.tool")}
                  value={draft.tool}
                  onChange={(event) => set({ tool: event.target.value })}
                />
              )
            }
          </Field>
        )}
        <Field label={t("form.caller")}>
          {({ id, ...aria }) => (
            <Select
              id={id}
              {...aria}
              value={draft.caller ?? "any"}
              options={[
                { value: "any" as const, label: t("any.caller") },
                ...callers.map((value) => ({ value, label: t(`caller.${value}`) })),
                ...(app !== null && draft.caller !== null ? [{ value: draft.caller, label: app }] : []),
              ]}
              onChange={(value) => set({ caller: value === "any" ? null : value })}
            />
          )}
        </Field>
        <Field label={t("form.term")}>
          {({ id, ...aria }) => (
            <Select
              id={id}
              {...aria}
              value={draft.term}
              options={terms.map((value) => ({
                value,
                label: value === "kept" ? t("term.kept", { at: formatMoment(draft.end ?? 0, i18n.language) }) : t(`term.${value}`),
              }))}
              onChange={(term) => set({ term })}
            />
          )}
        </Field>
      </div>
      {draft.effect !== "allow" && (
        <div className="flex items-start gap-2">
          <Checkbox id={destructive} checked={draft.destructiveOnly} onChange={(destructiveOnly) => set({ destructiveOnly })} />
          <label htmlFor={destructive} className="-mt-0.5 min-w-0">
            {t("form.destructive")}
            <span className="block text-sm text-fg-3">{t("form.destructiveHint")}</span>
          </label>
        </div>
      )}
      <div>
        <p className="m-0 mb-1 font-[560]">
          {t("form.arguments")} <span className="font-normal text-fg-3">{t("optional", { ns: "common" })}</span>
        </p>
        <Conditions allows={draft.effect === "allow"} rows={draft.conditions} onChange={(conditions) => set({ conditions })} />
      </div>
    </div>
  );
}
