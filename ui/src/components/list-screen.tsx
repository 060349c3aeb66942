// The common parts of screens with a list and details.
import type { UseQueryResult } from "@tanstack/react-query";
import { Filter } from "lucide-react";
import type { ComponentProps, ReactNode, Ref } from "react";
import { useTranslation } from "react-i18next";
import { composing } from "@/lib/composing";
import { errorWords } from "@/lib/error-text";
import { Button } from "./button";
import { ErrorNotice } from "./error-notice";
import { SearchInput } from "./input";
import { Kbd } from "./kbd";
import { Sheet } from "./sheet";
import { Skeleton } from "./skeleton";
import { Split } from "./split";

/** Filters the list. Escape clears it and leaves it. */
export function FilterInput({
  ref,
  label,
  value,
  onChange,
}: {
  ref: Ref<HTMLInputElement>;
  label: string;
  value: string;
  onChange: (text: string) => void;
}) {
  return (
    <SearchInput
      ref={ref}
      icon={Filter}
      aria-label={label}
      placeholder={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || composing(event.nativeEvent)) return;
        onChange("");
        event.currentTarget.blur();
      }}
      {...(value === "" ? { hint: <Kbd keys="/" /> } : {})}
      className="w-50 shrink"
    />
  );
}

/** A list with the details of the selected item: beside it, or above it in a narrow window. */
export function ListBody({
  query,
  failed,
  next,
  instead,
  wide,
  split,
  sheet,
  list,
  pane,
}: {
  query: UseQueryResult;
  /** The error and the next step if it couldn't be read. */
  failed: string;
  next?: string;
  /** Shown if the list is empty. */
  instead?: ReactNode;
  /** Whether there is room for the details beside the list. */
  wide: boolean;
  split: Omit<ComponentProps<typeof Split>, "fixed" | "start" | "end">;
  sheet: Omit<ComponentProps<typeof Sheet>, "children">;
  list: ReactNode;
  pane: ReactNode;
}) {
  const { t } = useTranslation();
  if (query.isPending) return <Skeleton rows={8} />;
  if (query.error)
    return (
      <div className="max-w-150 p-5">
        <ErrorNotice title={failed} {...errorWords(query.error)} next={next}>
          <Button busy={query.isFetching} onClick={() => void query.refetch()}>
            {t("tryAgain")}
          </Button>
        </ErrorNotice>
      </div>
    );
  if (instead) return instead;
  if (wide) return <Split {...split} fixed="end" start={list} end={pane} />;
  return (
    <>
      {list}
      {pane && <Sheet {...sheet}>{pane}</Sheet>}
    </>
  );
}
