import { type LucideIcon, Server } from "lucide-react";
import { Fragment, type ReactNode } from "react";
import { cx } from "@/lib/cx";
import { codePointName, pieces, visibleLine } from "@/lib/untrusted";
import { Marked } from "./marked";
import { Icon } from "./icon";

/** The longest name of a tool. */
const QUOTED_UP_TO = 128;

/** Foreign text as text nodes. Hidden and reordering characters are spelled out. */
export function UntrustedText({ text }: { text: string }) {
  return pieces(text).map((piece, index) => (
    <Fragment key={index}>
      {typeof piece === "string" ? (
        <Marked text={piece} />
      ) : (
        <span className="mx-px rounded-xs bg-warn-soft px-0.5 font-mono text-xs whitespace-nowrap text-warn">
          {codePointName(piece.code)}
        </span>
      )}
    </Fragment>
  ));
}

/** A server's name in our text: on one line, shortened, and unable to reorder the text around it. */
export function Quoted({ text, className }: { text: string; className?: string }) {
  const line = text.replaceAll(/\s+/g, " ");
  return (
    <code data-theirs className={cx("wrap-any", className)}>
      <bdi>
        <UntrustedText text={line.length > QUOTED_UP_TO ? `${line.slice(0, QUOTED_UP_TO)}…` : line} />
      </bdi>
    </code>
  );
}

/** The person's name for a server in a sentence of ours, in quotation marks that it can't reorder. */
export function QuotedName({ text }: { text: string }) {
  return (
    <>
      “
      <bdi>
        <UntrustedText text={text} />
      </bdi>
      ”
    </>
  );
}

/** The author of the text in the frame below. */
export function VoiceCaption({ server, says, icon = Server }: { server: string; says?: string | undefined; icon?: LucideIcon }) {
  return (
    <figcaption className="absolute -top-2.5 left-3 flex h-5 max-w-[calc(100%-24px)] items-center gap-1.5 rounded-full border border-line-strong bg-surface px-2 text-xs font-semibold text-fg-2">
      <Icon of={icon} size={12} />
      <span className="truncate">
        <bdi>{visibleLine(server)}</bdi>
        {says !== undefined && ` ${says}`}
      </span>
    </figcaption>
  );
}

/** The frame around a server's text, with the server's name. It never contains our own text. */
export function TheirVoice({
  server,
  says,
  icon = Server,
  tall = false,
  whole = false,
  code = false,
  claims,
  className,
  children,
}: {
  server: string;
  /** Describes the text, in our words, after the name. */
  says?: string;
  /** The icon of the author, if it isn't a server. */
  icon?: LucideIcon;
  /** Up to half of the window instead of a fixed height. */
  tall?: boolean;
  /** Shows everything without scrolling inside the frame. */
  whole?: boolean;
  /** Machine text. */
  code?: boolean;
  /** The server's claims, which are visible even if the text is long. */
  claims?: ReactNode;
  className?: string;
  /** Null if there are only claims. */
  children: ReactNode;
}) {
  const claimed = claims !== undefined && claims !== null;
  return (
    <figure className={cx("relative m-0 mt-3.5 rounded-m border border-line-strong bg-sunken", className)}>
      <VoiceCaption server={server} says={says} icon={icon} />
      {children !== null && (
        <div
          // Long text scrolls inside the frame, so it must be reachable by keyboard.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={whole ? undefined : 0}
          role="group"
          data-theirs
          aria-label={visibleLine(server)}
          className={cx(
            "selectable inset-focus rounded-m px-3.5 pt-4 whitespace-pre-wrap wrap-any",
            claimed ? "pb-1" : "pb-3",
            code && "mono text-fg-2",
            !whole && "overflow-y-auto",
            // Whole lines, so that none is cut off where it starts to scroll.
            !whole && (tall ? "max-h-[50vh]" : "max-h-[calc(--spacing(4)+171px)]"),
          )}
        >
          {typeof children === "string" ? <UntrustedText text={children} /> : children}
        </div>
      )}
      {claimed && (
        <div data-theirs className={cx("px-3.5 pb-3", children === null ? "pt-4" : "pt-1")}>
          {claims}
        </div>
      )}
    </figure>
  );
}
