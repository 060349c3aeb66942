// Both screens use the same form: a schema in a server's question, and the same one for a tool's arguments.
import "@/features/inbox/inbox-screen";
import "@/features/workbench/workbench-screen";
import { field } from "@dev/mock/inbox-forms";
import { asked } from "@dev/mock/inbox-questions";
import { openApp } from "@dev/render";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { FormField } from "@/ipc/bindings/FormField";
import type { SchemaProblem } from "@/ipc/bindings/SchemaProblem";

const text = { kind: "text", minLength: null, maxLength: null, pattern: null, format: null } as const;
const berths = ["north", "south"];

/** Every kind of field: its JSON Schema, the host's parsed form, the typed text, and the resulting message. */
const kinds: {
  readonly schema: object;
  readonly field: FormField;
  readonly typed?: string;
  readonly problem?: readonly [SchemaProblem["code"], string, string];
}[] = [
  {
    schema: { type: "string", minLength: 3, maxLength: 5, description: "As on her stern." },
    field: field("ship", { ...text, minLength: 3, maxLength: 5 }, { required: true, description: "As on her stern." }),
    typed: "ab",
    problem: ["minLength", "3", "Use at least 3 characters"],
  },
  { schema: { type: "string", pattern: "^[A-Z]+$" }, field: field("code", { ...text, pattern: "^[A-Z]+$" }) },
  { schema: { type: "string", format: "email" }, field: field("mail", { ...text, format: "email" }) },
  { schema: { type: "string", format: "date" }, field: field("day", { ...text, format: "date" }) },
  {
    schema: { type: "integer", minimum: 1, maximum: 60 },
    field: field("crew", { kind: "number", integer: true, minimum: 1, maximum: 60 }),
    typed: "61",
    problem: ["maximum", "60", "Must be at most 60"],
  },
  {
    schema: { type: "number" },
    field: field("draught", { kind: "number", integer: false, minimum: null, maximum: null }),
    typed: "deep",
    problem: ["notNumber", "", "Must be a number"],
  },
  { schema: { type: "boolean" }, field: field("insured", { kind: "boolean" }) },
  {
    schema: { type: "array", items: { enum: berths }, minItems: 1, maxItems: 2 },
    field: field("berths", { kind: "some", choices: berths.map((value) => ({ value, title: null })), minItems: 1, maxItems: 2 }),
  },
  {
    schema: { type: "array", items: { type: "string" }, maxItems: 3 },
    field: field("flags", { kind: "list", of: text, minItems: null, maxItems: 3 }),
  },
  {
    schema: { anyOf: [{ type: "string" }, { type: "number" }] },
    field: field("length", { kind: "either", kinds: [text, { kind: "number", integer: false, minimum: null, maximum: null }] }),
  },
  {
    schema: { type: "number", minimum: 1 },
    field: field("nights", { kind: "number", integer: false, minimum: 1, maximum: null }, { required: true }),
    problem: ["required", "", "Required"],
  },
];
const fields = kinds.map((kind) => kind.field);
const schema = {
  type: "object",
  properties: Object.fromEntries(kinds.map((kind) => [kind.field.name, kind.schema])),
  required: fields.filter((field) => field.required).map((field) => field.name),
};

async function openInbox() {
  const app = openApp("/inbox?id=90");
  app.host.inbox.ask([asked(90, 10, { kind: "form", message: "", oddities: [], fields }, 0)]);
  await screen.findByRole("heading", { level: 2, name: "“ demo ” asks you to fill in a form" });
  return { ...app, press: "Review" };
}

async function openWorkbench() {
  const app = openApp("/workbench");
  const problems = kinds.flatMap(({ field, problem }): SchemaProblem[] =>
    problem === undefined ? [] : [{ at: `/${field.name}`, code: problem[0], detail: problem[1] === "" ? null : problem[1] }],
  );
  const raw = { name: "book", inputSchema: schema };
  const tool = { name: "book", title: null, description: null, outputSchema: null, annotations: null, diagnostics: [] };
  Object.assign(app.host, {
    list_tools: async () => ({ tools: [{ ...tool, inputSchema: JSON.stringify(schema), raw: JSON.stringify(raw) }], diagnostics: [] }),
    check_value: async () => ({ problems, unchecked: [] }),
  });
  app.host.servers = app.host.servers.map((item) => (item.id === 10 ? { ...item, state: "ready", toolCount: 1 } : item));
  await app.router.navigate({ to: "/workbench", search: { server: 10, tool: "book" } });
  await screen.findByRole("textbox", { name: "ship" });
  return { ...app, press: /^Run/ };
}

/** Types into each field and tries to continue. Returns each field's name, controls and message. */
async function seen({ user, press }: Awaited<ReturnType<typeof openInbox | typeof openWorkbench>>) {
  for (const { field, typed } of kinds) if (typed !== undefined) await user.type(screen.getByRole("textbox", { name: field.name }), typed);
  await user.click(screen.getByRole("button", { name: press }));
  await waitFor(() => expect(screen.getAllByRole("alert").length).toBeGreaterThan(2));
  await waitFor(() => expect(document.activeElement?.getAttribute("aria-invalid")).toBe("true"));
  const focused = document.activeElement?.closest("[data-field]")?.querySelector("label")?.textContent;
  const rows = [...document.querySelectorAll<HTMLElement>("[data-field]")].map((row) => {
    const roles = ["textbox", "radio", "checkbox", "combobox", "group", "radiogroup"].flatMap((role) =>
      within(row)
        .queryAllByRole(role)
        .map((control) => `${role} ${control.getAttribute("aria-labelledby") ?? ""}${control.getAttribute("aria-describedby") ?? ""}`),
    );
    return {
      label: row.querySelector("label")?.textContent,
      about: row.querySelector("blockquote")?.textContent,
      // The removed controls are named by each screen.
      controls: roles.filter((control) => !control.startsWith("radio ") && !control.startsWith("checkbox ")),
      said: row.querySelector("p[id$=-note]")?.textContent,
      alert: within(row).queryByRole("alert")?.textContent,
    };
  });
  cleanup();
  return { rows, focused };
}

describe("a form", () => {
  it("is the same when a server asks for it as when a tool takes it: names, controls, hints, problems, the focus", async () => {
    const inInbox = await seen(await openInbox());
    const inWorkbench = await seen(await openWorkbench());
    expect(inInbox.rows.map(({ label }) => label)).toEqual(fields.map(({ name }) => name));
    expect(inInbox.rows.flatMap(({ alert }) => alert ?? [])).toEqual(kinds.flatMap(({ problem }) => problem?.[2] ?? []));
    expect(inInbox.focused).toBe("ship");
    expect(inInbox).toEqual(inWorkbench);
  });
});
