import { Fragment } from "react";

/** Small facts in a row; a line ends between two of them, never within one. */
export function Facts({ facts }: { facts: readonly string[] }) {
  return facts.map((fact, at) => (
    <Fragment key={at}>
      {at > 0 && " "}
      <span className="inline-block">{at < facts.length - 1 ? `${fact} ·` : fact}</span>
    </Fragment>
  ));
}
