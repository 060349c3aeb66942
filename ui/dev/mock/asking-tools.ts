// Tools of the demo server that ask back: what they ask, as the call that waits for it has it.
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import type { Inbox } from "./inbox";
import { everyField, field, signUp } from "./inbox-forms";
import { asked } from "./inbox-questions";
import { said } from "./say";

const DEMO = 10;

const forms: Readonly<Record<string, InteractionQuestion>> = {
  register_ship: everyField,
  reserve_berth: {
    ...signUp,
    message: "Who is coming in, and when?",
    oddities: [],
    fields: [
      field(
        "ship",
        { kind: "text", minLength: 1, maxLength: 40, pattern: null, format: null },
        { title: "Name of your ship", required: true },
      ),
      field(
        "day",
        {
          kind: "one",
          choices: [
            { value: "today", title: "Today" },
            { value: "tomorrow", title: "Tomorrow" },
          ],
        },
        { title: "Day", required: true, default: '"today"' },
      ),
    ],
  },
};

/** Asks what this tool asks, and waits until it was answered or withdrawn. */
export async function askFor(inbox: Inbox, server: number, tool: string, callId: string, signal: AbortSignal): Promise<void> {
  const question = forms[tool];
  if (question === undefined || server !== DEMO) return;
  const id = 700 + inbox.decisions.length;
  const occasion: InteractionView["occasion"] = {
    method: "tools/call",
    subject: tool,
    caller: "workbench",
    requests: [callId],
    isGuess: false,
    said: said("The call of its tool {tool} waits for the answer.", { tool }),
  };
  inbox.ask([asked(id, DEMO, question, 0, { occasion })]);
  const waits = () => inbox.waiting.some((view) => view.id === id);
  while (waits() && !signal.aborted)
    await new Promise((done) => {
      setTimeout(done, 50);
    });
  if (waits()) inbox.end(id, "withdrawn");
}
