import { Search } from "lucide-react";
import { type RefObject, useEffect, useEffectEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useQuery } from "@tanstack/react-query";
import { SearchInput } from "@/components/input";
import { Kbd } from "@/components/kbd";
import { Select } from "@/components/select";
import { servers } from "@/ipc/queries";
import { questionKinds } from "@/lib/question-kinds";
import { useDebounced } from "@/lib/use-debounced";
import { visibleLine } from "@/lib/untrusted";
import { type DecisionsSearch, OUTCOMES } from "./search";

/** How long to wait after typing before the search starts, in milliseconds. */
const REST = 200;

const ANY = "any";

/** The filters of the decisions: text, kind, server and outcome. */
export function DecisionFilters({
  search,
  onChange,
  inputRef,
}: {
  search: DecisionsSearch;
  /** The changed parts. Undefined removes one. */
  onChange: (parts: { [P in keyof DecisionsSearch]?: DecisionsSearch[P] | undefined }) => void;
  inputRef: RefObject<HTMLInputElement | null>;
}) {
  const { t } = useTranslation("inbox");
  const { data: list = [] } = useQuery(servers());
  const [text, setText] = useState(search.text ?? "");
  const rested = useDebounced(text, REST);
  const settle = useEffectEvent((wanted: string) => {
    if (wanted !== (search.text ?? "")) onChange({ text: wanted === "" ? undefined : wanted });
  });
  useEffect(() => settle(rested.trim()), [rested]);
  // A link or Back changed the search.
  const [known, setKnown] = useState(search.text);
  if (known !== search.text) {
    setKnown(search.text);
    if (text.trim() === (known ?? "")) setText(search.text ?? "");
  }
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-4 py-2">
      <SearchInput
        ref={inputRef}
        icon={Search}
        className="min-w-40 flex-1"
        value={text}
        aria-label={t("decisions.filter.text")}
        placeholder={t("decisions.filter.placeholder")}
        onChange={(event) => setText(event.target.value)}
        hint={text === "" ? <Kbd keys="/" /> : undefined}
      />
      <Select
        label={t("decisions.filter.kind")}
        value={search.kind ?? ANY}
        options={[
          { value: ANY, label: t("decisions.filter.anyKind") },
          ...questionKinds.map((value) => ({ value, label: t(`kind.${value}`) })),
        ]}
        onChange={(value) => onChange({ kind: value === ANY ? undefined : value })}
      />
      <Select
        label={t("decisions.filter.server")}
        value={search.server === undefined ? ANY : String(search.server)}
        options={[
          { value: ANY, label: t("decisions.filter.anyServer") },
          ...list.map(({ id, name }) => ({ value: String(id), label: visibleLine(name) })),
        ]}
        onChange={(value) => onChange({ server: value === ANY ? undefined : Number(value) })}
      />
      <Select
        label={t("decisions.filter.outcome")}
        value={search.outcome ?? ANY}
        options={[
          { value: ANY, label: t("decisions.filter.anyOutcome") },
          ...OUTCOMES.map((value) => ({ value, label: t(`decisions.end.${value}`) })),
        ]}
        onChange={(value) => onChange({ outcome: value === ANY ? undefined : value })}
      />
    </div>
  );
}
