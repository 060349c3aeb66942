import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { FileJson2, Star } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { Chip } from "@/components/chip";
import { CodeBlock, CopyButton } from "@/components/code-block";
import { Dialog } from "@/components/dialog";
import { TheirIcon } from "@/components/their-icon";
import { TheirVoice, UntrustedText } from "@/components/their-voice";
import { toolClaims } from "@/components/tool-claims";
import { Tooltip } from "@/components/tooltip";
import type { Diagnostic } from "@/ipc/bindings/Diagnostic";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { ToolView } from "@/ipc/bindings/ToolView";
import { toolAccess } from "@/ipc/queries";
import { cx } from "@/lib/cx";
import { visibleLine } from "@/lib/untrusted";
import { indentJson } from "@/lib/json-tokens";
import { readHints } from "@/lib/tool-claims";
import { Diagnostics } from "./result/diagnostics";
import { VirtualText } from "./result/virtual-text";
import { useFavourite } from "./saved/saved";
import type { Kind, Target } from "./target";
import { isConnected } from "./tree/tree-rows";

/** A longer definition isn't highlighted, and only its visible part is drawn. */
const COLOURED = 48_000;

/** A server's description of an item. */
interface Described {
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly raw: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** A tool's name and the server's claims about its effects. */
export function ToolHeader({ server, tool }: { server: ServerView; tool: ToolView }) {
  return (
    <ItemHeader
      server={server}
      kind="tool"
      item={tool}
      copy={tool.name}
      mark={<AccessMark server={server} tool={tool.name} />}
      claims={toolClaims(readHints(tool.annotations))}
    />
  );
}

/** Shows that a tool is off or asks before it runs, with a link to change that. */
function AccessMark({ server, tool }: { server: ServerView; tool: string }) {
  const { t } = useTranslation("workbench");
  const { data = [] } = useQuery({ ...toolAccess(server.id), enabled: isConnected(server.state) });
  const effect = data.find((access) => access.tool === tool)?.effect ?? "allow";
  if (effect === "allow") return null;
  return (
    <Tooltip text={t("access.why")}>
      <Link to="/servers" search={{ id: server.id, tab: "tools" }} className="ml-1.5 shrink-0 rounded-full no-underline">
        <Chip tone={effect === "deny" ? "bad" : "warn"}>{t(`access.${effect}`)}</Chip>
      </Link>
    </Tooltip>
  );
}

function FavouriteButton({ server, target }: { server: number; target: Target }) {
  const { t } = useTranslation("workbench");
  const { favourite, toggle } = useFavourite(server, target);
  return (
    <IconButton
      small
      icon={Star}
      label={t("favourite.mark")}
      aria-pressed={favourite}
      onClick={toggle}
      className={cx(favourite && "text-accent! [&_svg]:fill-current")}
    />
  );
}

/** An item's name, and the server's description in its frame. */
export function ItemHeader({
  server,
  kind,
  item,
  copy,
  mark = null,
  claims = null,
  children,
}: {
  server: ServerView;
  kind: Kind;
  item: Described;
  /** The text to copy: the name or the URI. */
  copy: string;
  /** Mooring's marks next to the name. */
  mark?: ReactNode;
  /** The server's claims about its effects. */
  claims?: ReactNode;
  children?: ReactNode;
}) {
  const { t } = useTranslation("workbench");
  const [definition, setDefinition] = useState(false);
  const title = item.title !== null && item.title !== item.name ? item.title : null;
  const silent = title === null && item.description === null;
  return (
    <header className="flex flex-col gap-2">
      <div className="group/item flex min-h-7 items-center gap-1">
        <TheirIcon server={server} raw={item.raw} size={20} className="mr-1">
          {null}
        </TheirIcon>
        <h2 className="selectable m-0 min-w-0 truncate text-lg font-[620] tracking-[-.01em]">
          <bdi>{visibleLine(item.name)}</bdi>
        </h2>
        {mark}
        <CopyButton
          text={copy}
          label={t(`copyOf.${kind}`)}
          className="opacity-0 group-focus-within/item:opacity-100 group-hover/item:opacity-100"
        />
        <span className="flex-1" />
        <FavouriteButton server={server.id} target={{ kind, name: copy }} />
        <IconButton small icon={FileJson2} label={t("tool.definition")} onClick={() => setDefinition(true)} />
      </div>
      {(!silent || claims !== null) && (
        <TheirVoice server={server.name} claims={claims}>
          {silent ? null : (
            <>
              {title !== null && (
                <span className="block font-[580]">
                  <UntrustedText text={title} />
                </span>
              )}
              {item.description !== null && <UntrustedText text={item.description.trim()} />}
            </>
          )}
        </TheirVoice>
      )}
      {silent && <p className="m-0 text-fg-3">{t(`silent.${kind}`)}</p>}
      {children}
      <Diagnostics items={item.diagnostics} about={kind} />
      <Dialog
        open={definition}
        onOpenChange={setDefinition}
        size="l"
        title={t("tool.definition")}
        description={t("tool.definitionText", { server: visibleLine(server.name) })}
      >
        {item.raw.length > COLOURED ? (
          <VirtualText
            text={indentJson(item.raw)}
            label={t("tool.definition")}
            mono
            className="h-[60vh] rounded-m border border-line bg-sunken py-2"
          />
        ) : (
          <CodeBlock text={item.raw} indent />
        )}
      </Dialog>
    </header>
  );
}
