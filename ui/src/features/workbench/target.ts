// What the Workbench works on: a tool, a resource, a template of resources, or a prompt of a server.
export type Kind = "tool" | "resource" | "template" | "prompt";

export interface Target {
  readonly kind: Kind;
  /** The name of a tool or prompt, the address of a resource, the pattern of a template. */
  readonly name: string;
}

/** What of a server is looked at: one of the things it offers, or its tasks. */
export type Spot = Target | { readonly kind: "tasks" };

/** One key for something a server offers. */
export function targetKey(server: number, { kind, name }: Target): string {
  return `${server}/${kind}/${name}`;
}

/** Whether two spots are the same. */
export function sameSpot(left: Spot | undefined, right: Spot | undefined): boolean {
  return left?.kind === right?.kind && (left === undefined || right === undefined || nameOf(left) === nameOf(right));
}

/** What a spot is called on screen; null where we have a word of our own. */
export function nameOf(spot: Spot): string | null {
  return spot.kind === "tasks" ? null : spot.name;
}
