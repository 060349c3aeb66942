import { Code, FileText, type LucideIcon } from "lucide-react";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { CopyButton } from "@/components/code-block";
import { JsonActionButton } from "@/components/json-action-button";
import { JsonTree } from "@/components/json-tree";
import { SegmentedControl } from "@/components/toggles";
import { formatCount } from "@/lib/format";
import type { Language } from "@/lib/highlight";
import { looksMarkdown, useTextLook } from "@/lib/markdown";
import { plainMime } from "@/lib/media";
import { extensionOf } from "@/lib/save-file";
import { BlockCard } from "./block-card";
import { CodeView } from "./code-view";
import { Markdown, MarkdownSwitch } from "./markdown";
import type { BlockNotes } from "./read-result";
import { countLines } from "./rows";
import { SaveButton } from "./save-button";
import { TextView } from "./text-view";

/** A longer text isn't offered as an argument. */
const USED = 64 * 1024;

const looksAligned = (text: string) => /^[ \t]+\S|\S {2,}\S|\t/m.test(text.slice(0, 4_000));
const looksJson = (text: string) => text.length <= 1_000_000 && /^\s*[[{]/.test(text) && /[\]}]\s*$/.test(text);

/**
 * Text with its white space, highlighted if its language is known. Single-line JSON, and anything with a JSON type, is
 * formatted. Markdown is rendered. One click shows the original text.
 */
export function TextBlock({
  text,
  notes,
  kind,
  details,
  language = null,
  icon = FileText,
  file,
}: {
  text: string;
  notes: BlockNotes | null;
  kind: string;
  details?: string;
  language?: Language | null;
  icon?: LucideIcon;
  /** Its name and type, if it is a file. */
  file?: { readonly name: string; readonly mime: string | null };
}) {
  const { t, i18n } = useTranslation("workbench");
  const json = looksJson(text);
  const [asTree, setAsTree] = useState(json && (language === "json" || !text.trim().includes("\n")));
  const [mono, setMono] = useState(json || looksAligned(text));
  const markdown = useMemo(
    () => !json && text !== "" && (language === "markdown" || (language === null && looksMarkdown(text))),
    [json, language, text],
  );
  const [look] = useTextLook();
  const lines = countLines(text);
  const code = json && text.length <= 200_000 ? "json" : language;
  const source = code === null ? <TextView text={text} label={kind} mono={mono} /> : <CodeView text={text} language={code} label={kind} />;
  return (
    <BlockCard
      icon={icon}
      kind={kind}
      notes={notes}
      details={
        // Its name is next to it, and the switch already shows that it is Markdown.
        language === "markdown" && markdown
          ? undefined
          : (details ??
            (lines > 1
              ? t("result.lines", { count: lines, shown: formatCount(lines, i18n.language) })
              : t("result.characters", { count: text.length, shown: formatCount(text.length, i18n.language) })))
      }
      actions={
        <>
          {json && (
            <SegmentedControl
              label={t("result.view")}
              value={asTree ? "tree" : "text"}
              options={[
                { value: "tree", label: t("raw.laidOut") },
                { value: "text", label: t("raw.exact") },
              ]}
              onChange={(next) => setAsTree(next === "tree")}
              className="h-6! text-xs"
            />
          )}
          {markdown && <MarkdownSwitch />}
          {!asTree && code === null && !(markdown && look === "rendered") && (
            <IconButton small icon={Code} label={t("result.mono")} aria-pressed={mono} onClick={() => setMono(!mono)} />
          )}
          {!json && text !== "" && text.length <= USED && (
            <JsonActionButton json={() => JSON.stringify(text)} name={null} stop className="size-6! opacity-100" />
          )}
          <CopyButton text={text} />
          <SaveButton
            content={() => ({ text })}
            extension={extensionOf(plainMime(file?.mime ?? null), json ? "json" : "txt")}
            {...(file === undefined ? {} : { name: file.name })}
          />
        </>
      }
    >
      {text === "" ? (
        <p className="m-0 px-3 py-2.5 text-fg-3">{t("result.emptyText")}</p>
      ) : asTree ? (
        <div className="px-2 py-2.5">
          <JsonTree text={text} />
        </div>
      ) : markdown ? (
        <Markdown text={text}>{source}</Markdown>
      ) : (
        source
      )}
    </BlockCard>
  );
}
