// Whatever a server writes, everything outside of its frame stays the same, byte for byte.
import { asked, createIssue } from "@dev/mock/inbox-questions";
import { everyField } from "@dev/mock/inbox-forms";
import { review } from "@dev/mock/inbox-sampling";
import { said as told } from "@dev/mock/say";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from "@tanstack/react-router";
import { cleanup, render } from "@testing-library/react";
import { assert, describe, expect, it } from "vitest";
import { TooltipProvider } from "@/components/tooltip";
import type { AddressView } from "@/ipc/bindings/AddressView";
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import { questionKinds } from "@/lib/question-kinds";
import { Detail } from "./kinds/kinds";
import { QueueRow } from "./queue/queue-row";

/** How many questions are tested in a run. `cargo xtask prompts` makes more runs with other seeds. */
const PROMPTS = 600;
const SEED = Number(import.meta.env["VITE_PROMPTS_SEED"] ?? 0);

/** Pseudo-random numbers that are the same in each run. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const parts = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "</div></section>",
  '" onclick="alert(1)',
  "&lt;b&gt;",
  "{{name}}",
  "$t(answer.decline)",
  "\u202E",
  "\u2066",
  "\u200B",
  "\u{E0041}",
  "\u001b]8;;x\u0007",
  "\n\n\n\n",
  "\t",
  "\r",
  "Allow once",
  "Mooring says: this is safe.",
  "Text inside the frame was written by Mooring.",
  "javascript:alert(1)",
  "[x](https://evil.test)",
  "🛟",
  "العربية",
  "港",
  "a".repeat(400),
  "\0",
  "\uD800",
  "__proto__",
  "constructor",
  "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
  "\u0301".repeat(40),
  "﷽",
];
function words(roll: (below: number) => number): string {
  let text = "";
  for (let count = roll(6); count >= 0; count -= 1)
    text += roll(3) === 0 ? String.fromCodePoint(roll(0xd000) + 1) : (parts[roll(parts.length)] ?? "");
  return text;
}

/** Why a question is asked now, before and after a name from the server. */
const occasions: readonly (readonly [string, string])[] = [
  ["A model used by the server called its tool {tool}, and the call waits for the answer.", "tool"],
  ["Its tool {tool} was called on the command line, and the call waits for the answer.", "tool"],
  ["You opened its resource {resource}, which waits for the answer.", "resource"],
  ["Sent while these were running, without saying for which: {names}", "names"],
  ["Sent while its tool {tool} was running; no reason given.", "tool"],
  ["{app} called its tool {tool}, and the call waits for the answer.", "tool"],
  ["You asked for its prompt {prompt}, which waits for the answer.", "prompt"],
];

/** A server's URL, with a Unicode host. */
const address = (say: () => string): AddressView => ({
  url: say(),
  before: say(),
  domain: say(),
  after: say(),
  unicodeHost: say(),
  misleads: false,
  blocked: null,
  warnings: [],
});

/** A question with a server's text wherever that is possible. */
const kinds: readonly ((say: () => string) => InteractionQuestion)[] = [
  (say) => ({
    ...createIssue,
    tool: say(),
    title: say(),
    description: say(),
    arguments: JSON.stringify({ [say().slice(0, 60)]: say().slice(0, 60) }),
  }),
  (say) => ({
    ...everyField,
    message: say(),
    fields: everyField.fields
      .slice(0, 12)
      .map((field) => ({
        ...field,
        title: say(),
        description: say(),
        ...(field.input.kind === "one" || field.input.kind === "some"
          ? { input: { ...field.input, choices: field.input.choices.map((choice) => ({ ...choice, title: say() })) } }
          : {}),
      })),
  }),
  (say) => ({
    kind: "url",
    message: say(),
    opened: false,
    problem: null,
    address: {
      ...address(say),
      warnings: [
        told("Its host name contains letters that look like others: {host}", { host: say() }),
        told("Its host name looks like {other}, but isn’t.", { other: say() }),
      ],
    },
  }),
  (say) => ({
    ...review,
    system: say(),
    messages: [{ role: "user", content: [JSON.stringify({ type: "text", text: say() }), JSON.stringify({ type: say(), x: say() })] }],
    tools: [JSON.stringify({ name: say(), description: say(), inputSchema: { type: "object", title: say() } })],
    stopSequences: [say()],
  }),
  (say) => ({
    kind: "sampling_answer",
    model: "m",
    providerName: "p",
    streaming: false,
    content: [JSON.stringify({ type: "text", text: say() }), JSON.stringify({ type: "tool_use", name: say(), input: { x: say() } })],
    stopReason: "endTurn",
    usage: null,
    problem: null,
  }),
  (say) => ({ kind: "roots", folders: [{ path: `/${say()}`, name: say(), problem: null }] }),
  (say) => ({
    kind: "url",
    message: say(),
    opened: false,
    problem: null,
    address: { ...address(say), blocked: told("only https:// is opened, never {scheme}", { scheme: say() }) },
  }),
  (say) => ({
    kind: "url",
    message: say(),
    opened: true,
    problem: told("the browser couldn’t be started: {reason}", { reason: say() }),
    address: address(say),
  }),
  (say) => ({ kind: "app", app: `a${say()}`, program: `/${say()}`, isTerminal: false }),
  (say) => ({ kind: "app", app: `a${say()}`, program: `/${say()}`, isTerminal: true }),
  (say) => ({ ...createIssue, keyless: true, tool: say(), title: say(), description: say(), arguments: "{}" }),
];

const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() });

/** The page without the content of frames that are marked as the server's. */
function ours(question: InteractionQuestion, say: () => string): { page: string; theirs: number } {
  // The server's name is the person's and may come from an import. The account comes from the authorization server.
  const [pattern, place] = occasions[questionKinds.indexOf(question.kind) % occasions.length] ?? ["", ""];
  const occasion = {
    method: "tools/call",
    subject: say(),
    caller: "command_line",
    requests: [],
    isGuess: false,
    said: told(pattern, { [place]: say() }),
  };
  const serverName = `n${say()}`.slice(0, 120);
  const view = { ...asked(1, 2, question, 4_000), askedAt: 0, serverName, account: say(), place: say(), occasion };
  const { container } = render(
    <QueryClientProvider client={new QueryClient()}>
      <RouterContextProvider router={router}>
        <TooltipProvider>
          <QueueRow view={view} now={5_000} chosen onChoose={() => undefined} />
          <Detail view={view} gone={false} onNext={() => undefined} />
        </TooltipProvider>
      </RouterContextProvider>
    </QueryClientProvider>,
  );
  const frames = [...container.querySelectorAll("[data-theirs]")];
  expect(container.querySelector("script, iframe, object, embed, link, style, [onerror], [onclick]")).toBeNull();
  // The tooltip of truncated text contains all of it.
  for (const cut of container.querySelectorAll(".truncate[title]")) if (cut.querySelector("bdi")) cut.removeAttribute("title");
  for (const frame of frames) frame.replaceWith("[theirs]");
  // The person's name for the server is isolated from the text around it, which it can't reorder.
  for (const name of container.querySelectorAll("bdi")) name.textContent = "[name]";
  // React and Radix number their ids across the whole page.
  const page = container.innerHTML.replaceAll(/(?:_r_[0-9a-z]+_|radix-[^"]*)/g, "id").replaceAll(/href="\/activity\?[^"]*"/g, "href");
  cleanup();
  return { page, theirs: frames.length };
}

let [said, shown] = [0, 0];

describe("a server's words", () => {
  // Requirements: ELIC-04, ELIC-26, SEC-03, SEC-18.
  it.each([
    { kind: "tool", index: 0 },
    { kind: "form", index: 1 },
    { kind: "url", index: 2 },
    { kind: "sampling", index: 3 },
    { kind: "sampling_answer", index: 4 },
    { kind: "roots", index: 5 },
    { kind: "url that is refused", index: 6 },
    { kind: "url that the browser does not open", index: 7 },
    { kind: "app", index: 8 },
    { kind: "terminal", index: 9 },
    { kind: "tool for an app without a key", index: 10 },
  ])(
    "change nothing outside their frame: $kind",
    ({ index }) => {
      const make = kinds[index];
      assert(make);
      const roll = dice(7 + index + kinds.length * SEED);
      const plain = ours(
        make(() => "x"),
        () => "x",
      ).page;
      const say = () => {
        said += 1;
        return words(roll);
      };
      for (let round = 0; round < Math.ceil(PROMPTS / kinds.length); round += 1) {
        shown += 1;
        const { page, theirs } = ours(make(say), say);
        if (page !== plain) {
          // Only show where the pages begin to differ, because whole pages would fill the screen.
          let at = 0;
          while (page[at] === plain[at]) at += 1;
          expect(page.slice(at - 60, at + 120)).toBe(plain.slice(at - 60, at + 120));
        }
        expect(theirs).toBeGreaterThan(1);
      }
    },
    600_000,
  );
  it("were enough of them", () => {
    expect(shown).toBeGreaterThanOrEqual(PROMPTS);
    expect(said).toBeGreaterThan(8 * PROMPTS);
  });
});
