import { ChevronRight, Ellipsis } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { Chip } from "@/components/chip";
import { Icon } from "@/components/icon";
import { Menu, type MenuItem } from "@/components/menu";
import { cx } from "@/lib/cx";
import { visibleLine } from "@/lib/untrusted";
import type { Wiring } from "./form-context";
import { TheirNote } from "./their-note";

interface FieldRowProps {
  id: string;
  /** Whose words the name and the description are. */
  server: string;
  /** The name in the schema: somebody else's word. */
  name: string;
  /** Without a visible label, where the surroundings name the field. */
  nameless: boolean;
  title: string | undefined;
  description: string | undefined;
  required: boolean;
  deprecated: boolean;
  /** What is sent that cannot be seen in the control: null, empty text. */
  sent: string | null;
  hints: ReactNode;
  error: string | null;
  menu: readonly MenuItem[];
  /** For groups that fold: whether it is open, and how to turn it. */
  fold: { open: boolean; toggle: () => void } | null;
  after?: ReactNode;
  children: (wiring: Wiring) => ReactNode;
}

/** A field with its name, the server's description, the control, and what we say about it. */
export function FieldRow(props: FieldRowProps) {
  const { id, server, name, nameless, title, description, hints, error, menu, fold, after, children } = props;
  const { t } = useTranslation("workbench");
  const hasHints = hints !== null;
  const described = error === null ? (hasHints ? `${id}-hint` : undefined) : `${id}-error`;
  const wiring: Wiring = { id, "aria-describedby": described, "aria-invalid": error === null ? undefined : true };
  const open = fold === null || fold.open;
  // The server's words too: they stand with its description, apart from ours beside the name.
  const theirTitle = nameless || title === undefined || saysTheSame(title, name) ? undefined : title;
  return (
    <div className="group/field relative min-w-0">
      {!nameless && (
        <div className="flex min-h-6 items-center gap-1.5">
          {fold !== null && (
            <button
              type="button"
              aria-expanded={fold.open}
              aria-label={t(fold.open ? "form.fold" : "form.unfold", { name: visibleLine(name) })}
              onClick={fold.toggle}
              className="-ml-1 grid size-4.5 shrink-0 place-items-center rounded-xs text-fg-3 hover:bg-hover hover:text-fg"
            >
              <Icon of={ChevronRight} size={12} className={cx("transition-transform", fold.open && "rotate-90")} />
            </button>
          )}
          <label htmlFor={id} className="min-w-0 truncate font-[560]" title={visibleLine(name)}>
            <bdi>{visibleLine(name)}</bdi>
          </label>
          <RowNotes {...props} />
          <span className="flex-1" />
          {after}
          <span aria-hidden className="w-6 shrink-0" />
        </div>
      )}
      {open && (theirTitle !== undefined || description !== undefined) && (
        <TheirNote server={server} title={theirTitle} text={description} />
      )}
      {open && <div className={cx("min-w-0", !nameless && "mt-0.5")}>{children(wiring)}</div>}
      {error === null ? (
        open &&
        hasHints && (
          <p id={`${id}-hint`} className="mt-1 mb-0 text-sm wrap-any text-fg-3">
            {hints}
          </p>
        )
      ) : (
        <p id={`${id}-error`} role="alert" className="mt-1 mb-0 text-sm wrap-any text-bad">
          {error}
        </p>
      )}
      {/* After the control in the order of the keyboard, beside the name for the eye. */}
      {!nameless && <FieldMenu name={name} items={menu} />}
    </div>
  );
}

/** Generators make "Row limit" of `row_limit`: that says nothing more. */
function saysTheSame(title: string, name: string): boolean {
  const bare = (text: string) => text.toLowerCase().replaceAll(/[\s_-]/g, "");
  return bare(title) === "" || bare(title) === bare(name);
}

function RowNotes({ required, deprecated, sent }: Pick<FieldRowProps, "required" | "deprecated" | "sent">) {
  const { t } = useTranslation(["workbench", "common"]);
  return (
    <>
      {required && <span className="shrink-0 text-fg-3">{t("common:required")}</span>}
      {deprecated && <Chip tone="warn">{t("form.deprecated")}</Chip>}
      {sent !== null && <Chip>{sent}</Chip>}
    </>
  );
}

/** What else can be done with a field. Seen on hover and focus, so that a form stays quiet. */
function FieldMenu({ name, items }: { name: string; items: readonly MenuItem[] }) {
  const { t } = useTranslation("workbench");
  if (items.length === 0) return null;
  return (
    <Menu items={items}>
      <IconButton
        small
        icon={Ellipsis}
        label={t("form.more", { name: visibleLine(name) })}
        className="absolute! top-0 right-0 opacity-0 group-focus-within/field:opacity-100 group-hover/field:opacity-100 focus-visible:opacity-100 data-[state=open]:opacity-100"
      />
    </Menu>
  );
}
