import type { ReactNode } from "react";
import { TheirVoice } from "@/components/their-voice";
import { TheirsNote } from "./theirs-note";

/** A server's text in its frame, with its author. Without text, a sentence of ours. */
export function TheirWords({
  server,
  says,
  none,
  claims = null,
  children,
}: {
  server: string;
  says: string;
  /** Our sentence if there is no text. */
  none: string;
  /** The server's claims next to the text. Null if there are none. */
  claims?: ReactNode;
  /** Null if there is no text. */
  children: ReactNode;
}) {
  const silent = children === null || children === "";
  return (
    <>
      {silent && <p className="m-0 mt-3.5 text-fg-2">{none}</p>}
      {(!silent || claims !== null) && (
        <TheirVoice server={server} says={says} claims={claims} className="mt-5">
          {silent ? null : children}
        </TheirVoice>
      )}
      {!silent && <TheirsNote />}
    </>
  );
}
