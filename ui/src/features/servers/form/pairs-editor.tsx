import { Eye, EyeOff, Plus, X } from "lucide-react";
import { type ClipboardEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/components/button";
import { Input } from "@/components/input";
import { type Pair, pair } from "./draft";
import { readPairs } from "./read-pairs";
import { looksSecret } from "@/lib/secrets";

/** Names with values: variables or headers. Values that look like secrets are masked until somebody asks to see them. */
export function PairsEditor({ rows, onChange, kind, problem }: { rows: readonly Pair[]; onChange: (rows: Pair[]) => void; kind: "env" | "headers"; problem: string | null }) {
  const { t } = useTranslation("servers");
  const frame = useRef<HTMLDivElement>(null);
  const add = () => {
    onChange([...rows, pair()]);
    requestAnimationFrame(() => frame.current?.querySelector<HTMLInputElement>("[data-pair]:last-of-type input")?.focus());
  };
  const paste = (event: ClipboardEvent, at: Pair) => {
    const found = readPairs(event.clipboardData.getData("text"), kind);
    if (found.length === 0 || at.name !== "") return;
    event.preventDefault();
    onChange(rows.flatMap((row) => (row.key === at.key ? found : [row])));
  };
  return (
    <div ref={frame} role="group" aria-label={t(`form.${kind}.label`)} className="flex flex-col gap-1.5">
      {rows.map((row) => (
        <PairRow
          key={row.key}
          row={row}
          kind={kind}
          onChange={(next) => onChange(rows.map((item) => (item.key === row.key ? next : item)))}
          onRemove={() => onChange(rows.filter((item) => item.key !== row.key))}
          onPaste={(event) => paste(event, row)}
        />
      ))}
      {problem !== null && <p role="alert" className="m-0 text-sm text-bad">{problem}</p>}
      <div><Button icon={Plus} onClick={add}>{t(`form.${kind}.add`)}</Button></div>
    </div>
  );
}

function PairRow({ row, kind, onChange, onRemove, onPaste }: {
  row: Pair;
  kind: "env" | "headers";
  onChange: (row: Pair) => void;
  onRemove: () => void;
  onPaste: (event: ClipboardEvent) => void;
}) {
  const { t } = useTranslation("servers");
  const [revealed, setRevealed] = useState(false);
  const secret = looksSecret(row.name, row.value);
  const masked = secret && !revealed;
  return (
    <div data-pair className="flex items-center gap-1.5">
      <Input
        code
        aria-label={t(`form.${kind}.name`)}
        placeholder={t(`form.${kind}.namePlaceholder`)}
        value={row.name}
        onChange={(event) => onChange({ ...row, name: event.target.value })}
        onPaste={onPaste}
        className="flex-1"
      />
      <div className="relative min-w-0 flex-1">
        <Input
          code
          type={masked ? "password" : "text"}
          autoComplete={masked ? "new-password" : "off"}
          aria-label={t("form.valueOf", { name: row.name || t(`form.${kind}.name`) })}
          placeholder={t("form.value")}
          value={row.value}
          onChange={(event) => onChange({ ...row, value: event.target.value })}
          className={secret ? "pr-8" : ""}
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
      <IconButton icon={X} label={t("form.removeRow", { name: row.name || t(`form.${kind}.name`) })} onClick={onRemove} />
    </div>
  );
}
