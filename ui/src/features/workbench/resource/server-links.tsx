import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { resources } from "@/ipc/queries";
import { type LinkReader, MarkdownLinks } from "@/lib/markdown-links";
import { useOpenWork } from "@/lib/work-focus";
import { isForeign, resolveLink, resourceFinder } from "./linked-uri";

/** Around a resource's text: its links to other resources of the server open them here. */
export function ServerLinks({ server, uri, children }: { server: number; uri: string; children: ReactNode }) {
  // Only known data, because a text loads nothing.
  const { data } = useQuery({ ...resources(server), enabled: false });
  const openWork = useOpenWork();
  const find = useMemo(() => (data === undefined ? () => null : resourceFinder(data)), [data]);
  const read = useMemo<LinkReader>(
    () => (href) => {
      if (isForeign(href, uri)) return null;
      const target = resolveLink(href, uri);
      const known = target === null ? null : find(target);
      return known === null
        ? { kind: "nowhere", target: target ?? href }
        : { kind: "here", target: known, open: () => openWork(server, "resource", known) };
    },
    [server, uri, find, openWork],
  );
  return <MarkdownLinks value={read}>{children}</MarkdownLinks>;
}
