import { Braces, Table2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CopyButton } from "@/components/code-block";
import { JsonTree } from "@/components/json-tree";
import { UntrustedText } from "@/components/their-voice";
import { SegmentedControl } from "@/components/toggles";
import { formatBytes, formatCount } from "@/lib/format";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";
import { BlockCard } from "./block-card";
import { SaveButton } from "./save-button";
import { csvText, mayBeTable, readTable, tableText } from "./table";
import { TableView } from "./table-view";

/** Larger content is only shown as a table on request (bytes). */
const READ_AT_ONCE = 512 * 1024;

/** Structured content: a table if it is a list of flat objects, otherwise (or on request) a tree. */
export function StructuredView({ text }: { text: string }) {
  const { t, i18n } = useTranslation("workbench");
  const large = text.length > READ_AT_ONCE;
  const [asTree, setAsTree] = useState(large);
  const table = large && asTree ? null : readTable(text);
  if (table === null) {
    return (
      <BlockCard
        icon={Braces}
        kind={t("tab.structured")}
        details={formatBytes(text.length, i18n.language)}
        notes={null}
        actions={
          <>
            {large && asTree && mayBeTable(text) && (
              <Button look="ghost" onClick={() => setAsTree(false)} className="h-6! px-2! text-xs">
                {t("result.asTable")}
              </Button>
            )}
            <CopyButton text={text} label={t("result.copyJson")} />
            <SaveButton content={() => ({ text })} extension="json" />
          </>
        }
      >
        <div className="px-2 py-2.5">
          <JsonTree text={text} />
        </div>
      </BlockCard>
    );
  }
  const copyTable = async () => {
    await navigator.clipboard.writeText(tableText(text, table));
    toast({ text: t("result.tableCopied") });
  };
  return (
    <div className="min-w-0">
      <div className="flex min-h-7 items-center gap-1.5 pb-1.5">
        <SegmentedControl
          label={t("result.view")}
          value={asTree ? "tree" : "table"}
          options={[
            { value: "table", label: t("result.table") },
            { value: "tree", label: t("result.tree") },
          ]}
          onChange={(next) => setAsTree(next === "tree")}
          className="h-6.5! text-sm"
        />
        <span className="min-w-0 truncate text-sm text-fg-3 tabular">
          {t("result.rows", { count: table.rows.length, shown: formatCount(table.rows.length, i18n.language) })}
        </span>
        <span className="flex-1" />
        {!asTree && (
          <Button look="ghost" icon={Table2} onClick={() => void copyTable()} className="h-6.5! px-2! text-sm">
            {t("result.copyTable")}
          </Button>
        )}
        <CopyButton text={text} label={t("result.copyJson")} />
        {asTree ? (
          <SaveButton content={() => ({ text })} extension="json" />
        ) : (
          <SaveButton content={() => ({ text: csvText(text, table) })} extension="csv" label={t("result.saveCsv")} />
        )}
      </div>
      {asTree ? (
        <div className="rounded-m border border-line bg-sunken px-2 py-2.5">
          <JsonTree text={text} />
        </div>
      ) : (
        <>
          <TableView text={text} table={table} label={table.name === null ? t("result.table") : visibleLine(table.name)} />
          {table.beside.length > 0 && (
            <dl className="mt-3 mb-0 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 px-2.5">
              {table.beside.map((entry) => (
                <div key={entry.name} className="contents">
                  <dt className="truncate text-fg-3">
                    <UntrustedText text={entry.name} />
                  </dt>
                  <dd className="m-0 wrap-any tabular">
                    <UntrustedText text={entry.value.slice(0, 500)} />
                  </dd>
                </div>
              ))}
            </dl>
          )}
        </>
      )}
    </div>
  );
}
