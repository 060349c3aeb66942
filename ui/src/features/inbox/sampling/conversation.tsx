import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { GrowingInput } from "@/components/input";
import { UntrustedText } from "@/components/their-voice";
import { visibleLine } from "@/lib/untrusted";
import { BlockView } from "./block-view";
import { type Edits, withBlock } from "./edits";

/** What the model would get, in order: the system prompt, then each message. */
export function Conversation({ edits, editing, onChange }: { edits: Edits; editing: boolean; onChange: (edits: Edits) => void }) {
  const { t } = useTranslation("inbox");
  const { system, messages } = edits;
  return (
    <div className="flex flex-col gap-3.5 whitespace-normal">
      {(system !== null || editing) && (
        <Turn name={t("sampling.system")}>
          {editing ? (
            <GrowingInput
              aria-label={t("sampling.system")}
              value={system ?? ""}
              onChange={(event) => onChange({ ...edits, system: event.currentTarget.value === "" ? null : event.currentTarget.value })}
              className="font-ui! text-md!"
            />
          ) : (
            <p className="selectable m-0 whitespace-pre-wrap wrap-any">
              <UntrustedText text={system ?? ""} />
            </p>
          )}
        </Turn>
      )}
      {messages.map((message, at) => {
        const name =
          message.role === "user" || message.role === "assistant" ? t(`sampling.role.${message.role}`) : visibleLine(message.role);
        return (
          <Turn key={at} name={name}>
            {message.content.map((raw, place) => (
              <BlockView
                key={place}
                raw={raw}
                folded
                label={`${name} ${at + 1}`}
                onChange={editing ? (next) => onChange({ ...edits, messages: withBlock(messages, at, place, next) }) : undefined}
              />
            ))}
          </Turn>
        );
      })}
    </div>
  );
}

function Turn({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[84px_minmax(0,1fr)] gap-3">
      <span className="pt-px text-sm font-medium text-fg-3">{name}</span>
      <div className="flex min-w-0 flex-col gap-2">{children}</div>
    </div>
  );
}
