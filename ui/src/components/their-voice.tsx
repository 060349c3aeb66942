import { type LucideIcon, Server } from "lucide-react";
import { Fragment, type ReactNode } from "react";
import { cx } from "@/lib/cx";
import { codePointName, pieces, visibleLine } from "@/lib/untrusted";
import { Marked } from "./marked";
import { Icon } from "./icon";

/** As long as the name of a tool may be. */
const QUOTED_UP_TO = 128;

/** Somebody else's text as text nodes; hidden and reordering characters are spelled out. */
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

/** A name as a server gave it, among our words: on one line, cut, and unable to turn anything around that stands beside it. */
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

/** The person's own name for a server in a sentence of ours, in quotation marks that it cannot turn around. */
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

/** Whose words are in the frame below it. */
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

/** The frame around a server's words, with the server's name on it. Nothing of ours goes inside. */
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
  /** What the words are about, in our words, after the name. */
  says?: string;
  /** What stands for who speaks, where that is no server. */
  icon?: LucideIcon;
  /** Up to half the window instead of a fixed height. */
  tall?: boolean;
  /** All of it at once: the page around it scrolls, and nothing is out of sight inside the frame. */
  whole?: boolean;
  /** Machine text. */
  code?: boolean;
  /** What it claims, in sight however long its words are. */
  claims?: ReactNode;
  className?: string;
  /** Null where there are only claims. */
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
            // Whole lines: none is cut where it begins to scroll.
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
