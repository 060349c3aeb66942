// The kinds of questions, in list order.
import type { DecisionKind } from "@/ipc/bindings/DecisionKind";
import { english } from "./i18n";

/** Only compiles if every kind has texts. */
export const questionKinds = Object.keys(english.inbox.notify satisfies Record<DecisionKind, string>) as readonly DecisionKind[];
