import { useTranslation } from "react-i18next";

/** Under every frame: whose words those are. */
export function TheirsNote({ edited = false }: { edited?: boolean }) {
  const { t } = useTranslation("inbox");
  return <p className="m-0 mt-1 text-sm text-balance text-fg-3">{t(edited ? "theirsEdited" : "theirs")}</p>;
}
