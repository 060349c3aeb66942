export type ItemKind = "tool" | "resource" | "template" | "prompt";
