import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Popover } from "radix-ui";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Input } from "@/components/input";
import { Spinner } from "@/components/spinner";
import { completion, type CompletionRequest } from "@/ipc/queries";
import { composing } from "@/lib/composing";
import { cx } from "@/lib/cx";
import { formatCount } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import { useDebounced } from "@/lib/use-debounced";
import type { Wiring } from "@/components/form/form-context";

/** How long to wait after typing before the server is asked (ms). */
const REST = 160;
const SHOWN = 100;

/**
 * A text field with suggestions from the server while typing. Suggestions are offered, but never inserted
 * automatically. Answers for an earlier text are not shown.
 */
export function CompletionInput({
  name,
  value,
  request,
  onChange,
  ...aria
}: Wiring & {
  name: string;
  value: string;
  /** The completion request, without the value. */
  request: Omit<CompletionRequest, "value">;
  onChange: (value: string) => void;
}) {
  const { t, i18n } = useTranslation("workbench");
  const [wanted, setWanted] = useState(false);
  const [open, setOpen] = useState(false);
  const [cursor, setCursor] = useState(-1);
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const rested = useDebounced(value, REST);
  const { data, isFetching, isPlaceholderData, error } = useQuery({
    ...completion({ ...request, value: rested }),
    enabled: wanted && rested === value,
    placeholderData: keepPreviousData,
  });
  // Until the answer for the current text arrives, filter the previous one.
  const late = isPlaceholderData || rested !== value;
  const offered = data?.values ?? [];
  const values = (late ? offered.filter((text) => text.toLowerCase().includes(value.toLowerCase())) : offered).slice(0, SHOWN);
  const more = data !== undefined && !late && (data.hasMore || (data.total ?? 0) > values.length || data.values.length > values.length);
  // The complete text needs no suggestion.
  const shown = open && values.length > 0 && !(values.length === 1 && values[0] === value);

  const close = () => {
    setOpen(false);
    setCursor(-1);
  };
  const ask = () => {
    setWanted(true);
    setOpen(true);
  };
  const pick = (index: number) => {
    const picked = values[index];
    if (picked === undefined) return;
    onChange(picked);
    close();
  };
  const move = (to: number) => {
    if (!shown) return ask();
    const next = Math.min(values.length - 1, Math.max(-1, to));
    setCursor(next);
    list.current?.children[next]?.scrollIntoView({ block: "nearest" });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (composing(event.nativeEvent) || event.ctrlKey || event.metaKey || event.altKey) return;
    const moves: Record<string, (() => void) | undefined> = {
      ArrowDown: () => move(cursor + 1),
      ArrowUp: () => move(cursor - 1),
      PageDown: shown ? () => move(cursor + 10) : undefined,
      PageUp: shown ? () => move(Math.max(0, cursor - 10)) : undefined,
      Enter: shown && cursor >= 0 ? () => pick(cursor) : undefined,
      Escape: shown ? close : undefined,
    };
    const act = moves[event.key];
    if (act === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  return (
    <Popover.Root open={shown} onOpenChange={(next) => !next && close()}>
      <Popover.Anchor asChild>
        <div className="relative">
          <Input
            {...aria}
            role="combobox"
            aria-autocomplete="list"
            aria-expanded={shown}
            aria-controls={listId}
            aria-activedescendant={shown && cursor >= 0 ? `${listId}-${cursor}` : undefined}
            value={value}
            onChange={(event) => {
              onChange(event.target.value);
              setCursor(-1);
              ask();
            }}
            onClick={ask}
            onKeyDown={onKeyDown}
            onBlur={close}
            className="pr-8"
          />
          <span className="pointer-events-none absolute inset-y-0 right-2 flex items-center text-fg-3">
            {wanted && isFetching && <Spinner />}
          </span>
        </div>
      </Popover.Anchor>
      <span role="status" className="sr-only">
        {shown ? t("complete.found", { count: values.length }) : ""}
      </span>
      {wanted && error !== null && <p className="mt-1 mb-0 text-sm text-fg-3">{t("complete.failed")}</p>}
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label={t("complete.label", { name: visibleLine(name) })}
          onOpenAutoFocus={(event) => event.preventDefault()}
          onCloseAutoFocus={(event) => event.preventDefault()}
          // Pressing the list must not take the focus away from the field.
          onMouseDown={(event) => event.preventDefault()}
          onInteractOutside={(event) => event.preventDefault()}
          className="z-50 flex max-h-72 w-(--radix-popover-trigger-width) min-w-56 flex-col overflow-hidden rounded-m border border-line bg-raised shadow-float data-[state=open]:animate-in"
        >
          <div
            ref={list}
            id={listId}
            role="listbox"
            aria-label={t("complete.label", { name: visibleLine(name) })}
            className="min-h-0 flex-1 overflow-y-auto p-1"
          >
            {values.map((text, index) => (
              // The field has the focus and handles the keys.
              // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
              <div
                key={index}
                id={`${listId}-${index}`}
                role="option"
                // One name, even if letters are highlighted separately.
                aria-label={text === "" ? t("complete.emptyText") : visibleLine(text)}
                aria-selected={index === cursor}
                onClick={() => pick(index)}
                onPointerMove={() => setCursor(index)}
                className={cx("flex h-7 items-center rounded-s px-2", index === cursor && "bg-selected")}
              >
                <span className="min-w-0 truncate">
                  <Suggestion text={text} typed={value} />
                </span>
              </div>
            ))}
          </div>
          {more && (
            <p className="m-0 shrink-0 border-t border-line px-3 py-1.5 text-sm text-fg-3">
              {data.total === null
                ? t("complete.more")
                : t("complete.of", { shown: formatCount(values.length, i18n.language), total: formatCount(data.total, i18n.language) })}
            </p>
          )}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** A suggested value with the typed part highlighted. */
function Suggestion({ text, typed }: { text: string; typed: string }) {
  const { t } = useTranslation("workbench");
  if (text === "") return <span className="text-fg-3">{t("complete.emptyText")}</span>;
  const line = visibleLine(text);
  const at = typed === "" ? -1 : line.toLowerCase().indexOf(typed.toLowerCase());
  if (at < 0) return <bdi>{line}</bdi>;
  return (
    <bdi>
      {line.slice(0, at)}
      <mark className="bg-transparent font-[680] text-accent">{line.slice(at, at + typed.length)}</mark>
      {line.slice(at + typed.length)}
    </bdi>
  );
}
