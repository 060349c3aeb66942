import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import type { Claim, MemberName, Part } from "./change-words";
import { visibleLine } from "@/lib/untrusted";
import { Quoted, UntrustedText } from "./their-voice";

const CLAIMS: ReadonlySet<string> = new Set<Claim>(["readOnly", "destructive", "idempotent", "openWorld"]);
const isClaim = (part: Part | Claim): part is Claim => CLAIMS.has(part);

/** Names that cover more than one member. */
const BROAD: ReadonlySet<string> = new Set<Part>(["annotations", "icons", "inputSchema", "metadata", "outputSchema"]);

/** The name of a definition's member. Its JSON pointer is visible if the name is missing or ambiguous. */
export function MemberLabel({ name, pointer }: { name: MemberName | null; pointer: string }) {
  const { t } = useTranslation(["trust", "common"]);
  const raw = (
    <span className="mono wrap-any text-fg-3">
      {(pointer === "" ? [""] : pointer.split("/").slice(1)).map((key, at) => (
        <Fragment key={at}>
          {at > 0 && <wbr />}
          <UntrustedText text={`/${key}`} />
        </Fragment>
      ))}
    </span>
  );
  if (name === null) return raw;
  const { subject, part, count } = name;
  const word = part === null ? null : isClaim(part) ? t(`common:claim.${part}`) : t(`change.part.${part}`, { number: count ?? 0 });
  return (
    <>
      <span title={visibleLine(pointer)} className="block font-[560] wrap-any text-fg">
        {subject !== null && (
          <>
            {t(`change.subject.${subject.kind}`)} <Quoted text={subject.name} />
          </>
        )}
        {subject !== null && word !== null && " · "}
        {word}
      </span>
      <span className={part !== null && BROAD.has(part) ? "block text-xs" : "sr-only"}>{raw}</span>
    </>
  );
}
