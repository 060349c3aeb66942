import type { ItemKind } from "./ItemKind";
export type Item = { serverId: number, kind: ItemKind, name: string, };
