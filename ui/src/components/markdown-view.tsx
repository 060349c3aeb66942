import { Image } from "lucide-react";
import { Fragment, type ReactNode, useContext, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { type LinkReader, MarkdownLinks } from "@/lib/markdown-links";
import { isWebLink, type MarkdownNode, readMarkdown } from "@/lib/markdown-nodes";
import { visibleLine } from "@/lib/untrusted";
import { CodeBlock } from "./code-block";
import { Icon } from "./icon";
import { LinkDialog } from "./link-dialog";
import { UntrustedText } from "./their-voice";

/** The levels below the headings of the page. */
const LEVELS = ["h2", "h3", "h4", "h5", "h6"] as const;
const SIZES = ["text-xl", "text-lg", "text-md"] as const;
const ALIGNED: Readonly<Record<string, string>> = {
  "text-align:left": "text-left",
  "text-align:center": "text-center",
  "text-align:right": "text-right",
};

/** Foreign Markdown as headings, lists, tables and links, with all text as text nodes. Nothing is loaded. */
export function MarkdownView({ text, source }: { text: string; source: ReactNode }) {
  const { t } = useTranslation("workbench");
  const [link, setLink] = useState<string | null>(null);
  const reader = useContext(MarkdownLinks);
  const nodes = useMemo(() => readMarkdown(text, (url) => reader !== null && reader(url) !== null), [text, reader]);
  if (nodes === null)
    return (
      <>
        <p className="m-0 border-b border-line px-3 py-1.5 text-sm text-fg-3">{t("markdown.nested")}</p>
        {source}
      </>
    );
  return (
    <>
      <div data-theirs className="selectable flex min-w-0 flex-col gap-2.5 px-3 py-2.5 wrap-any">
        <Nodes nodes={nodes} levels={levelsOf(nodes)} reader={reader} onLink={setLink} />
      </div>
      {link !== null && <LinkDialog url={link} onClose={() => setLink(null)} />}
    </>
  );
}

/** The level of each heading: at most one below the previous one. */
function levelsOf(nodes: readonly MarkdownNode[], levels = new Map<MarkdownNode, number>()): ReadonlyMap<MarkdownNode, number> {
  for (const node of nodes) {
    if (node.token.type === "heading_open") {
      const before = [...levels.values()].at(-1) ?? -1;
      levels.set(node, Math.min(Number(node.token.tag.slice(1)) - 1, before + 1, LEVELS.length - 1));
    }
    levelsOf(node.children, levels);
  }
  return levels;
}

interface Shared {
  readonly levels: ReadonlyMap<MarkdownNode, number>;
  readonly reader: LinkReader | null;
  readonly onLink: (url: string) => void;
}

function Nodes({ nodes, ...shared }: { nodes: readonly MarkdownNode[] } & Shared) {
  return nodes.map((node, index) => <NodeView key={index} node={node} {...shared} />);
}

function NodeView({ node, ...shared }: { node: MarkdownNode } & Shared) {
  const { t } = useTranslation("workbench");
  const { token } = node;
  const inner = <Nodes nodes={node.children} {...shared} />;
  const attribute = (name: string) => String(token.attrGet(name) ?? "");
  switch (token.type) {
    case "paragraph_open":
      // Not a paragraph in a tight list.
      return token.hidden ? <>{inner}</> : <p className="m-0">{inner}</p>;
    case "heading_open": {
      const Heading = LEVELS[shared.levels.get(node) ?? 0] ?? "h6";
      return (
        <Heading className={cx("m-0 font-semibold first:mt-0 mt-1.5", SIZES[Number(token.tag.slice(1)) - 1] ?? "text-md")}>{inner}</Heading>
      );
    }
    case "bullet_list_open":
      return <ul className="m-0 list-disc pl-5.5">{inner}</ul>;
    case "ordered_list_open":
      return (
        <ol start={Number(attribute("start") || 1)} className="m-0 list-decimal pl-7.5">
          {inner}
        </ol>
      );
    case "list_item_open":
      return <li className="my-0.5 [&>*+*]:mt-1.5">{inner}</li>;
    case "blockquote_open":
      return <blockquote className="m-0 flex flex-col gap-2.5 border-l-2 border-line-strong pl-3 text-fg-2">{inner}</blockquote>;
    case "table_open":
      return (
        <div
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
          tabIndex={0}
          role="group"
          aria-label={t("result.table")}
          className="inset-focus max-w-full overflow-x-auto"
        >
          <table className="border-collapse">{inner}</table>
        </div>
      );
    case "thead_open":
      return <thead>{inner}</thead>;
    case "tbody_open":
      return <tbody>{inner}</tbody>;
    case "tr_open":
      return <tr>{inner}</tr>;
    case "th_open":
      return (
        <th className={cx("border border-line bg-surface px-2.5 py-1 font-semibold", ALIGNED[attribute("style")] ?? "text-left")}>
          {inner}
        </th>
      );
    case "td_open":
      return <td className={cx("border border-line px-2.5 py-1 align-top", ALIGNED[attribute("style")])}>{inner}</td>;
    case "strong_open":
      return <strong className="font-semibold">{inner}</strong>;
    case "em_open":
      return <em>{inner}</em>;
    case "s_open":
      return <s>{inner}</s>;
    case "link_open":
      return <LinkButton url={attribute("href")} title={attribute("title")} node={node} {...shared} />;
    case "image":
      return (
        <span className="inline-flex max-w-full items-baseline gap-1.5 rounded-xs border border-line px-1.5 text-fg-2">
          <Icon of={Image} size={12} className="shrink-0 self-center" />
          <span className="min-w-0">
            {inner}{" "}
            <code className="mono text-fg-3">
              <UntrustedText text={attribute("src")} />
            </code>
            <Titled title={attribute("title")} />
          </span>
        </span>
      );
    case "code_inline":
      return (
        <code className="mono rounded-xs bg-surface px-1">
          <UntrustedText text={token.content} />
        </code>
      );
    case "fence":
    case "code_block":
      return (
        <figure className="m-0 min-w-0">
          {token.info.trim() !== "" && (
            <figcaption className="mb-0.5 text-xs text-fg-3">
              <UntrustedText text={token.info.trim()} />
            </figcaption>
          )}
          <CodeBlock text={token.content.replace(/\n$/, "")} language="text" className="bg-surface" />
        </figure>
      );
    case "hr":
      return <hr className="m-0 w-full border-0 border-t border-line-strong" />;
    case "hardbreak":
      return <br />;
    case "softbreak":
      return "\n";
    default:
      return token.nesting > 0 ? <>{inner}</> : <UntrustedText text={token.content} />;
  }
}

/** A link's title, which is always visible. */
function Titled({ title }: { title: string }) {
  return (
    title !== "" && (
      <>
        {" ("}
        <UntrustedText text={title} />
        {")"}
      </>
    )
  );
}

/** It opens nothing itself: its target is shown first, unless it belongs to the same server. */
function LinkButton({ url, title, node, ...shared }: { url: string; title: string; node: MarkdownNode } & Shared) {
  const other = isWebLink(url) ? null : (shared.reader?.(url) ?? null);
  const target = other?.target ?? url;
  if (other?.kind === "nowhere")
    return (
      <>
        <Nodes nodes={node.children} {...shared} />{" "}
        <code className="mono text-fg-3">
          <UntrustedText text={target} />
        </code>
        <Titled title={title} />
      </>
    );
  return (
    <Fragment>
      <button
        type="button"
        title={visibleLine(target)}
        onClick={() => (other === null ? shared.onLink(url) : other.open())}
        className="max-w-full rounded-xs text-left font-medium text-accent underline underline-offset-2 select-text hover:text-fg"
      >
        {node.children.length === 0 ? <UntrustedText text={url} /> : <Nodes nodes={node.children} {...shared} />}
      </button>
      <Titled title={title} />
    </Fragment>
  );
}
