import type { LoggedCall } from "./LoggedCall";
export type LoggedCallPage = { calls: Array<LoggedCall>, next: number | null, };
