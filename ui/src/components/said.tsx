import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import type { Sentence } from "@/ipc/bindings/Sentence";
import { sentenceParts, wholeParts } from "@/lib/sentence";
import { Quoted } from "./their-voice";

/** A sentence of ours with foreign names. Each name is quoted, so that it can't continue our text. */
export function Said({
  said,
  whole = false,
}: {
  said: Sentence;
  /** A complete sentence, with a capital letter and a full stop. */ whole?: boolean;
}) {
  const { i18n } = useTranslation();
  return (whole ? wholeParts : sentenceParts)(said, i18n.language).map((part, index) => (
    <Fragment key={index}>{part.quoted ? <Quoted text={part.text} /> : part.text}</Fragment>
  ));
}
