// The icon of a server's offer, by its kind and, for resources, by their content.
import {
  AudioLines,
  Braces,
  File,
  FileCode2,
  FileText,
  Folder,
  FolderOpen,
  Image as Picture,
  type LucideIcon,
  MessageSquareText,
  Table2,
  Wrench,
} from "lucide-react";

type Kind = "tool" | "resource" | "template" | "prompt";

export function offerIcon(kind: Kind, mime: string | null): LucideIcon {
  switch (kind) {
    case "tool":
      return Wrench;
    case "prompt":
      return MessageSquareText;
    case "template":
      return Folder;
    case "resource":
      return resourceIcon((mime ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "");
  }
}

function resourceIcon(mime: string): LucideIcon {
  if (mime === "inode/directory") return FolderOpen;
  if (mime.startsWith("image/")) return Picture;
  if (mime.startsWith("audio/")) return AudioLines;
  if (/[/+]json$/.test(mime)) return Braces;
  if (mime === "text/csv" || mime === "text/tab-separated-values") return Table2;
  if (mime === "" || mime === "text/plain" || mime === "text/markdown") return FileText;
  return mime.startsWith("text/") || /[/+](?:xml|yaml|toml|javascript|sql)$/.test(mime) ? FileCode2 : File;
}
