import { useTranslation } from "react-i18next";
import { BlockView, type Whose } from "../result/blocks";
import { ContentBlock } from "../result/content-block";
import type { Block } from "../result/read-result";
import { ServerLinks } from "./server-links";

/** The result of a read: a card per content. Each is named if there are several, or if it has another URI. */
export function Contents({ blocks, uri, server }: { blocks: readonly Block[]; uri: string | null; server: Whose }) {
  const { t } = useTranslation("workbench");
  // Old servers answer like this for a missing resource.
  if (blocks.length === 0) return <p className="m-0 text-fg-2">{t("resource.empty")}</p>;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {blocks.map((block, index) =>
        block.kind === "resource" ? (
          <ServerLinks key={index} server={server.id} uri={block.uri === "" ? (uri ?? "") : block.uri}>
            <ContentBlock
              content={block}
              kind={t("resource.content")}
              server={server.name}
              named={blocks.length > 1 || (block.uri !== uri && block.uri !== "")}
            />
          </ServerLinks>
        ) : (
          <BlockView key={index} block={block} server={server} />
        ),
      )}
    </div>
  );
}
