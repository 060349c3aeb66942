import type { ItemKind } from "./ItemKind";
export type NewSavedCall = { serverId: number, kind: ItemKind, item: string, name: string | null, arguments: string, };
