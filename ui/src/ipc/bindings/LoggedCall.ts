import type { LoggedCallStatus } from "./LoggedCallStatus";
export type LoggedCall = { id: number, answer: number | null, at: number, caller: string | null, status: LoggedCallStatus, durationUs: number | null, size: number, excerpt: string, };
