import { lazy, type ReactNode, Suspense, useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { TheirVoice, UntrustedText } from "@/components/their-voice";
import { cx } from "@/lib/cx";
import { looksMarkdown, MAX_RENDERED } from "@/lib/markdown";

const View = lazy(() => import("@/components/markdown-view").then((module) => ({ default: module.MarkdownView })));

/** A server's own description. Of its instructions the first three lines, and all of them on request. */
export function Told({ server, instructions, children }: { server: string; instructions: string | null; children: ReactNode }) {
  const { t } = useTranslation(["servers", "workbench"]);
  const [open, setOpen] = useState(false);
  const [more, setMore] = useState(false);
  return (
    <div>
      <TheirVoice server={server} {...(open ? { tall: true } : { whole: true })}>
        {children}
        {instructions !== null && (
          <Clipped open={open} onMore={setMore} onEnter={() => setOpen(true)}>
            <Instructions text={instructions} />
          </Clipped>
        )}
      </TheirVoice>
      {instructions !== null && (
        <p className="m-0 mt-1 flex flex-wrap items-baseline gap-x-2 text-sm text-fg-3">
          {t("instructions.text")}
          {(more || open) && (
            <button
              type="button"
              aria-expanded={open}
              onClick={() => setOpen(!open)}
              className="rounded-xs font-medium text-accent hover:underline"
            >
              {t(open ? "workbench:instructions.less" : "workbench:instructions.more")}
            </button>
          )}
        </p>
      )}
    </div>
  );
}

/** Three lines of taller content. */
function Clipped({
  open,
  onMore,
  onEnter,
  children,
}: {
  open: boolean;
  /** Reports whether there is more than is shown. */
  onMore: (more: boolean) => void;
  /** Called when the focus enters it, because the focused part may be hidden. */
  onEnter: () => void;
  children: ReactNode;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const [cut, setCut] = useState(false);
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null || open) return;
    const look = () => {
      const more = element.scrollHeight > element.clientHeight + 2;
      setCut(more);
      onMore(more);
    };
    look();
    const size = new ResizeObserver(look);
    for (const watched of [element, ...element.children]) size.observe(watched);
    return () => size.disconnect();
  }, [open, onMore]);
  return (
    <div
      ref={frame}
      onFocus={onEnter}
      className={cx(!open && "max-h-[4.6em] overflow-hidden", !open && cut && "[mask-image:linear-gradient(black_60%,transparent)]")}
    >
      <div className="min-w-0">{children}</div>
    </div>
  );
}

function Instructions({ text }: { text: string }) {
  const plain = <UntrustedText text={text} />;
  if (text.length > MAX_RENDERED || !looksMarkdown(text)) return plain;
  return (
    <Suspense fallback={plain}>
      <div className="-mx-3 -my-2 whitespace-normal">
        <View text={text} source={plain} />
      </div>
    </Suspense>
  );
}
