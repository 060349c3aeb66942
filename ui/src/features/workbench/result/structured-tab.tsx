import { Braces } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { ToolView } from "@/ipc/bindings/ToolView";
import { compileSchema } from "@/lib/schema/compile";
import { pathText } from "@/lib/schema/json";
import { parseJson } from "@/lib/schema/parse";
import { validate } from "@/lib/schema/validate";
import { problemText } from "../args/hints";
import type { Run } from "../runs";
import { Diagnostics } from "./diagnostics";
import { readResult } from "./read-result";
import { StructuredView } from "./structured-view";
import { TabEmpty } from "./tab-empty";

const CHECKED = 400_000;

/** The structured content alone, and whether it is what the tool promised. */
export function StructuredTab({ run, tool }: { run: Run | undefined; tool: ToolView }) {
  const { t } = useTranslation("workbench");
  const text = run?.outcome?.result ?? null;
  const structured = text === null ? null : readResult(text).structured;
  if (structured === null) {
    const reason = run === undefined || run.outcome === null ? "before" : tool.outputSchema === null ? "none" : "promised";
    return <TabEmpty icon={Braces} title={t("structured.title")} text={t(`structured.${reason}`)} />;
  }
  const misfits = misfitsOf(structured, tool.outputSchema, (problem) => problemText(problem, t));
  return (
    <div className="flex flex-col gap-4 px-4 py-3.5">
      <StructuredView text={structured} />
      <Diagnostics items={misfits} about="schema" />
    </div>
  );
}

/** Where the content does not fit the tool's own output schema. */
function misfitsOf(text: string, schema: string | null, words: (problem: ReturnType<typeof validate>[number]) => string) {
  if (schema === null || text.length > CHECKED) return [];
  const model = compileSchema(schema);
  const parsed = parseJson(text);
  if (model.kind === "none" || !parsed.ok) return [];
  return validate(model.root, parsed.node, true)
    .filter((problem) => problem.severity === "error")
    .map((problem) => ({ code: problem.code, path: pathText(problem.path), message: words(problem) }));
}
