import type { ReactNode } from "react";
import { TheirVoice } from "@/components/their-voice";
import { TheirsNote } from "./theirs-note";

/** What a server says, in its frame, and whose words those are. Where it says nothing there is no frame, and we say so. */
export function TheirWords({
  server,
  says,
  none,
  claims = null,
  children,
}: {
  server: string;
  says: string;
  /** Our words where it says nothing. */
  none: string;
  /** What it claims beside its words; null where it claims nothing. */
  claims?: ReactNode;
  /** Null where it says nothing. */
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
