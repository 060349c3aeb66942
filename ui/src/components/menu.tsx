import { Check, Ellipsis, type LucideIcon } from "lucide-react";
import { ContextMenu as Context, DropdownMenu as Dropdown } from "radix-ui";
import type { ReactNode } from "react";
import { cx } from "@/lib/cx";
import { Icon } from "./icon";
import { Kbd } from "./kbd";

/** An item of a menu, or a separator. */
export type MenuItem =
  | {
      label: string;
      icon?: LucideIcon;
      keys?: string;
      danger?: boolean;
      disabled?: boolean;
      /** Whether it is on. The menu stays open. */
      checked?: boolean;
      onSelect: () => void;
    }
  | "separator";

const panel = "z-50 min-w-44 max-w-80 rounded-m border border-line bg-raised p-1 shadow-float data-[state=open]:animate-in";
const line =
  "flex h-7 items-center gap-2 rounded-s px-2 outline-none data-[disabled]:opacity-45 data-[highlighted]:bg-selected data-[highlighted]:shadow-[inset_2px_0_0_var(--accent)]";

function lines(items: readonly MenuItem[], Part: typeof Dropdown | typeof Context): ReactNode {
  return items.map((item, index) =>
    item === "separator" ? (
      <Part.Separator key={`rule-${index}`} className="-mx-1 my-1 h-px bg-line" />
    ) : item.checked !== undefined ? (
      <Part.CheckboxItem
        key={item.label}
        checked={item.checked}
        disabled={item.disabled === true}
        onCheckedChange={item.onSelect}
        onSelect={(event: Event) => event.preventDefault()}
        className={cx(line, "text-fg")}
      >
        <span className="grid w-3.5 shrink-0 place-items-center">{item.checked && <Icon of={Check} className="text-accent" />}</span>
        <span className="min-w-0 flex-1 truncate">{item.label}</span>
      </Part.CheckboxItem>
    ) : (
      <Part.Item
        key={item.label}
        disabled={item.disabled === true}
        onSelect={item.onSelect}
        className={cx(line, item.danger ? "text-bad" : "text-fg")}
      >
        {item.icon ? <Icon of={item.icon} className={cx("shrink-0", !item.danger && "text-fg-3")} /> : <span className="w-3.5" />}
        <span className="min-w-0 flex-1 truncate">{item.label}</span>
        {item.keys && <Kbd keys={item.keys} />}
      </Part.Item>
    ),
  );
}

/** A menu that a button opens. */
export function Menu({ items, align = "end", children }: { items: readonly MenuItem[]; align?: "start" | "end"; children: ReactNode }) {
  return (
    <Dropdown.Root>
      <Dropdown.Trigger asChild>{children}</Dropdown.Trigger>
      <Dropdown.Portal>
        <Dropdown.Content align={align} sideOffset={4} collisionPadding={8} className={panel}>
          {lines(items, Dropdown)}
        </Dropdown.Content>
      </Dropdown.Portal>
    </Dropdown.Root>
  );
}

/** A menu that a button with three dots opens. */
export function MoreMenu({ items, label }: { items: readonly MenuItem[]; label: string }) {
  return (
    <Menu items={items}>
      <button
        type="button"
        aria-label={label}
        className="inline-flex size-7.5 shrink-0 items-center justify-center rounded-s text-fg-2 transition-colors hover:bg-hover data-[state=open]:bg-hover"
      >
        <Ellipsis size={14} aria-hidden />
      </button>
    </Menu>
  );
}

/** A context menu: right click, the menu key or Shift F10. */
export function ContextMenu({
  items,
  onOpenChange,
  children,
}: {
  items: readonly MenuItem[];
  onOpenChange?: (open: boolean) => void;
  children: ReactNode;
}) {
  return (
    <Context.Root {...(onOpenChange ? { onOpenChange } : {})}>
      <Context.Trigger asChild>{children}</Context.Trigger>
      <Context.Portal>
        <Context.Content collisionPadding={8} className={panel}>
          {lines(items, Context)}
        </Context.Content>
      </Context.Portal>
    </Context.Root>
  );
}
