import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { resources } from "@/ipc/queries";
import { type LinkReader, MarkdownLinks } from "@/lib/markdown-links";
import { useOpenWork } from "@/lib/work-focus";
import { isForeign, resolveLink, resourceFinder } from "./linked-uri";

/** Around the text of a resource: its links to other resources of the server open them here. */
export function ServerLinks({ server, uri, children }: { server: number; uri: string; children: ReactNode }) {
  // Only what is known already: a text asks for nothing.
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
