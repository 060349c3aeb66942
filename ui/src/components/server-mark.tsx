import { useQuery } from "@tanstack/react-query";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { serverIcons } from "@/ipc/queries";
import { cx } from "@/lib/cx";
import { visibleLine } from "@/lib/untrusted";
import { TheirIcon } from "./their-icon";

/** The icon that a server gives itself, or else its letter, in a square, for the eye: its name stands beside it. */
export function ServerMark({ server, small = false, className }: { server: ServerView; small?: boolean; className?: string }) {
  const { id, icons } = server;
  const { data: raw = null } = useQuery({ ...serverIcons(id, icons ?? ""), enabled: icons !== null });
  const [letter = "?"] = Array.from(visibleLine(server.name).trim());
  return (
    <span
      aria-hidden
      className={cx(
        "inline-grid shrink-0 place-items-center border border-line bg-selected font-[620] text-accent uppercase select-none",
        small ? "size-4.5 rounded-xs text-xs" : "size-9 rounded-m text-lg",
        className,
      )}
    >
      <TheirIcon server={server} raw={raw} size={small ? 12 : 24}>
        {/* Not as text: it is no part of the name beside it. */}
        <span data-letter={letter} className="before:content-[attr(data-letter)]" />
      </TheirIcon>
    </span>
  );
}
