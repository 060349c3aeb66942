import { useTranslation } from "react-i18next";
import type { DiffPiece } from "@/ipc/bindings/DiffPiece";
import type { PinView } from "@/ipc/bindings/PinView";
import { TheirVoice, UntrustedText } from "./their-voice";

/**
 * What changed, member by member: what was taken out and what was put in are marked by more than their colour. What
 * was put in is what to beware of, so that it has no friendly one.
 */
export function Changes({ server, pin, whole = false }: { server: string; pin: PinView; /** All of it at once. */ whole?: boolean }) {
  const { t } = useTranslation("trust");
  const { changes, unshown, approvedAt } = pin;
  const ordered = changes.filter((change) => change.orderOnly);
  return (
    <>
      <TheirVoice server={server} says={t(approvedAt === null ? "changes.frameSeen" : "changes.frame")} tall whole={whole}>
        <dl className="m-0 flex flex-col gap-2.5">
          {changes.map((change, index) => (
            <div key={index}>
              <dt className="mono text-fg-3">
                <UntrustedText text={change.pointer === "" ? "/" : change.pointer} />
              </dt>
              <dd className="m-0 mt-0.5 whitespace-pre-wrap">
                {change.pieces.map((piece, at) => (
                  <Piece key={at} piece={piece} />
                ))}
              </dd>
            </div>
          ))}
        </dl>
      </TheirVoice>
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
