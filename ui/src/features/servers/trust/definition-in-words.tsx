import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { memberName } from "@/components/change-words";
import { Chip } from "@/components/chip";
import { MemberLabel } from "@/components/member-label";
import { Quoted, TheirVoice, UntrustedText, VoiceCaption } from "@/components/their-voice";
import { toolClaims } from "@/components/tool-claims";
import type { PinView } from "@/ipc/bindings/PinView";
import type { ArgumentInWords, Detail, InWords } from "./in-words";

const TYPES = ["string", "number", "integer", "boolean", "array", "object", "null"] as const;
/** The facts about an argument that have our own labels. */
const FACTS = [
  "default",
  "enum",
  "format",
  "pattern",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "title",
] as const;

/** A definition in words: what it does, its claims, its arguments, and everything else. */
export function DefinitionInWords({ pin, words, server }: { pin: PinView; words: InWords; server: string }) {
  const { t } = useTranslation(["trust", "inbox"]);
  const { title, description, hints, arguments: taken, details } = words;
  const claims = hints === null ? null : toolClaims(hints);
  const silent = title === null && description === null;
  return (
    <>
      {silent && <p className="m-0 text-fg-2">{t("words.nothing")}</p>}
      {(!silent || claims !== null) && (
        <TheirVoice server={server} says={t("words.says")} claims={claims} whole>
          {silent ? null : (
            <>
              {title !== null && (
                <b className="block">
                  <UntrustedText text={title} />
                </b>
              )}
              <UntrustedText text={description ?? ""} />
            </>
          )}
        </TheirVoice>
      )}
      {hints !== null && claims === null && <p className="m-0 text-sm text-fg-3">{t("inbox:tool.noClaims")}</p>}
      {taken !== null &&
        (taken.length === 0 ? (
          <p className="m-0 text-fg-2">{t("words.noArguments")}</p>
        ) : (
          <Rows server={server} says={t("words.arguments", { count: taken.length })}>
            {taken.map((argument, index) => (
              <Row key={index} label={<ArgumentLabel argument={argument} />}>
                <Said argument={argument} />
              </Row>
            ))}
          </Rows>
        ))}
      {details.length > 0 && (
        <Rows server={server} says={t("words.rest")}>
          {details.map((detail, index) => (
            <Row key={index} label={<MemberLabel name={memberName(pin, detail.pointer)} pointer={detail.pointer} />}>
              <UntrustedText text={detail.text} />
            </Row>
          ))}
        </Rows>
      )}
      {words.unsaid > 0 && <p className="m-0 text-warn">{t("words.unsaid", { count: words.unsaid })}</p>}
    </>
  );
}

function Rows({ server, says, children }: { server: string; says: string; children: ReactNode }) {
  return (
    <figure className="@container relative m-0 mt-3.5 rounded-m border border-line-strong bg-surface">
      <VoiceCaption server={server} says={says} />
      <div className="selectable overflow-hidden rounded-m pt-2.5">
        <dl className="m-0">{children}</dl>
      </div>
    </figure>
  );
}

/** On the left the label in our words, on the right the server's text. */
function Row({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <div className="border-b border-line last:border-0 @min-[560px]:flex">
      <dt className="px-3.5 pt-2 wrap-any @min-[560px]:w-62 @min-[560px]:shrink-0 @min-[560px]:pb-2">{label}</dt>
      <dd
        data-theirs
        className="m-0 mt-1.5 min-w-0 flex-1 border-line bg-sunken px-3.5 py-2 whitespace-pre-wrap wrap-any @max-[560px]:border-t @min-[560px]:mt-0 @min-[560px]:border-l"
      >
        {children}
      </dd>
    </div>
  );
}

function ArgumentLabel({ argument: { name, types, required } }: { argument: ArgumentInWords }) {
  const { t } = useTranslation("trust");
  return (
    <>
      <span className="font-[560] text-fg">
        <Quoted text={name} />
      </span>
      {required && (
        <>
          {" "}
          <Chip>{t("words.required")}</Chip>
        </>
      )}
      <span className="block text-sm text-fg-3">
        {types.length === 0
          ? t("words.anyType")
          : types.map((type, index) => {
              const known = TYPES.find((one) => one === type);
              return (
                <span key={index}>
                  {index > 0 && ` ${t("words.or")} `}
                  {known === undefined ? <Quoted text={type} /> : t(`words.type.${known}`)}
                </span>
              );
            })}
      </span>
    </>
  );
}

function Said({ argument: { description, details } }: { argument: ArgumentInWords }) {
  const { t } = useTranslation("trust");
  return (
    <>
      {description === null ? <span className="text-fg-3">{t("words.noDescription")}</span> : <UntrustedText text={description} />}
      {details.map((detail, index) => (
        <Fact key={index} detail={detail} />
      ))}
    </>
  );
}

function Fact({ detail: { pointer, text } }: { detail: Detail }) {
  const { t } = useTranslation("trust");
  const known = FACTS.find((fact) => pointer === `/${fact}`);
  return (
    <span className="mt-0.5 block text-sm text-fg-2">
      {known === undefined ? (
        <span className="mono text-fg-3">
          <UntrustedText text={pointer} />
        </span>
      ) : (
        <span className="text-fg-3">{t(`words.fact.${known}`)}</span>
      )}{" "}
      <UntrustedText text={text} />
    </span>
  );
}
