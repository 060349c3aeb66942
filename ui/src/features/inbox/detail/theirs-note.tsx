import { useTranslation } from "react-i18next";

/** Below every frame: the author of its text. */
export function TheirsNote({ edited = false }: { edited?: boolean }) {
  const { t } = useTranslation("inbox");
  return <p className="m-0 mt-1 text-sm text-balance text-fg-3">{t(edited ? "theirsEdited" : "theirs")}</p>;
}
