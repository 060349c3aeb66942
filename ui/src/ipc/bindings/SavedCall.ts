import type { ItemKind } from "./ItemKind";
export type SavedCall = { id: number, serverId: number, kind: ItemKind, item: string, name: string | null, arguments: string, withheld: Array<string>, };
