export type LoggedError = { code: number, message: string, };
