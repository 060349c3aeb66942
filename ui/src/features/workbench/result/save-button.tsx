import { Download } from "lucide-react";
import { createContext, use } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { type FileContent, fileName, useSaveFile } from "@/lib/save-file";

/** The base name of a result's files. */
export const ResultName = createContext("result");

/** Saves a part of a result as a file. */
export function SaveButton({
  content,
  extension,
  name,
  label,
}: {
  content: () => FileContent;
  extension: string;
  /** Its own name, if it has one. */
  name?: string;
  label?: string;
}) {
  const { t } = useTranslation("workbench");
  const result = use(ResultName);
  const { save, busy } = useSaveFile();
  return (
    <IconButton
      small
      icon={Download}
      label={label ?? t("result.save")}
      disabled={busy}
      onClick={() => save(fileName(name ?? result, extension), content())}
    />
  );
}
