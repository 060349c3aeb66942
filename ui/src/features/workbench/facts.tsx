import type { ReactNode } from "react";
import { CopyButton } from "@/components/code-block";
import { UntrustedText } from "@/components/their-voice";

/** The facts about an item, one per line. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="m-0 grid grid-cols-[minmax(64px,auto)_minmax(0,1fr)] gap-x-4 gap-y-1.5">{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-fg-3">{name}</dt>
      <dd className="m-0 min-w-0 wrap-any tabular">{children}</dd>
    </>
  );
}

/** Machine text of the server, with a copy button. */
export function CodeFact({ name, text, copy }: { name: string; text: string; copy?: string }) {
  return (
    <Fact name={name}>
      <span className="group/fact flex items-start gap-1">
        <span className="mono selectable min-w-0 pt-px wrap-any">
          <UntrustedText text={text} />
        </span>
        {copy !== undefined && (
          <CopyButton
            text={text}
            label={copy}
            className="-my-0.5 shrink-0 opacity-0 group-focus-within/fact:opacity-100 group-hover/fact:opacity-100"
          />
        )}
      </span>
    </Fact>
  );
}
