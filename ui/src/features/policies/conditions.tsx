import { Plus, X } from "lucide-react";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/components/button";
import { Input } from "@/components/input";
import { Select } from "@/components/select";
import { cx } from "@/lib/cx";
import { condition, type ConditionDraft, conditionProblem } from "./draft";

const tests = ["equals", "starts_with", "contains", "within", "present"] as const;

/** The conditions on a call's arguments, all of which must be met. */
export function Conditions({
  rows,
  allows,
  onChange,
}: {
  rows: readonly ConditionDraft[];
  /** A folder condition is only for allowing, because a path can be written in several ways. */
  allows: boolean;
  onChange: (rows: ConditionDraft[]) => void;
}) {
  const { t } = useTranslation("policies");
  const id = useId();
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const set = (key: number, part: Partial<ConditionDraft>) => onChange(rows.map((row) => (row.key === key ? { ...row, ...part } : row)));
  return (
    <div role="group" aria-label={t("form.arguments")} className="flex flex-col gap-1.5">
      {rows.map((row) => {
        const problem = conditionProblem(row);
        const part = problem === "pointer" ? "pointer" : "value";
        // Unfinished text isn't marked as a mistake.
        const wrong = problem !== null && left.has(`${row.key}/${part}`);
        const note = `${id}-${row.key}`;
        const wiring = (of: "pointer" | "value") => ({
          "aria-invalid": (wrong && part === of) || undefined,
          "aria-describedby": problem !== null && part === of ? note : undefined,
          onBlur: () => setLeft((before) => new Set(before).add(`${row.key}/${of}`)),
        });
        return (
          <div key={row.key}>
            <div className="grid grid-cols-[minmax(0,1fr)_124px_minmax(0,1fr)_30px] items-center gap-1.5">
              <Input
                {...wiring("pointer")}
                code
                aria-label={t("form.pointer")}
                placeholder="/path"
                value={row.pointer}
                onChange={(event) => set(row.key, { pointer: event.target.value })}
              />
              <Select
                label={t("form.test")}
                value={row.test}
                options={tests
                  .filter((value) => allows || value !== "within" || row.test === "within")
                  .map((value) => ({ value, label: t(`test.${value}`) }))}
                onChange={(test) => set(row.key, { test })}
              />
              {row.test === "present" ? (
                <span />
              ) : (
                <Input
                  {...wiring("value")}
                  code
                  aria-label={t("form.value")}
                  placeholder={row.test === "equals" ? '"text" / 3 / true' : "/etc"}
                  value={row.value}
                  onChange={(event) => set(row.key, { value: event.target.value })}
                />
              )}
              <IconButton
                icon={X}
                label={t("form.removeCondition", { pointer: row.pointer })}
                onClick={() => onChange(rows.filter((item) => item.key !== row.key))}
              />
            </div>
            {problem !== null && (
              <p id={note} role={wrong ? "alert" : undefined} className={cx("m-0 mt-0.5 text-sm", wrong ? "text-bad" : "text-fg-3")}>
                {t(`problem.${problem}`)}
              </p>
            )}
          </div>
        );
      })}
      <div>
        <Button icon={Plus} onClick={() => onChange([...rows, condition()])}>
          {t("form.addCondition")}
        </Button>
      </div>
    </div>
  );
}
