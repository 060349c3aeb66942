import { ArrowRight } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import { UntrustedText } from "@/components/their-voice";
import { newServer } from "@/ipc/bindings/defaults";
import type { EraOverride } from "@/ipc/bindings/EraOverride";
import type { ServerInput } from "@/ipc/bindings/ServerInput";
import type { StartRule } from "@/ipc/bindings/StartRule";
import { formatMs } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import { type Change, changesOf } from "../form/changes";

/** The unsaved changes, compared with the saved values. */
export function WhatChanged({ before, after }: { before: ServerInput; after: ServerInput }) {
  const { t, i18n } = useTranslation("servers");
  const changes = changesOf(before, after);
  if (changes.length === 0) return null;
  const nameOf = (change: Change) =>
    change.part === "value" || change.part === "hidden" ? (
      <bdi className="mono">{visibleLine(change.name)}</bdi>
    ) : (
      t(`form.${change.part}.label`)
    );
  const shown = (part: Exclude<Change["part"], "hidden">, value: string) => {
    if (part === "timeoutMs") return formatMs(Number(value), i18n.language);
    if (part === "era") return t(`form.era.${value as EraOverride}`);
    if (part === "start") return t(`form.start.${value as StartRule}`);
    return part in newServer && typeof newServer[part as keyof ServerInput] === "boolean"
      ? t(value === "true" ? "field.yes" : "field.no", { ns: "form" })
      : value;
  };
  return (
    <section aria-label={t("edit.changes")} className="rounded-m border border-line bg-sunken px-3 py-2">
      <h3 className="m-0 mb-1 font-semibold">{t("edit.changes")}</h3>
      <ul aria-label={t("edit.changes")} className="m-0 flex list-none flex-col gap-1 p-0">
        {changes.map((change) => (
          <li key={change.part === "value" || change.part === "hidden" ? `= ${change.name}` : change.part} className="wrap-any text-fg-2">
            <span className="font-[560] text-fg">{nameOf(change)}</span>{" "}
            {change.part === "hidden" ? (
              t(`edit.hidden.${change.what}`)
            ) : (
              <>
                <Side text={change.before === null ? null : shown(change.part, change.before)} />
                <Icon of={ArrowRight} size={12} className="mx-1 inline-block align-[-1px] text-fg-3" />
                <span className="sr-only">{t("change.to", { ns: "trust" })} </span>
                <Side text={change.after === null ? null : shown(change.part, change.after)} />
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Side({ text }: { text: string | null }) {
  const { t } = useTranslation("servers");
  return text === null || text === "" ? (
    <span className="text-fg-3">{t("edit.nothing")}</span>
  ) : (
    <span className="mono">
      <UntrustedText text={text} />
    </span>
  );
}
