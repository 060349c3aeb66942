import { Link } from "@tanstack/react-router";
import { type LucideIcon, Search } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Chip } from "@/components/chip";
import { Icon } from "@/components/icon";
import { SearchInput } from "@/components/input";
import { UntrustedText } from "@/components/their-voice";
import type { Diagnostic } from "@/ipc/bindings/Diagnostic";
import { visibleLine } from "@/lib/untrusted";
import { Diagnostics } from "./diagnostics";

/** An item that a server offers. */
export interface OfferLine {
  readonly icon: LucideIcon;
  readonly name: string;
  /** Machine text below the name: a URI, a pattern, arguments. */
  readonly code?: string;
  readonly description: string | null;
  readonly oddities: number;
  /** Mooring's note about it, as one word. */
  readonly mark?: string;
  /** The Workbench's URL parameters for it. */
  readonly search: {
    readonly server: number;
    readonly tool?: string;
    readonly resource?: string;
    readonly template?: string;
    readonly prompt?: string;
  };
}

/** How many lines are drawn. A search narrows a longer list. */
const SHOWN = 300;

/** A server's offers of one kind, in its frame. Each line links to the Workbench. */
export function OfferList({
  title,
  lines,
  searchLabel,
  nothing,
  diagnostics,
}: {
  /** The title of the frame, which names the author. */
  title: ReactNode;
  lines: readonly OfferLine[];
  searchLabel: string;
  nothing: string;
  diagnostics: readonly Diagnostic[];
}) {
  const { t } = useTranslation("servers");
  const [filter, setFilter] = useState("");
  const wanted = filter.trim().toLowerCase();
  const found = lines.filter((line) => `${line.name} ${line.code ?? ""} ${line.description ?? ""}`.toLowerCase().includes(wanted));
  return (
    <>
      {lines.length > 8 && (
        <SearchInput
          icon={Search}
          aria-label={searchLabel}
          placeholder={searchLabel}
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      )}
      {found.length === 0 ? (
        <p className="m-0 py-6 text-center text-fg-3">{nothing}</p>
      ) : (
        <figure className="relative m-0 mt-2.5 rounded-m border border-line-strong bg-sunken pt-3 pb-1">
          <figcaption className="absolute -top-2.5 left-3 flex h-5 max-w-[calc(100%-24px)] items-center rounded-full border border-line-strong bg-surface px-2 text-xs font-semibold text-fg-2">
            <span className="truncate">{title}</span>
          </figcaption>
          <ul className="m-0 list-none p-0">
            {found.slice(0, SHOWN).map((line, index) => (
              <Line key={index} line={line} />
            ))}
          </ul>
          {found.length > SHOWN && <p className="m-0 px-3 py-1.5 text-sm text-fg-3">{t("list.more", { count: found.length - SHOWN })}</p>}
        </figure>
      )}
      {diagnostics.length > 0 && <Diagnostics items={diagnostics} />}
    </>
  );
}

function Line({ line }: { line: OfferLine }) {
  return (
    <li className="border-b border-line last:border-0">
      <Link
        to="/workbench"
        search={line.search}
        className="inset-focus flex gap-2 px-3 py-1.75 text-fg no-underline transition-colors hover:bg-hover"
      >
        <Icon of={line.icon} className="mt-0.75 shrink-0 text-fg-3" />
        <span className="min-w-0 flex-1">
          <span className="flex min-w-0 items-center gap-1.5">
            <span className="mono truncate">{visibleLine(line.name)}</span>
            {line.mark !== undefined && <Chip>{line.mark}</Chip>}
            {line.oddities > 0 && <Chip tone="warn">{line.oddities}</Chip>}
          </span>
          {line.code !== undefined && (
            <span className="mono line-clamp-2 wrap-any text-fg-3">
              <UntrustedText text={line.code.slice(0, 400)} />
            </span>
          )}
          {line.description !== null && <span className="line-clamp-2 text-sm wrap-any text-fg-2">{visibleLine(line.description)}</span>}
        </span>
      </Link>
    </li>
  );
}
