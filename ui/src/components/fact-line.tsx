import type { ReactNode } from "react";

/** Short facts in a row. Lines break between facts, without a dot, and inside a fact only if it doesn't fit. */
export function FactLine({ facts }: { facts: readonly ReactNode[] }) {
  return (
    <span className="block overflow-x-clip">
      <span className="-ml-3 flex flex-wrap">
        {facts.map((fact, at) => (
          <span key={at} className="relative min-w-0 pl-3">
            {at > 0 && <span className="absolute left-0 w-3 text-center whitespace-pre"> · </span>}
            {fact}
          </span>
        ))}
      </span>
    </span>
  );
}
