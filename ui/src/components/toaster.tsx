import { CircleX, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useEffectEvent, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useKeptClear } from "@/lib/clear-of";
import { focusAfter } from "@/lib/focus-return";
import { useShortcut } from "@/lib/shortcuts";
import { dismissToast, endUndo, timeLeft, type ToastMessage, useToasts } from "@/lib/toasts";
import { Button, IconButton } from "./button";
import { Icon } from "./icon";
import { UntrustedText } from "./their-voice";

/**
 * Shows toasts one at a time: at the bottom left of the screen, where neither rows nor dialogs have buttons, above
 * everything except deciding buttons, reachable with F8. Radix's toasts never disappear after one was closed with its
 * own button, because they don't notice that the pointer left. They also catch the Escape for a dialog.
 */
export function Toaster() {
  const { t } = useTranslation();
  const toasts = useToasts();
  const item = toasts.at(-1);
  const region = useRef<HTMLElement>(null);
  useKeptClear(region, item !== undefined);
  // Typing means that the person has moved on.
  useEffect(() => {
    addEventListener("input", endUndo, true);
    return () => removeEventListener("input", endUndo, true);
  }, []);
  useShortcut("f8", () => region.current?.querySelector("button")?.focus(), { always: true });
  return (
    // Screen readers announce it even while a dialog hides everything else.
    <section
      ref={region}
      aria-label={t("toast.list", { hotkey: "F8" })}
      aria-live="polite"
      data-toasts
      className="pointer-events-none fixed bottom-[calc(var(--status-height)+12px)] left-[calc(var(--rail-width)+16px)] z-50 w-95 max-w-[calc(100vw-var(--rail-width)-32px)]"
    >
      <ol className="m-0 list-none p-0">{item && <ToastItem key={item.id} item={item} />}</ol>
    </section>
  );
}

function ToastItem({ item }: { item: ToastMessage }) {
  const { t } = useTranslation();
  const row = useRef<HTMLLIElement>(null);
  /** Where the pointer entered it. */
  const entered = useRef("");
  /** Whether the pointer or the focus is on it. */
  const [isHeld, setHeld] = useState(false);
  const { id, text, tone, undo, action = undo && { label: t("undo"), run: undo } } = item;
  const close = () => dismissToast(id);
  const left = useMemo(() => timeLeft(item), [item]);
  useTimeOut(left, isHeld, close);
  // Return the focus to the previous element.
  useLayoutEffect(() => {
    const gone = row.current;
    return () => {
      if (gone?.contains(document.activeElement)) focusAfter(gone);
    };
  }, []);
  const focusInside = () => row.current?.contains(document.activeElement) === true;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    // Escape must not close anything else.
    event.preventDefault();
    event.stopPropagation();
    close();
  };
  return (
    // Handles the keys of its buttons.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <li
      ref={row}
      onKeyDown={onKeyDown}
      onFocus={() => setHeld(true)}
      onBlur={({ relatedTarget }) => !row.current?.contains(relatedTarget) && setHeld(false)}
      // A toast that appears under a resting pointer isn't being read.
      onPointerEnter={({ clientX, clientY }) => {
        entered.current = [clientX, clientY].join();
      }}
      onPointerMove={({ clientX, clientY }) => entered.current !== [clientX, clientY].join() && setHeld(true)}
      onPointerLeave={() => !focusInside() && setHeld(false)}
      className="pointer-events-auto flex animate-rise items-center gap-2 rounded-m border border-line bg-raised py-1.5 pr-1.5 pl-3.5 shadow-float"
    >
      {tone === "bad" && <Icon of={CircleX} className="shrink-0 text-bad" />}
      <p role={tone === "bad" ? "alert" : undefined} className="selectable m-0 min-w-0 flex-1 py-1 text-balance wrap-any">
        <UntrustedText text={text} />
      </p>
      {action && (
        <Button
          look="ghost"
          className="text-accent!"
          {...(undo === undefined ? {} : { keys: "mod+z" })}
          onClick={() => {
            close();
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton icon={X} label={t("dismiss")} small onClick={close} />
    </li>
  );
}

/** Calls `over` after this time, not counting pauses. Null waits for a time. */
function useTimeOut(ms: number | null, paused: boolean, over: () => void): void {
  const spent = useRef(0);
  const end = useEffectEvent(over);
  useEffect(() => {
    if (ms === null || paused) return;
    const began = performance.now();
    const timer = setTimeout(end, Math.max(0, ms - spent.current));
    return () => {
      clearTimeout(timer);
      spent.current += performance.now() - began;
    };
  }, [ms, paused]);
}
