// The items of the Workbench: a tool, a resource, a resource template, or a prompt of a server.
export type Kind = "tool" | "resource" | "template" | "prompt";

export interface Target {
  readonly kind: Kind;
  /** The name of a tool or prompt, the URI of a resource, the URI template. */
  readonly name: string;
}

/** A spot of a server: an item, or its tasks. */
export type Spot = Target | { readonly kind: "tasks" };

/** A key for an item of a server. */
export function targetKey(server: number, { kind, name }: Target): string {
  return `${server}/${kind}/${name}`;
}

/** Whether two spots are the same. */
export function sameSpot(left: Spot | undefined, right: Spot | undefined): boolean {
  return left?.kind === right?.kind && (left === undefined || right === undefined || nameOf(left) === nameOf(right));
}

/** The displayed name of a spot. Null if we have our own word for it. */
export function nameOf(spot: Spot): string | null {
  return spot.kind === "tasks" ? null : spot.name;
}
