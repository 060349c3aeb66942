import { ChevronRight, Ellipsis, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { Chip } from "@/components/chip";
import { Icon } from "@/components/icon";
import { Menu, type MenuItem } from "@/components/menu";
import { cx } from "@/lib/cx";
import { visibleLine } from "@/lib/untrusted";
import type { Wiring } from "./form-context";
import { TheirLabel } from "./their-label";
import { TheirNote } from "./their-note";

interface FieldRowProps {
  id: string;
  /** The server that the name and the description come from. */
  server: string;
  /** The field's name, which is foreign text. */
  name: string;
  /** Hides the label, if the context names the field. */
  nameless?: boolean;
  /** The label is marked as foreign text too, and fields that aren't required are marked as optional. */
  ruled?: boolean;
  title?: string | undefined;
  description: string | undefined;
  required: boolean;
  deprecated?: boolean;
  /** The value that is sent but invisible in the control: null, or empty text. */
  sent?: string | null;
  /** A warning that is shown before anything is typed. */
  warning?: string | null;
  hints?: ReactNode;
  error: string | null;
  menu?: readonly MenuItem[];
  /** For collapsible groups: whether it is open, and a function to toggle it. */
  fold?: { open: boolean; toggle: () => void } | null;
  onLeave: () => void;
  children: (wiring: Wiring) => ReactNode;
}

/** A field with its name, the server's description, the control, and our messages about it. */
export function FieldRow(props: FieldRowProps) {
  const { id, server, name, nameless = false, ruled = false, title, description, warning = null, hints = null, error } = props;
  const { menu = [], fold = null, onLeave, children } = props;
  const { t } = useTranslation("form");
  const note = error !== null || hints !== null ? `${id}-note` : undefined;
  const open = fold === null || fold.open;
  // The title is the server's text too, so it is next to the description and apart from ours.
  const theirTitle = nameless || title === undefined || saysTheSame(title, name) ? undefined : title;
  return (
    <div
      data-field
      // Scrolls the name and the description into view with the field.
      onFocus={({ target, currentTarget }) =>
        target.matches("input, textarea") &&
        target.closest("[data-field]") === currentTarget &&
        currentTarget.scrollIntoView({ block: "nearest" })
      }
      className="group/field relative min-w-0 scroll-my-3"
    >
      {!nameless && (
        <div className="flex min-h-6 items-start gap-1.5">
          {fold !== null && (
            <button
              type="button"
              aria-expanded={fold.open}
              aria-label={t(fold.open ? "field.fold" : "field.unfold", { name: visibleLine(name) })}
              onClick={fold.toggle}
              className="mt-0.5 -ml-1 grid size-4.5 shrink-0 place-items-center rounded-xs text-fg-3 hover:bg-hover hover:text-fg"
            >
              <Icon of={ChevronRight} size={12} className={cx("transition-transform", fold.open && "rotate-90")} />
            </button>
          )}
          <div className={cx("min-w-0", ruled && "self-stretch border-l-2 border-line-strong pl-2")}>
            <TheirLabel id={`${id}-label`} htmlFor={id} text={name.replaceAll(/\s+/g, " ")} className="selectable font-[560]" />
          </div>
          <RowNotes {...props} />
          <span className="flex-1" />
          {menu.length > 0 && <span aria-hidden className="w-6 shrink-0" />}
        </div>
      )}
      {open && (theirTitle !== undefined || description !== undefined) && (
        <TheirNote server={server} title={theirTitle} text={description} />
      )}
      {warning !== null && (
        <p className="m-0 mb-1.5 flex gap-2 text-sm font-medium text-bad">
          <Icon of={TriangleAlert} className="mt-0.5 shrink-0" />
          {warning}
        </p>
      )}
      {open && (
        <div
          // Leaving means that the focus leaves all controls, including the field's menu.
          onBlur={(event) => !event.currentTarget.contains(event.relatedTarget) && onLeave()}
          className={cx("min-w-0", !nameless && "mt-0.5")}
        >
          {children({
            id,
            "aria-labelledby": nameless ? undefined : `${id}-label`,
            "aria-label": nameless ? visibleLine(name) : undefined,
            "aria-describedby": note,
            "aria-invalid": error === null ? undefined : true,
            "aria-required": props.required || undefined,
          })}
        </div>
      )}
      {(error !== null || (open && hints !== null)) && (
        <p
          id={`${id}-note`}
          role={error === null ? undefined : "alert"}
          className={cx("mt-1 mb-0 text-sm wrap-any", error === null ? "text-fg-3" : "text-bad")}
        >
          {error ?? hints}
        </p>
      )}
      {/* After the control in the Tab order, but displayed next to the name. */}
      {!nameless && menu.length > 0 && <FieldMenu name={name} items={menu} />}
    </div>
  );
}

/** Generators derive "Row limit" from `row_limit`, which adds nothing. */
function saysTheSame(title: string, name: string): boolean {
  const bare = (text: string) => text.toLowerCase().replaceAll(/[\s_-]/g, "");
  return bare(title) === "" || bare(title) === bare(name);
}

function RowNotes({ required, ruled = false, deprecated = false, sent = null }: FieldRowProps) {
  const { t } = useTranslation(["form", "common"]);
  return (
    <>
      {(required || ruled) && <span className="shrink-0 text-fg-3">{t(required ? "common:required" : "common:optional")}</span>}
      {deprecated && <Chip tone="warn">{t("field.deprecated")}</Chip>}
      {sent !== null && <Chip>{sent}</Chip>}
    </>
  );
}

/** Additional actions on a field. Shown on hover and focus, so that forms aren't crowded. */
function FieldMenu({ name, items }: { name: string; items: readonly MenuItem[] }) {
  const { t } = useTranslation("form");
  return (
    <Menu items={items}>
      <IconButton
        small
        icon={Ellipsis}
        label={t("field.more", { name: visibleLine(name) })}
        className="absolute! top-0 right-0 opacity-0 group-focus-within/field:opacity-100 group-hover/field:opacity-100 focus-visible:opacity-100 data-[state=open]:opacity-100"
      />
    </Menu>
  );
}
