import { RadioGroup } from "radix-ui";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { SegmentedControl } from "@/components/toggles";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import type { Remember } from "@/ipc/bindings/Remember";
import type { ToolReach } from "@/ipc/bindings/ToolReach";
import type { ToolScope } from "@/ipc/bindings/ToolScope";
import type { ToolScopes } from "@/ipc/bindings/ToolScopes";
import { callerName, callingApp } from "@/lib/callers";
import { formatList } from "@/lib/format";
import { quotedLine, visibleLine } from "@/lib/untrusted";

/** The default scope of an approval: this tool, this caller. */
export const NARROW: ToolScope = { reach: "tool", everyCaller: false };

/** The content of an approval. Null for the default scope. */
export const contentOf = (scope: ToolScope): string | null => (scope.reach === "tool" && !scope.everyCaller ? null : JSON.stringify(scope));

interface Chosen {
  readonly view: InteractionView;
  readonly tool: string;
  readonly scopes: ToolScopes;
  readonly scope: ToolScope;
}

/** The scope of an approval: which calls, and from which callers. */
export function ScopeChoice({ onChoose, disabled, ...chosen }: Chosen & { onChoose: (scope: ToolScope) => void; disabled: boolean }) {
  const { t, i18n } = useTranslation(["inbox", "common"]);
  const id = useId();
  const { view, tool, scopes, scope } = chosen;
  const { caller } = view.occasion;
  const reaches: { value: ToolReach; name: string }[] = [
    { value: "tool", name: t("reach.tool", { tool: visibleLine(tool) }) },
    ...(scopes.folders.length > 0
      ? [{ value: "folder" as const, name: t("reach.folder", { tool: visibleLine(tool), folders: foldersOf(scopes, i18n.language) }) }]
      : []),
    ...(scopes.reading.length > 0
      ? [{ value: "reading" as const, name: t("reach.reading", { count: scopes.reading.length, server: visibleLine(view.serverName) }) }]
      : []),
  ];
  return (
    <div className="mt-3 flex flex-col gap-2.5">
      {reaches.length > 1 && (
        <RadioGroup.Root
          aria-label={t("reach.label")}
          value={scope.reach}
          disabled={disabled}
          onValueChange={(value) => {
            const known = reaches.find((one) => one.value === value);
            if (known) onChoose({ ...scope, reach: known.value });
          }}
          className="flex flex-col gap-1.5"
        >
          {reaches.map(({ value, name }) => (
            <div key={value} className="flex items-start gap-2">
              <RadioGroup.Item
                id={`${id}-${value}`}
                value={value}
                className="mt-0.5 grid size-4 shrink-0 place-items-center rounded-full border border-control bg-surface transition-colors data-[state=checked]:border-accent disabled:opacity-50"
              >
                <RadioGroup.Indicator className="block size-2 rounded-full bg-accent" />
              </RadioGroup.Item>
              <label htmlFor={`${id}-${value}`} className="min-w-0 flex-1 wrap-any">
                {name}
              </label>
            </div>
          ))}
        </RadioGroup.Root>
      )}
      {caller !== null && (
        <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1.5">
          <span id={`${id}-callers`} className="text-fg-2">
            {t("reach.callers")}
          </span>
          <SegmentedControl
            aria-labelledby={`${id}-callers`}
            value={scope.everyCaller ? "every" : "this"}
            onChange={(value) => onChoose({ ...scope, everyCaller: value === "every" })}
            options={[
              { value: "this", label: callerName(caller, t, view.serverName), disabled },
              { value: "every", label: t("reach.everyCaller"), disabled },
            ]}
            className="max-w-full"
          />
        </div>
      )}
    </div>
  );
}

const foldersOf = ({ folders }: ToolScopes, language: string): string =>
  formatList([...new Set(folders.map(({ folder }) => quotedLine(folder)))], language);

/** The rule that an approval creates, as a sentence. */
export function useScopeSentence({ view, tool, scopes, scope }: Chosen): (remember: Exclude<Remember, "once">) => string {
  const { t, i18n } = useTranslation(["inbox", "common"]);
  const { caller } = view.occasion;
  const name = caller === null ? t("reach.thisCaller") : callerName(caller, t, view.serverName);
  return (remember) =>
    t(`reach.rule.${scope.reach}.${remember}`, {
      caller: scope.everyCaller ? t("reach.anyCaller") : caller !== null && callingApp(caller) !== null ? quotedLine(name) : name,
      tool: visibleLine(tool),
      server: visibleLine(view.serverName),
      folders: foldersOf(scopes, i18n.language),
      count: scopes.reading.length,
      names: formatList(scopes.reading.map(quotedLine), i18n.language),
    });
}
