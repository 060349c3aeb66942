import { Eye, EyeOff, LockKeyhole, LockKeyholeOpen, Plus, Undo2, X } from "lucide-react";
import { type ClipboardEvent, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/components/button";
import { Icon } from "@/components/icon";
import { Input } from "@/components/input";
import { cx } from "@/lib/cx";
import { isSealed, type Pair, pair } from "./draft";
import { readPairs } from "./read-pairs";
import { looksSecret } from "@/lib/secrets";

const intoFocus = (input: HTMLInputElement | null) => input?.focus();

/** Variables or headers. Values that look like secrets are masked, and encrypted unless the person turns that off. */
export function PairsEditor({
  rows,
  onChange,
  kind,
  problem,
  changed,
}: {
  rows: readonly Pair[];
  /** The names with unsaved values. */
  changed: ReadonlySet<string>;
  onChange: (rows: Pair[]) => void;
  kind: "env" | "headers";
  problem: string | null;
}) {
  const { t } = useTranslation("servers");
  const frame = useRef<HTMLDivElement>(null);
  /** Focuses the row at an index once it is drawn, or after the last one the button that adds a row. */
  const focusRow = (index: number) =>
    requestAnimationFrame(() => {
      const row = [...(frame.current?.querySelectorAll("[data-pair]") ?? [])].at(index);
      (row?.querySelector<HTMLElement>("input") ?? frame.current?.querySelector<HTMLElement>("[data-add]"))?.focus();
    });
  const add = () => {
    onChange([...rows, pair()]);
    focusRow(rows.length);
  };
  const remove = (index: number) => {
    onChange(rows.toSpliced(index, 1));
    focusRow(index);
  };
  const paste = (event: ClipboardEvent, at: Pair) => {
    const found = readPairs(event.clipboardData.getData("text"), kind);
    if (found.length === 0 || at.name !== "") return;
    event.preventDefault();
    onChange(rows.flatMap((row) => (row.key === at.key ? found : [row])));
  };
  return (
    <div ref={frame} role="group" aria-label={t(`form.${kind}.label`)} className="flex flex-col gap-1.5">
      {rows.map((row, index) => (
        <PairRow
          key={row.key}
          row={row}
          kind={kind}
          changed={changed.has(row.name.trim())}
          onChange={(next) => onChange(rows.map((item) => (item.key === row.key ? next : item)))}
          onRemove={() => remove(index)}
          onPaste={(event) => paste(event, row)}
        />
      ))}
      {problem !== null && (
        <p role="alert" className="m-0 text-sm text-bad">
          {problem}
        </p>
      )}
      <div>
        <Button data-add icon={Plus} onClick={add}>
          {t(`form.${kind}.add`)}
        </Button>
      </div>
    </div>
  );
}

function PairRow({
  row,
  kind,
  changed,
  onChange,
  onRemove,
  onPaste,
}: {
  row: Pair;
  changed: boolean;
  kind: "env" | "headers";
  onChange: (row: Pair) => void;
  onRemove: () => void;
  onPaste: (event: ClipboardEvent) => void;
}) {
  const { t } = useTranslation("servers");
  const note = useId();
  const [revealed, setRevealed] = useState(false);
  const [replacing, setReplacing] = useState(false);
  const name = row.name || t(`form.${kind}.name`);
  const sealed = isSealed(row);
  const secret = sealed || looksSecret(row.name, row.value);
  const masked = secret && !revealed;
  const kept = row.kept === "value" && !replacing;
  const plain = !sealed && looksSecret(row.name, row.value);
  return (
    <div
      data-pair
      data-changed={changed || undefined}
      className={cx(
        "relative flex flex-col gap-1",
        changed && "before:absolute before:inset-y-0 before:-left-2.5 before:w-0.5 before:rounded-full before:bg-accent",
      )}
    >
      <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_30px_30px] items-center gap-1.5">
        <Input
          code
          aria-label={t(`form.${kind}.name`)}
          placeholder={t(`form.${kind}.namePlaceholder`)}
          value={row.name}
          // A value in the vault belongs to its name.
          readOnly={row.kept !== null}
          onChange={(event) => onChange({ ...row, name: event.target.value })}
          onPaste={onPaste}
          className="read-only:bg-sunken read-only:text-fg-2"
        />
        {kept ? (
          <div className="col-span-2 flex h-7.5 min-w-0 items-center gap-2 rounded-s border border-line bg-sunken pr-0.75 pl-2.25">
            <Icon of={LockKeyhole} className="shrink-0 text-ok" />
            <span aria-hidden className="mono text-fg-3">
              ••••
            </span>
            <span className="min-w-0 flex-1 truncate text-fg-2">{t("secret.sealed")}</span>
            <button
              type="button"
              aria-label={t("secret.replaceOf", { name })}
              onClick={() => setReplacing(true)}
              className="h-6 shrink-0 rounded-xs px-1.5 text-sm font-medium text-accent hover:bg-hover"
            >
              {t("secret.replace")}
            </button>
          </div>
        ) : (
          <div className="relative min-w-0">
            <Input
              code
              ref={replacing ? intoFocus : undefined}
              type={masked ? "password" : "text"}
              autoComplete={masked ? "new-password" : "off"}
              aria-label={t("form.valueOf", { name })}
              aria-describedby={plain ? note : undefined}
              data-missing={(row.kept === "none" && row.value === "") || undefined}
              placeholder={row.kept === "none" ? t("secret.enter") : t("form.value")}
              value={row.value}
              onChange={(event) => onChange({ ...row, value: event.target.value })}
              className={cx(secret && "pr-8", row.kept === "none" && row.value === "" && "border-warn")}
            />
            {secret && (
              <IconButton
                small
                icon={revealed ? EyeOff : Eye}
                aria-pressed={revealed}
                label={t(revealed ? "form.hide" : "form.reveal")}
                onClick={() => setRevealed(!revealed)}
                className="absolute top-0.75 right-0.75"
              />
            )}
          </div>
        )}
        {row.kept === null ? (
          <IconButton
            icon={sealed ? LockKeyhole : LockKeyholeOpen}
            aria-pressed={sealed}
            label={t(sealed ? "secret.unseal" : "secret.seal", { name })}
            onClick={() => onChange({ ...row, seal: !sealed })}
            className={plain ? "text-warn" : undefined}
          />
        ) : kept ? null : replacing ? (
          <IconButton
            icon={Undo2}
            label={t("secret.keep", { name })}
            onClick={() => {
              setReplacing(false);
              onChange({ ...row, value: "" });
            }}
          />
        ) : (
          <span title={t("secret.onLine")} className="grid size-7.5 shrink-0 place-items-center text-ok">
            <Icon of={LockKeyhole} />
            <span className="sr-only">{t("secret.onLine")}</span>
          </span>
        )}
        <IconButton icon={X} label={t("form.removeRow", { name })} onClick={onRemove} />
      </div>
      {plain && (
        <p id={note} className="m-0 text-sm text-fg-3">
          {t("secret.plain")}
        </p>
      )}
    </div>
  );
}
