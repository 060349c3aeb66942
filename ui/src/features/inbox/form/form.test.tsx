import "@/features/inbox/inbox-screen";
import { everyField, field } from "@dev/mock/inbox-forms";
import { openApp } from "@dev/render";
import { act, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { TooltipProvider } from "@/components/tooltip";
import type { FormField } from "@/ipc/bindings/FormField";
import { type Draft, newDraft, typePart } from "@/components/form/draft";
import { Form } from "@/components/form/form";
import { type Asked, answerIn, contentOf, draftOf, firstDraft } from "./answer";
import { quickProblems } from "./check";
import { formOf } from "./model";

const button = (name: RegExp | string) => screen.findByRole<HTMLButtonElement>("button", { name });
const box = (name: string) => screen.getByRole<HTMLInputElement>("textbox", { name });
const pause = (ms: number) =>
  act(
    () =>
      new Promise((done) => {
        setTimeout(done, ms);
      }),
  );
const asForm = (...fields: FormField[]): Asked => ({ fields, root: formOf(fields) });
/** A draft with these values, as JSON text. */
const filled = (values: Record<string, string>): Draft =>
  Object.entries(values).reduce((draft, [name, json]) => typePart(draft, [name], json), newDraft({ kind: "none", reason: "absent" }));
const text = { kind: "text", minLength: null, maxLength: null, pattern: null, format: null } as const;

async function open() {
  const app = openApp("/inbox?id=21", "inbox_form");
  await screen.findByRole("heading", { level: 2, name: "“ demo ” asks you to fill in a form" });
  return app;
}
async function fill({ user }: ReturnType<typeof openApp>) {
  const put = async (name: string, value: string) => {
    await user.click(box(name));
    await user.paste(value);
  };
  await put("Call sign", "DK404");
  await put("E-mail", "ana@acme.test");
  await put("Web page", "https://acme.test/berths");
  await put("Day of arrival", "2026-11-30");
  await put("Moment of arrival", "2026-11-30T06:15:00Z");
  await put("Draught in metres", "4.20");
  await user.click(within(screen.getByRole("radiogroup", { name: "Insured" })).getByRole("radio", { name: "Yes" }));
  await user.click(screen.getByRole("radio", { name: "north-2" }));
  await user.click(screen.getByRole("radio", { name: "What may need you" }));
  await user.click(screen.getByRole("checkbox", { name: "Fresh water" }));
  await user.click(screen.getByRole("checkbox", { name: "Crane" }));
}

describe("a form", () => {
  // Requirements: ELIC-07.
  it("says who asks what and during what, names and explains every field, and can be agreed to, declined or left", async () => {
    await open();
    screen.getByText(everyField.message);
    expect(document.body.textContent).toContain("every_field");
    expect(everyField.fields.filter(({ description }) => description !== null).length).toBeGreaterThan(3);
    for (const { name, title, description } of everyField.fields) {
      expect(screen.getAllByText(title ?? name).length).toBeGreaterThan(0);
      if (description !== null) screen.getByText(description);
    }
    for (const name of ["Review", "Decline", "Cancel"]) await button(name);
  });
  // Requirements: ELIC-06, ELIC-11, ELIC-13, ELIC-14, ELIC-15.
  it("of every type is looked over and then sent exactly as it was shown", async () => {
    const app = await open();
    await fill(app);
    await app.user.type(screen.getByLabelText("API key of the harbour"), "sk-very-secret");
    await app.user.click(await button("Review"));
    await screen.findByText(/^This is exactly what will be sent\./);
    expect(document.body.textContent).not.toContain("sk-very-secret");
    await app.user.click(await button("Show secrets"));
    await app.user.click(await button("JSON"));
    const seen = document.querySelector("pre")?.textContent ?? "";
    expect(app.host.inbox.accepted).toEqual([]);
    const send = await button("Send secret");
    await waitFor(() => expect(send.disabled).toBe(false), { timeout: 5_000 });
    await app.user.click(send);
    await waitFor(() => expect(app.host.inbox.accepted).toHaveLength(1));
    const { answer } = app.host.inbox.accepted[0]!;
    const sent = answer.action === "accept" ? (answer.content ?? "") : "";
    // Digits as typed, empty fields left out, defaults unchanged.
    expect(sent).toContain('"draught":4.20');
    expect(JSON.parse(sent)).toEqual({
      callsign: "DK404",
      email: "ana@acme.test",
      page: "https://acme.test/berths",
      day: "2026-11-30",
      moment: "2026-11-30T06:15:00Z",
      draught: 4.2,
      crew: 3,
      insured: true,
      berth: "north-2",
      level: "warn",
      needs: ["water", "crane"],
      api_key: "sk-very-secret",
    });
    expect(seen.replaceAll(/\s/g, "")).toBe(sent.replaceAll(/\s/g, ""));
  });
  it("keeps the focus at each step, so that its keys go on", async () => {
    const app = await open();
    await fill(app);
    await app.user.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(document.activeElement?.textContent).toBe("What this program receives"));
    // On the first field to edit, not on the approving button.
    await app.user.click(await button("Back"));
    expect(document.activeElement).toBe(box("Plain text"));
  });
  // Requirements: ELIC-16.
  it("shows what is wrong where it is wrong, also what only the host can tell, and sends nothing", async () => {
    const { user, host } = await open();
    await user.type(box("E-mail"), "nobody");
    await user.click(await button("Review"));
    await screen.findByText("Fix 4 fields");
    await screen.findByText("Isn’t an email address");
    expect(screen.getAllByText("Required")).toHaveLength(3);
    await user.type(box("Call sign"), "dk404");
    await screen.findByText(/Doesn’t match/);
    expect(host.inbox.accepted).toEqual([]);
  });
  it("marks what the host finds fault with when it was sent", async () => {
    const app = await open();
    await fill(app);
    await app.user.click(await button("Review"));
    await waitFor(async () => expect((await button("Send")).disabled).toBe(false), { timeout: 5_000 });
    app.host.inbox.refuses = {
      code: "invalid_answer",
      message: "no",
      details: { mistakes: [{ field: "crew", message: { code: "more than the boat takes", params: {}, text: "" } }] },
    };
    await app.user.click(await button("Send"));
    await screen.findByText("More than the boat takes");
    expect(screen.getByText(/doesn’t match the form/)).not.toBeNull();
    expect(app.host.inbox.accepted).toEqual([]);
    // Corrections are made without interruption, and reviewed before sending.
    const mended = box("Plain text");
    await app.user.type(mended, "ab");
    expect(document.activeElement).toBe(mended);
    await app.user.keyboard("c");
    await pause(400);
    expect(screen.queryByRole("button", { name: "Send" })).toBeNull();
    expect(document.activeElement).toBe(mended);
    app.host.inbox.refuses = null;
    await app.user.click(await button("Review"));
    expect((await button("Send")).disabled).toBe(true);
    await app.user.keyboard("{Control>}{Enter}{/Control}");
    expect(app.host.inbox.accepted).toEqual([]);
  });
  it.each<[string, () => HTMLElement]>([
    ["checkbox", () => screen.getByRole("checkbox", { name: "Crane" })],
    ["radio button", () => screen.getByRole("radio", { name: "north-2" })],
  ])("is reviewed with Ctrl and Enter from a %s", async (_control, control) => {
    const { user } = await open();
    control().focus();
    await user.keyboard("{Control>}{Enter}{/Control}");
    await screen.findByText(/^Fix \d fields$/);
  });
  // Requirements: ELIC-20.
  it("warns of what looks like a secret, and keeps it in no draft", async () => {
    const { user, host } = await open();
    const card = screen.getByText("This form asks for something secret.").closest("div")!;
    // There is no secret yet.
    expect(card.className).not.toContain("bg-bad-soft");
    expect(card.getAttribute("role")).toBeNull();
    const secret = screen.getByLabelText<HTMLInputElement>("API key of the harbour");
    expect(secret.type).toBe("password");
    await user.type(secret, "sk-very-secret");
    expect(card.className).toContain("bg-bad-soft");
    expect(card.getAttribute("role")).toBe("alert");
    await user.type(box("Plain text"), "kept");
    await waitFor(() => expect(host.inbox.drafts.get(21)).toContain("kept"));
    expect(host.inbox.drafts.get(21)).not.toContain("secret");
  });
  // Requirements: ELIC-20.
  it("covers a secret made of digits, too", async () => {
    const pin = field("pin", { kind: "number", integer: true, minimum: null, maximum: null }, { looksSecret: true });
    const { user } = await open();
    render(
      <Form asked root={formOf([pin])} server="s" draft={filled({ pin: "4711" })} problems={[]} empty="" onChange={() => undefined} />,
      { wrapper: TooltipProvider },
    );
    const typed = screen.getByDisplayValue<HTMLInputElement>("4711");
    expect(typed.type).toBe("password");
    const [show] = screen.getAllByRole("button", { name: "Show text" }).slice(-1);
    await user.click(show!);
    expect(typed.type).toBe("text");
  });
  it("comes back as it was left, but for secrets", async () => {
    const { user, host } = await open();
    await user.type(box("Plain text"), "half a thou");
    await user.type(screen.getByLabelText("API key of the harbour"), "sk-1");
    // Immediately to the other question: the last input is saved anyway.
    await user.click(screen.getByRole("button", { name: /postgres-prod/, current: false }));
    await screen.findByRole("heading", { level: 2, name: "“ postgres-prod ” asks you to fill in a form" });
    await waitFor(() => expect(host.inbox.drafts.get(21)).toContain("half a thou"));
    await user.click(screen.getByRole("button", { name: /demo/, current: false }));
    await screen.findByRole("heading", { level: 2, name: "“ demo ” asks you to fill in a form" });
    expect(box("Plain text").value).toBe("half a thou");
    expect(screen.getByLabelText<HTMLInputElement>("API key of the harbour").value).toBe("");
  });
  it("keeps a text of several lines in one box, whatever becomes of its lines", () => {
    const over = (json: string) => (
      <Form
        asked
        root={formOf([field("t", text)])}
        server="s"
        draft={filled({ t: json })}
        problems={[]}
        empty=""
        onChange={() => undefined}
      />
    );
    const { rerender, container } = render(over('"a\\nb"'), { wrapper: TooltipProvider });
    const control = container.querySelector("textarea")!;
    control.focus();
    rerender(over('"ab"'));
    expect(document.activeElement).toBe(control);
    expect(control.value).toBe("ab");
  });
  it("is not sent by Enter in a field", async () => {
    const app = await open();
    await fill(app);
    await app.user.type(box("E-mail"), "{Enter}{Enter}");
    await pause(30);
    expect(screen.queryByRole("button", { name: "Send" })).toBeNull();
    expect(app.host.inbox.accepted).toEqual([]);
  });
});

describe("an answer as JSON", () => {
  const number = field("n", { kind: "number", integer: false, minimum: null, maximum: null });
  it("keeps a number's digits and any name a server may give", () => {
    const form = asForm(number, field("__proto__", text), field('a"b', text));
    const values = typePart(filled({ n: "12345678901234567890.10", 'a"b': '"é\\n"' }), ["__proto__"], '"x"');
    expect(contentOf(form, values)).toBe('{"n":12345678901234567890.10,"__proto__":"x","a\\"b":"é\\n"}');
    expect(contentOf(form, firstDraft(form, draftOf(form, values)))).toBe(contentOf(form, values));
  });
  it("keeps what is half typed, and what cannot be read yet, for another look", () => {
    const form = asForm(number, field("j", { kind: "any" }));
    const values = filled({ n: '"12a"', j: '{"a": ' });
    expect(contentOf(form, values)).toBeNull();
    const again = firstDraft(form, draftOf(form, values));
    expect([again.value, again.parts.get('["j"]')?.text]).toEqual([values.value, '{"a": ']);
  });
  it("takes the server's proposals where they fit the field, and never one for a secret", () => {
    const one = field("o", { kind: "one", choices: [{ value: "a", title: null }] });
    const form = asForm(
      { ...number, default: "3" },
      { ...one, default: '"b"' },
      field("t", text, { default: "5" }),
      field("b", { kind: "boolean" }, { default: "false" }),
      field("s", text, { default: '"x"', looksSecret: true }),
    );
    expect(contentOf(form, firstDraft(form, null))).toBe('{"n":3,"b":false}');
  });
  it("fills in nothing that the server does not propose", () => {
    const one = field("o", { kind: "one", choices: [{ value: "a", title: null }] }, { required: true });
    expect(firstDraft(asForm(one, field("t", text, { required: true })), null).value.members).toEqual([]);
  });
  it("keeps every digit of a number that the server proposes", () => {
    const form = asForm({ ...number, default: "1234567890123456789" });
    expect(contentOf(form, firstDraft(form, null))).toBe('{"n":1234567890123456789}');
  });
});

describe("the quick check", () => {
  const of = (input: FormField["input"], json: string | null, required = false) => {
    const form = asForm(field("f", input, { required }));
    return quickProblems(form.root, answerIn(form, filled(json === null ? {} : { f: json })))[0]?.code ?? null;
  };
  it.each([
    [{ ...text, minLength: 2 }, "a", "minLength"],
    [{ ...text, minLength: 2 }, "ab", null],
    [{ ...text, maxLength: 2 }, "abc", "maxLength"],
    [{ ...text, maxLength: 2 }, "🛟🛟", null],
    [{ ...text, format: "email" }, "nobody", null],
  ] as const)("of a text: %o takes %s as %s", (input, value, code) => {
    expect(of(input, JSON.stringify(value))).toBe(code);
  });
  it.each([
    ["1", null],
    ["1.5", "notInteger"],
    ["0", "minimum"],
    ["11", "maximum"],
    ["10.0000000000000000001", "notInteger"],
    ["1e1", null],
    ['"0x1"', "notNumber"],
    ['"01"', "notNumber"],
    ['"1,5"', "notNumber"],
    ['"NaN"', "notNumber"],
    [null, null],
  ] as const)("of a whole number from 1 to 10: %s is %s", (json, code) => {
    expect(of({ kind: "number", integer: true, minimum: 1, maximum: 10 }, json)).toBe(code);
  });
  it("of choices and of what is required", () => {
    const some = { kind: "some", choices: ["a", "b", "c"].map((value) => ({ value, title: null })), minItems: 2, maxItems: 2 } as const;
    const cases = [of(some, '["a"]'), of(some, '["a","b"]'), of(some, '["a","b","c"]'), of(some, "[]"), of(some, "[]", true)];
    expect(cases).toEqual(["minItems", null, "maxItems", null, "required"]);
    expect([of({ kind: "boolean" }, null, true), of({ kind: "boolean" }, "false", true)]).toEqual(["required", null]);
  });
});
