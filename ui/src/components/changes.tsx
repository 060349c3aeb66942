import { TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { DiffPiece } from "@/ipc/bindings/DiffPiece";
import type { PinView } from "@/ipc/bindings/PinView";
import { cx } from "@/lib/cx";
import { visibleLine } from "@/lib/untrusted";
import { type ChangeLine, changeLines, type Meaning } from "./change-words";
import { Chip } from "./chip";
import { Icon } from "./icon";
import { MemberLabel } from "./member-label";
import { UntrustedText, VoiceCaption } from "./their-voice";

/**
 * The changes by member, what became more dangerous first. On the left the member in our words, on the right its value
 * in the server's. Removed and added parts are not only marked by colour. Added text may be dangerous, so its colour
 * isn't a friendly one.
 */
export function Changes({
  server,
  pin,
  whole = false,
  caption,
}: {
  server: string;
  pin: PinView;
  /** Shows everything without scrolling. */ whole?: boolean;
  /** Describes the changes after the name. By default since when they are. */
  caption?: string;
}) {
  const { t } = useTranslation("trust");
  const { changes, unshown, approvedAt } = pin;
  const ordered = changes.filter((change) => change.orderOnly);
  return (
    <>
      <figure className="@container relative m-0 mt-3.5 rounded-m border border-line-strong bg-surface">
        <VoiceCaption server={server} says={caption ?? t(approvedAt === null ? "changes.frameSeen" : "changes.frame")} />
        <div
          // Long text scrolls inside the frame, so it must be reachable by keyboard.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={whole ? undefined : 0}
          role="group"
          aria-label={visibleLine(server)}
          className={cx("selectable inset-focus overflow-hidden rounded-m pt-2.5", !whole && "max-h-[50vh] overflow-y-auto")}
        >
          <dl className="m-0">
            {changeLines(pin).map((line, index) => (
              <Line key={index} line={line} />
            ))}
          </dl>
        </div>
      </figure>
      {ordered.length > 0 && (
        <p className="m-0 text-fg-2">
          {t("changes.orderOnly")}{" "}
          <span className="mono">
            <UntrustedText text={ordered.map((change) => change.pointer).join(", ")} />
          </span>
        </p>
      )}
      {unshown > 0 && <p className="m-0 text-warn">{t("changes.more", { count: unshown })}</p>}
    </>
  );
}

function Line({ line }: { line: ChangeLine }) {
  const { t } = useTranslation("trust");
  const { name, pointer, meaning, pieces, riskier } = line;
  return (
    <div className="border-b border-line last:border-0 @min-[560px]:flex">
      <dt className="px-3.5 pt-2 @min-[560px]:w-62 @min-[560px]:shrink-0 @min-[560px]:pb-2">
        <MemberLabel name={name} pointer={pointer} />
      </dt>
      {meaning === null ? (
        <dd
          data-theirs
          className="m-0 mt-1.5 min-w-0 flex-1 border-line bg-sunken px-3.5 py-2 whitespace-pre-wrap wrap-any @max-[560px]:border-t @min-[560px]:mt-0 @min-[560px]:border-l"
        >
          {pieces.map((piece, at) => (
            <Piece key={at} piece={piece} />
          ))}
        </dd>
      ) : (
        <dd className="m-0 flex min-w-0 flex-1 flex-wrap content-start items-center gap-x-2 gap-y-1 px-3.5 pt-0.5 pb-2 @min-[560px]:border-l @min-[560px]:border-line @min-[560px]:pt-2">
          <InWords meaning={meaning} />
          {riskier && (
            <Chip tone="bad">
              <Icon of={TriangleAlert} size={12} />
              {t("change.riskier")}
            </Chip>
          )}
        </dd>
      )}
    </div>
  );
}

function InWords({ meaning }: { meaning: Meaning }) {
  const { t } = useTranslation("trust");
  if (meaning.kind === "new") return t(meaning.required ? "change.newRequired" : "change.new");
  if (meaning.kind === "gone") return t("change.gone");
  return (
    <span>
      <span className="text-fg-2">{t(`change.value.${meaning.from}`)}</span>
      <span aria-hidden className="text-fg-3">
        {" → "}
      </span>
      <span className="sr-only"> {t("change.to")} </span>
      <b>{t(`change.value.${meaning.to}`)}</b>
    </span>
  );
}

function Piece({ piece }: { piece: DiffPiece }) {
  const { t } = useTranslation("trust");
  if (piece.op === "same") return <UntrustedText text={piece.text} />;
  const added = piece.op === "added";
  const Part = added ? "ins" : "del";
  return (
    <Part
      className={
        added
          ? "rounded-xs bg-warn-soft px-0.5 text-warn underline decoration-warn underline-offset-2"
          : "rounded-xs bg-bad-soft px-0.5 text-bad line-through decoration-bad"
      }
    >
      <span className="sr-only">{t(`changes.${piece.op}`)} </span>
      <span aria-hidden className="mr-0.5 inline-block font-mono font-semibold no-underline">
        {added ? "+" : "−"}
      </span>
      <UntrustedText text={piece.text} />
    </Part>
  );
}
