import { useTranslation } from "react-i18next";
import type { Path } from "@/lib/schema/json";
import { partText, touch, typePart } from "./draft";
import { useForm, type Wiring } from "./form-context";
import { GrowingText } from "./growing-text";
import { visibleLine } from "@/lib/untrusted";

/** One part of the arguments as raw JSON: what a form cannot show, or what somebody wants to write exactly. */
export function JsonPart({ path, name, item, wiring }: { path: Path; name: string; item: boolean; wiring: Wiring }) {
  const { t } = useTranslation("workbench");
  const form = useForm();
  return (
    <GrowingText
      {...wiring}
      code
      aria-label={t("form.jsonOf", { name: visibleLine(name) })}
      value={partText(form.draft, path)}
      placeholder={t("form.jsonPlaceholder")}
      onChange={(event) => {
        const text = event.target.value;
        form.change((draft) => typePart(draft, path, text, item));
      }}
      onBlur={() => form.change((draft) => touch(draft, path))}
    />
  );
}
