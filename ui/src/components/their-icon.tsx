import { useQueries } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { loadedIcon } from "@/ipc/queries";
import { cx } from "@/lib/cx";
import { iconOf, iconUrls } from "@/lib/icons";

const answered = (results: readonly { data?: string | null | undefined }[]) => results.map(({ data }) => data ?? null);

/**
 * The icon in a server's definition. Decorative, because a name is next to it. As foreign content it never replaces our
 * own icons for danger or state. Icons with a URL are only shown if the person allows that for the server.
 */
export function TheirIcon({
  server,
  raw,
  size,
  className,
  children,
}: {
  server: ServerView;
  raw: string | null;
  size: number;
  className?: string;
  children: ReactNode;
}) {
  const allowed = server.loadsIcons && server.namesIcons;
  const urls = useMemo(() => (allowed && raw !== null ? iconUrls(raw) : []), [allowed, raw]);
  const loaded = useQueries({ queries: urls.map((src) => loadedIcon(server.id, src)), combine: answered });
  const icon = useMemo(() => {
    const known = urls.flatMap((src, index) => (typeof loaded[index] === "string" ? [[src, loaded[index]] as const] : []));
    return raw === null ? null : iconOf(raw, size, new Map(known));
  }, [raw, size, urls, loaded]);
  if (!icon) return children;
  const picture = (src: string, hidden?: string) => (
    <img
      src={src}
      alt=""
      width={size}
      height={size}
      decoding="async"
      draggable={false}
      className={cx("shrink-0 rounded-xs object-contain", hidden, className)}
      style={{ width: size, height: size }}
    />
  );
  if (icon.light === icon.dark) return picture(icon.light);
  return (
    <>
      {picture(icon.light, "in-data-[theme=dark]:hidden")}
      {picture(icon.dark, "not-in-data-[theme=dark]:hidden")}
    </>
  );
}
