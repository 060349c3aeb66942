import { FileJson2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { Chip } from "@/components/chip";
import { CodeBlock, CopyButton } from "@/components/code-block";
import { Dialog } from "@/components/dialog";
import { TheirVoice, UntrustedText } from "@/components/their-voice";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { ToolView } from "@/ipc/bindings/ToolView";
import { visibleLine } from "@/lib/untrusted";
import { indentJson } from "@/lib/json-tokens";
import { claimsOf } from "./annotations";
import { Diagnostics } from "./result/diagnostics";
import { VirtualText } from "./result/virtual-text";

/** A longer definition is drawn without colours, and only what is in sight. */
const COLOURED = 48_000;

/** Which tool this is: its name, and inside the server's frame what the server says about it. */
export function ToolHeader({ server, tool }: { server: ServerView; tool: ToolView }) {
  const { t } = useTranslation("workbench");
  const [definition, setDefinition] = useState(false);
  const claims = claimsOf(tool.annotations);
  const title = tool.title !== null && tool.title !== tool.name ? tool.title : null;
  return (
    <header className="flex flex-col gap-2">
      <div className="group/tool flex min-h-7 items-center gap-1">
        <h2 className="selectable m-0 min-w-0 truncate text-lg font-[620] tracking-[-.01em]"><bdi>{visibleLine(tool.name)}</bdi></h2>
        <CopyButton text={tool.name} label={t("tool.copyName")} className="opacity-0 group-focus-within/tool:opacity-100 group-hover/tool:opacity-100" />
        <span className="flex-1" />
        <IconButton small icon={FileJson2} label={t("tool.definition")} onClick={() => setDefinition(true)} />
      </div>
      {(title !== null || tool.description !== null) && (
        <TheirVoice server={server.name}>
          {title !== null && <span className="block font-[580]"><UntrustedText text={title} /></span>}
          {tool.description !== null && <UntrustedText text={tool.description.trim()} />}
        </TheirVoice>
      )}
      {claims.length > 0 && (
        <ul aria-label={t("tool.claims", { server: visibleLine(server.name) })} className="m-0 flex list-none flex-wrap gap-1.5 p-0">
          {claims.map((claim) => <li key={claim}><Chip>{t(`claim.${claim}`)}</Chip></li>)}
        </ul>
      )}
      {title === null && tool.description === null && <p className="m-0 text-fg-3">{t("tool.silent")}</p>}
      <Diagnostics items={tool.diagnostics} about="tool" />
      <Dialog open={definition} onOpenChange={setDefinition} size="l" title={t("tool.definition")} description={t("tool.definitionText", { server: visibleLine(server.name) })}>
        {tool.raw.length > COLOURED ? <VirtualText text={indentJson(tool.raw)} label={t("tool.definition")} mono className="h-[60vh] rounded-m border border-line bg-sunken py-2" /> : <CodeBlock text={tool.raw} indent />}
      </Dialog>
    </header>
  );
}
