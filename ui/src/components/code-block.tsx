import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { indentJson, jsonTokens, type Token } from "@/lib/json-tokens";
import { Button, IconButton } from "./button";
import { UntrustedText } from "./their-voice";

const colours: Record<Token["kind"], string | undefined> = { key: "text-info", string: "text-ok", value: "text-wait", plain: undefined };
const colouredUpTo = 200_000;

/** Copies text and confirms it for a moment. */
export function CopyButton({
  text,
  label,
  className,
  worded = false,
  look,
}: {
  text: string;
  label?: string;
  className?: string;
  /** Whether the label is visible in the button. */
  worded?: boolean;
  /** The look of a button with a visible label. */
  look?: "primary";
}) {
  const { t } = useTranslation();
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  const name = copied ? t("copied") : (label ?? t("copy"));
  if (worded)
    return (
      <Button icon={copied ? Check : Copy} onClick={() => void copy()} {...(look ? { look } : {})} {...(className ? { className } : {})}>
        {name}
      </Button>
    );
  return <IconButton small icon={copied ? Check : Copy} label={name} onClick={() => void copy()} {...(className ? { className } : {})} />;
}

/** A block of machine text. JSON is highlighted and, with `indent`, formatted. The text itself never changes. */
export function CodeBlock({
  text,
  language = "json",
  indent = false,
  copy = true,
  className,
}: {
  text: string;
  language?: "json" | "text";
  indent?: boolean;
  copy?: boolean;
  className?: string;
}) {
  const shown = language === "json" && indent ? indentJson(text) : text;
  return (
    <div className={cx("group/code relative rounded-m border border-line bg-sunken", className)}>
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
        tabIndex={0}
        className="selectable inset-focus m-0 max-h-96 overflow-auto rounded-m px-3 py-2.5 leading-[1.55] whitespace-pre-wrap wrap-any"
      >
        {language === "json" && shown.length <= colouredUpTo ? <JsonText text={shown} /> : <UntrustedText text={shown} />}
      </pre>
      {copy && (
        <CopyButton
          text={shown}
          className="absolute top-1.5 right-1.5 bg-sunken opacity-0 group-focus-within/code:opacity-100 group-hover/code:opacity-100"
        />
      )}
    </div>
  );
}

/** Highlighted JSON as text nodes. */
export function JsonText({ text }: { text: string }) {
  return jsonTokens(text).map((token, index) => (
    <span key={index} className={colours[token.kind]}>
      <UntrustedText text={token.text} />
    </span>
  ));
}
