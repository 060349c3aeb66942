import { type ReactNode, useMemo } from "react";
import { cx } from "@/lib/cx";
import { iconOf } from "@/lib/icons";

/**
 * The icon that a server's definition brings along, for the eye: a name stands beside it. A picture of the server's, so
 * it never takes the place of a mark of ours that tells of danger or state.
 */
export function TheirIcon({
  raw,
  size,
  className,
  children,
}: {
  raw: string | null;
  size: number;
  className?: string;
  children: ReactNode;
}) {
  const icon = useMemo(() => (raw === null ? null : iconOf(raw, size)), [raw, size]);
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
