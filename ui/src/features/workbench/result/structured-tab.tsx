import { useQuery } from "@tanstack/react-query";
import { Braces } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { ToolView } from "@/ipc/bindings/ToolView";
import { valueCheck } from "@/ipc/queries";
import { isError, problemsIn } from "@/lib/schema/check";
import { pathText } from "@/lib/schema/json";
import { parseJson } from "@/lib/schema/parse";
import { problemText } from "@/components/form/hints";
import type { Run } from "../runs";
import { Diagnostics } from "./diagnostics";
import { ReadBackNotice } from "./read-back-notice";
import { readResult } from "./read-result";
import { StructuredView } from "./structured-view";
import { TabEmpty } from "./tab-empty";

const CHECKED = 400_000;

/** The structured content by itself, and whether it matches the tool's output schema. */
export function StructuredTab({ run, tool }: { run: Run | undefined; tool: ToolView }) {
  const { t } = useTranslation("workbench");
  const text = run?.outcome?.result ?? null;
  if (run?.forgotten === true && text === null) {
    return (
      <div className="px-4 py-3.5">
        <ReadBackNotice run={run} />
      </div>
    );
  }
  const structured = text === null ? null : readResult(text).structured;
  if (structured === null) {
    const reason = run === undefined || run.outcome === null ? "before" : tool.outputSchema === null ? "none" : "promised";
    return <TabEmpty icon={Braces} title={t("structured.title")} text={t(`structured.${reason}`)} />;
  }
  return (
    <div className="flex flex-col gap-4 px-4 py-3.5">
      <StructuredView text={structured} />
      {tool.outputSchema !== null && structured.length <= CHECKED && <Misfits text={structured} schema={tool.outputSchema} />}
    </div>
  );
}

/** Where the content doesn't match the tool's output schema. */
function Misfits({ text, schema }: { text: string; schema: string }) {
  const { t } = useTranslation("form");
  const { data: check } = useQuery(valueCheck(schema, text, {}));
  const parsed = parseJson(text);
  if (check === undefined || !parsed.ok) return null;
  const items = problemsIn(check, parsed.node)
    .filter(isError)
    .map((problem) => ({ code: problem.code, path: pathText(problem.path), message: problemText(problem, t) }));
  return <Diagnostics items={items} about="schema" />;
}
