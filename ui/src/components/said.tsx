import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import type { Sentence } from "@/ipc/bindings/Sentence";
import { sentenceParts, wholeParts } from "@/lib/sentence";
import { Quoted } from "./their-voice";

/** A sentence of ours around names that others gave: each of them stands out as quoted, and cannot go on as our words. */
export function Said({
  said,
  whole = false,
}: {
  said: Sentence;
  /** It stands by itself: from its capital to its stop. */ whole?: boolean;
}) {
  const { i18n } = useTranslation();
  return (whole ? wholeParts : sentenceParts)(said, i18n.language).map((part, index) => (
    <Fragment key={index}>{part.quoted ? <Quoted text={part.text} /> : part.text}</Fragment>
  ));
}
