import type { ReactNode } from "react";
import { TheirVoice } from "@/components/their-voice";
import { TheirsNote } from "./theirs-note";

/** What a server says, in its frame, and whose words those are. Where it says nothing there is no frame, and we say so. */
export function TheirWords({
  server,
  says,
  none,
  children,
}: {
  server: string;
  says: string;
  /** Our words where it says nothing. */
  none: string;
  /** Null where it says nothing. */
  children: ReactNode;
}) {
  if (children === null || children === "") return <p className="m-0 mt-3.5 text-fg-2">{none}</p>;
  return (
    <>
      <TheirVoice server={server} says={says} className="mt-5">
        {children}
      </TheirVoice>
      <TheirsNote />
    </>
  );
}
