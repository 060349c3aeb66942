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
  /** Whose words the name and the description are. */
  server: string;
  /** What it is called: somebody else's word. */
  name: string;
  /** Without a visible label, where the surroundings name the field. */
  nameless?: boolean;
  /** The label is behind a rule too, as it may be any text, and what is not required is said to be optional. */
  ruled?: boolean;
  title?: string | undefined;
  description: string | undefined;
  required: boolean;
  deprecated?: boolean;
  /** What is sent that is invisible in the control: null, empty text. */
  sent?: string | null;
  /** What to beware of, before anything is typed. */
  warning?: string | null;
  hints?: ReactNode;
  error: string | null;
  menu?: readonly MenuItem[];
  /** For groups that fold: whether it is open, and how to turn it. */
  fold?: { open: boolean; toggle: () => void } | null;
  onLeave: () => void;
  children: (wiring: Wiring) => ReactNode;
}

/** A field with its name, the server's description, the control, and what we say about it. */
export function FieldRow(props: FieldRowProps) {
  const { id, server, name, nameless = false, ruled = false, title, description, warning = null, hints = null, error } = props;
  const { menu = [], fold = null, onLeave, children } = props;
  const { t } = useTranslation("form");
  const note = error !== null || hints !== null ? `${id}-note` : undefined;
  const open = fold === null || fold.open;
  // The server's words too: they stand with its description, apart from ours beside the name.
  const theirTitle = nameless || title === undefined || saysTheSame(title, name) ? undefined : title;
  return (
    <div
      data-field
      // What it is called and takes comes into sight with it.
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
          // What counts is that the focus leaves the controls, also for the field's menu, not that it moves among them.
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
      {/* After the control in the order of the keyboard, beside the name for the eye. */}
      {!nameless && menu.length > 0 && <FieldMenu name={name} items={menu} />}
    </div>
  );
}

/** Generators make "Row limit" of `row_limit`: that says nothing more. */
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

/** What else can be done with a field. Seen on hover and focus, so that a form stays quiet. */
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
