import type { ReactNode } from "react";

/** Small facts in a row. A line ends between two of them, never within one that fits, and then without the dot between them. */
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
