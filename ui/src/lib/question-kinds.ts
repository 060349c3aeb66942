// The kinds of questions, in the order in which they are listed.
import type { DecisionKind } from "@/ipc/bindings/DecisionKind";
import { english } from "./i18n";

/** Without a kind's texts this doesn't compile. */
export const questionKinds = Object.keys(english.inbox.notify satisfies Record<DecisionKind, string>) as readonly DecisionKind[];
