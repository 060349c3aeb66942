import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import type { Path } from "@/lib/schema/json";
import { partText, typePart } from "./draft";
import { useForm, type Wiring } from "./form-context";
import { GrowingText } from "./growing-text";
import { still } from "./scalar";

/** A part of the values as raw JSON: unsupported by the form, or edited exactly. */
export function JsonPart({
  path,
  item,
  secret = false,
  wiring,
}: {
  path: Path;
  item: boolean;
  secret?: boolean | undefined;
  wiring: Wiring;
}) {
  const { t } = useTranslation("form");
  const form = useForm();
  const { "aria-labelledby": label, "aria-label": name = "" } = wiring;
  return (
    <GrowingText
      {...wiring}
      code
      // After its label, if there is one.
      aria-labelledby={label === undefined ? undefined : `${label} ${wiring.id}`}
      aria-label={`${name} ${t("field.jsonOf")}`.trim()}
      readOnly={form.disabled}
      value={partText(form.draft, path)}
      placeholder={t("field.jsonPlaceholder")}
      onChange={(event) => {
        const text = event.currentTarget.value;
        form.change((draft) => typePart(draft, path, text, item));
      }}
      className={cx(still, secret && "[-webkit-text-security:disc]")}
    />
  );
}
