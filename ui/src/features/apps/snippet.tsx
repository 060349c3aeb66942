import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CodeBlock, CopyButton } from "@/components/code-block";
import { ErrorNotice } from "@/components/error-notice";
import { SegmentedControl } from "@/components/toggles";
import type { AppSnippetFormat } from "@/ipc/bindings/AppSnippetFormat";
import { appSnippet } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";

const formats = ["json", "toml", "yaml", "command_line"] as const satisfies readonly AppSnippetFormat[];

/** Mooring's entry for an app, to be copied in the format that the app's file has. */
export function Snippet({ id }: { id: string }) {
  const { t } = useTranslation("apps");
  const [format, setFormat] = useState<AppSnippetFormat>("json");
  const query = useQuery({ ...appSnippet(id, format), placeholderData: (before) => before });
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <SegmentedControl
          label={t("snippet.format")}
          value={format}
          onChange={setFormat}
          options={formats.map((value) => ({ value, label: t(`snippet.in.${value}`) }))}
        />
        <span className="flex-1" />
        {query.data !== undefined && <CopyButton worded text={query.data} />}
      </div>
      {query.error ? (
        <ErrorNotice title={t("snippet.failed")} {...errorWords(query.error)} />
      ) : (
        <CodeBlock text={query.data ?? ""} language={format === "json" ? "json" : "text"} copy={false} />
      )}
    </div>
  );
}
