// The Chinese texts, loaded only when Chinese is chosen.
import type { Texts } from "@/lib/i18n";
import { byFile } from "./by-file";

export { default as sentences } from "./zh-CN/sentences.json";

export const namespaces = byFile(
  import.meta.glob<object>(["./zh-CN/*.json", "!./zh-CN/sentences.json"], { eager: true, import: "default" }),
) as Record<keyof Texts, object>;
