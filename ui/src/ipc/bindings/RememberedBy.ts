export type RememberedBy = { "by": "rule", id: number, } | { "by": "model", id: number, } | { "by": "folders", server: number, };
