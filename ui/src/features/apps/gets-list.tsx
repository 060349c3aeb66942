import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Chip } from "@/components/chip";
import { Fold } from "@/components/fold";
import { Icon } from "@/components/icon";
import type { Reviewable } from "@/lib/approvals";
import { cx } from "@/lib/cx";
import { saysDestructive } from "@/lib/tool-claims";
import { visibleLine } from "@/lib/untrusted";

/** What apps get or would get, by server, to check before the approval. */
export function GetsList({ items }: { items: readonly Reviewable[] }) {
  const { t } = useTranslation("apps");
  const byServer = [...Map.groupBy(items, ({ server }) => server.id).values()];
  return (
    <Fold title={t("gets.list")}>
      <ul className="m-0 list-none rounded-m border border-line bg-surface p-0">
        {byServer.map((of) => of[0] && <ServerItems key={of[0].server.id} name={visibleLine(of[0].server.name)} items={of} />)}
      </ul>
    </Fold>
  );
}

/** The items of a server, which are only drawn once opened. */
function ServerItems({ name, items }: { name: string; items: readonly Reviewable[] }) {
  const { t } = useTranslation(["apps", "common", "trust"]);
  const [open, setOpen] = useState(false);
  const fresh = items.filter(({ pin }) => pin.state === "new").length;
  return (
    <li className="border-b border-line last:border-0">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="inset-focus flex min-h-8 w-full items-center gap-1.5 px-2.5 text-left"
      >
        <Icon of={ChevronRight} className={cx("shrink-0 text-fg-3 transition-transform", open && "rotate-90")} />
        <bdi className="min-w-0 flex-1 truncate font-[560]">{name}</bdi>
        <span className="shrink-0 text-sm text-fg-3 tabular">
          {t(fresh > 0 ? "gets.ofServerNew" : "gets.ofServer", { count: items.length, fresh })}
        </span>
      </button>
      {open && (
        <ul aria-label={name} className="m-0 list-none border-t border-line p-0 py-1">
          {items.map(({ pin, hints }) => (
            <li key={`${pin.kind} ${pin.name}`} className="flex min-h-7 items-center gap-2 pr-2.5 pl-7.5">
              {pin.kind === "instructions" || pin.kind === "server" ? (
                <span className="min-w-0 flex-1 truncate">{t(`trust:kind.${pin.kind}`)}</span>
              ) : (
                <span className="mono min-w-0 flex-1 truncate" title={visibleLine(pin.name)}>
                  <bdi>{visibleLine(pin.name)}</bdi>
                </span>
              )}
              {(pin.kind === "prompt" || pin.kind === "template") && <Chip>{t(`trust:kind.${pin.kind}`)}</Chip>}
              {saysDestructive(hints) && <Chip tone="bad">{t("common:claim.destructive")}</Chip>}
              {hints.readOnly === true && <Chip>{t("common:claim.readOnly")}</Chip>}
              {pin.state === "new" && <Chip tone="info">{t("gets.new")}</Chip>}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
