import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { serverIcons } from "@/ipc/queries";
import { cx } from "@/lib/cx";
import { visibleLine } from "@/lib/untrusted";
import { TheirIcon } from "./their-icon";

/** A server's own icon, or its first letter. Decorative, because its name is next to it. */
export function ServerMark({ server, small = false, className }: { server: ServerView; small?: boolean; className?: string }) {
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
      <OwnIcon server={server} size={small ? 12 : 24}>
        {/* Not as text, because it isn't part of the name next to it. */}
        <span data-letter={letter} className="before:content-[attr(data-letter)]" />
      </OwnIcon>
    </span>
  );
}

/** Most servers have no icon, and lists have many rows, so nothing is loaded for them. */
function OwnIcon({ server, size, children }: { server: ServerView; size: number; children: ReactNode }) {
  return server.icons === null ? children : <LoadedIcon server={server} icons={server.icons} size={size} fallback={children} />;
}

function LoadedIcon({ server, icons, size, fallback }: { server: ServerView; icons: string; size: number; fallback: ReactNode }) {
  const { data: raw = null } = useQuery(serverIcons(server.id, icons));
  return (
    <TheirIcon server={server} raw={raw} size={size}>
      {fallback}
    </TheirIcon>
  );
}
