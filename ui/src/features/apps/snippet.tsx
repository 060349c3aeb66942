import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { CodeBlock, CopyButton } from "@/components/code-block";
import { ErrorNotice } from "@/components/error-notice";
import { SegmentedControl } from "@/components/toggles";
import type { AppSnippetFormat } from "@/ipc/bindings/AppSnippetFormat";
import { errorField, errorWords } from "@/lib/error-text";
import { EntryKey } from "./entry-key";
import type { Entry } from "./use-entry";

const formats = ["json", "toml", "yaml", "command_line"] as const satisfies readonly AppSnippetFormat[];

/** Mooring's entry for an app, to copy in the format of the app's file. */
export function Snippet({
  entry,
  named = false,
  listed = false,
  makesKey,
  bare = false,
}: {
  entry: Entry;
  /** Errors in the name are shown at its field. */
  named?: boolean;
  /** Whether Mooring knows the app. */
  listed?: boolean;
  /** Whether a key can be created: the first one, or a replacement. */
  makesKey?: "first" | "next" | undefined;
  /** Its buttons are in the footer of a dialog. */
  bare?: boolean;
}) {
  const { t } = useTranslation("apps");
  const box = useRef<HTMLDivElement>(null);
  const { format, text, unread, notMade, keyed } = entry;
  const isShown = (error: Error | null): error is Error => error !== null && !(named && errorField(error) !== null);
  return (
    <div ref={box} tabIndex={-1} className="flex flex-col gap-2 outline-none">
      <div className="flex flex-wrap items-center gap-2">
        <SegmentedControl
          label={t("snippet.format")}
          value={format}
          onChange={entry.setFormat}
          // The key isn't known any more, so it can't be written in another format.
          options={formats.map((value) => ({ value, label: t(`snippet.in.${value}`), disabled: keyed && value !== format }))}
        />
        <span className="flex-1" />
        {text !== undefined && unread === null && !bare && <CopyButton worded text={text} label={t("snippet.copy")} />}
      </div>
      {unread === null ? (
        <CodeBlock text={text ?? ""} language={format === "json" ? "json" : "text"} copy={false} />
      ) : (
        isShown(unread) && <ErrorNotice title={t("snippet.failed")} {...errorWords(unread)} />
      )}
      {isShown(notMade) && <ErrorNotice answers title={t("snippet.notCreated")} {...errorWords(notMade)} />}
      {(makesKey !== undefined || keyed) && unread === null && (
        <EntryKey
          entry={entry}
          without={makesKey === "next" ? "replaces" : listed ? "keylessListed" : "keyless"}
          bare={bare}
          onDone={() => box.current?.focus()}
        />
      )}
    </div>
  );
}
