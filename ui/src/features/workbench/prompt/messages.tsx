import { Bot, CircleHelp, type LucideIcon, User } from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CopyButton } from "@/components/code-block";
import { Icon } from "@/components/icon";
import { TheirVoice } from "@/components/their-voice";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";
import { looksMarkdown } from "@/lib/markdown";
import { BlockView, type Whose } from "../result/blocks";
import { Markdown, MarkdownSwitch } from "../result/markdown";
import { TextView } from "../result/text-view";
import { type Message, promptText, type ReadPrompt } from "./read-messages";

const ROLES: Record<string, { icon: LucideIcon; word: "user" | "assistant" }> = {
  user: { icon: User, word: "user" },
  assistant: { icon: Bot, word: "assistant" },
};

/** The messages of a filled-in prompt, by role. They are shown and can be copied, but are sent nowhere. */
export function Messages({ prompt, server }: { prompt: ReadPrompt; server: Whose }) {
  const { t } = useTranslation("workbench");
  const copyAll = async () => {
    await navigator.clipboard.writeText(promptText(prompt));
    toast({ text: t("prompt.copied") });
  };
  if (prompt.messages.length === 0) return <p className="m-0 text-fg-2">{t("prompt.empty")}</p>;
  return (
    <>
      {prompt.description !== null && prompt.description.trim() !== "" && (
        <TheirVoice server={server.name}>{prompt.description}</TheirVoice>
      )}
      <section aria-label={t("prompt.messages")} className="flex min-w-0 flex-col gap-3">
        <div className="flex min-h-7 items-center gap-2">
          <h2 className="m-0 text-md font-semibold">{t("prompt.messages")}</h2>
          <span className="text-sm text-fg-3 tabular">{prompt.messages.length}</span>
          <span className="flex-1" />
          <Button look="ghost" onClick={() => void copyAll()} className="h-6.5! px-2! text-sm">
            {t("prompt.copyAll")}
          </Button>
        </div>
        <ol className="m-0 flex list-none flex-col gap-3 p-0">
          {prompt.messages.map((message, index) => (
            <MessageView key={index} message={message} server={server} />
          ))}
        </ol>
      </section>
    </>
  );
}

function MessageView({ message, server }: { message: Message; server: Whose }) {
  const { t } = useTranslation("workbench");
  const known = message.role === null ? undefined : ROLES[message.role];
  const [only] = message.blocks;
  const text = message.blocks.length === 1 && only?.kind === "text" ? only.text : null;
  const markdown = useMemo(() => text !== null && looksMarkdown(text), [text]);
  const who =
    known === undefined
      ? message.role === null
        ? t("prompt.role.none")
        : visibleLine(message.role).slice(0, 40)
      : t(`prompt.role.${known.word}`);
  return (
    <li className="min-w-0 overflow-hidden rounded-m border border-line bg-sunken">
      <div className="flex min-h-7.5 items-center gap-1.5 border-b border-line py-0.5 pr-1 pl-2.5 text-xs text-fg-2">
        <Icon of={known?.icon ?? CircleHelp} size={12} className={message.role === "assistant" ? "text-wait" : "text-info"} />
        <span className="font-semibold">{who}</span>
        <span className="flex-1" />
        {markdown && <MarkdownSwitch />}
        {text !== null && <CopyButton text={text} label={t("prompt.copyMessage")} />}
      </div>
      {text === null ? (
        <div className="flex min-w-0 flex-col gap-2.5 p-2.5">
          {message.blocks.map((block, index) => (
            <BlockView key={index} block={block} server={server} />
          ))}
        </div>
      ) : markdown ? (
        <Markdown text={text}>
          <TextView text={text} label={who} mono={false} />
        </Markdown>
      ) : (
        <TextView text={text} label={who} mono={false} />
      )}
    </li>
  );
}
