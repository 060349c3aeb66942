import { useTranslation } from "react-i18next";
import { Field } from "@/components/field";
import { SecretInput } from "@/components/secret-input";
import { cx } from "@/lib/cx";
import { passphraseProblem, passphraseStrength, SHORTEST_PASSPHRASE } from "@/lib/vault";

export interface Typed {
  readonly first: string;
  readonly second: string;
}

const filled = { short: 1, fair: 2, good: 3 } as const;
const colours = { short: "bg-bad", fair: "bg-warn", good: "bg-ok" } as const;

/** A new passphrase, typed twice, with its strength. */
export function NewPassphrase({
  typed,
  onChange,
  tried,
}: {
  typed: Typed;
  onChange: (typed: Typed) => void;
  /** Whether to show mistakes. */ tried: boolean;
}) {
  const { t } = useTranslation("vault");
  const problem = passphraseProblem(typed.first, typed.second);
  const strength = passphraseStrength(typed.first);
  return (
    <div className="flex flex-col gap-3">
      <Field label={t("passphrase.new")} hint={t("passphrase.hint", { count: SHORTEST_PASSPHRASE })}>
        {(wiring) => (
          <SecretInput {...wiring} fresh value={typed.first} onChange={(event) => onChange({ ...typed, first: event.target.value })} />
        )}
      </Field>
      {typed.first !== "" && (
        <p role="status" className="m-0 -mt-1 flex items-center gap-2 text-sm text-fg-2">
          <span aria-hidden className="flex gap-0.5">
            {[1, 2, 3].map((step) => (
              <span key={step} className={cx("h-1 w-6 rounded-full", step <= filled[strength] ? colours[strength] : "bg-line")} />
            ))}
          </span>
          {t(`passphrase.strength.${strength}`)}
        </p>
      )}
      <Field
        label={t("passphrase.again")}
        error={problem === "differs" && (tried || typed.second.length >= typed.first.length) && t("passphrase.differs")}
      >
        {(wiring) => (
          <SecretInput {...wiring} fresh value={typed.second} onChange={(event) => onChange({ ...typed, second: event.target.value })} />
        )}
      </Field>
    </div>
  );
}
