import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { NumberInput } from "@/components/number-input";
import type { AppView } from "@/ipc/bindings/AppView";
import { errorText } from "@/lib/error-text";
import { useCommand } from "@/lib/use-command";
import { useTypedNumber } from "@/lib/use-typed-number";

const MIN = 32;
const MAX = 64;

/** The longest tool name for an app. Some apps add their own prefix. */
export function LongestName({ app }: { app: AppView }) {
  const { t } = useTranslation("apps");
  const id = useId();
  const { run, error, clear } = useCommand();
  const set = async (longest: number | null) => (await run("set_app_longest_name", { id: app.id, longest })) !== undefined;
  const { inRange, input, reset } = useTypedNumber({
    value: app.longestName ?? app.defaultLongestName,
    min: MIN,
    max: MAX,
    save: set,
    clear,
  });
  const problem = inRange ? error && errorText(error) : t("names.range", { min: MIN, max: MAX });
  return (
    <section>
      <h3 className="m-0 mb-1 font-semibold">
        <label htmlFor={id}>{t("names.title")}</label>
      </h3>
      <p className="m-0 mb-2 text-fg-2">{t("names.text")}</p>
      <NumberInput
        id={id}
        input={input}
        unit={t("names.unit")}
        problem={problem}
        note={t("names.default", { count: app.defaultLongestName })}
      >
        {app.longestName !== null && (
          <Button
            look="ghost"
            onClick={() => {
              reset();
              void set(null);
            }}
          >
            {t("names.reset")}
          </Button>
        )}
      </NumberInput>
    </section>
  );
}
