export type CallArguments = { text: string, withheld: Array<string>, };
