import "./policies-screen";
import { said } from "@dev/mock/say";
import { openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { condition, conditionProblem, draftOf, inputOf, isComplete } from "./draft";
import { nameOf, patternOf } from "@/lib/tool-name";

const page = async () => within(await screen.findByRole("main", { name: "Policies" }));

/** Opens the tools of a server that claim to be read-only. */
const readOnly = async (user: ReturnType<typeof openApp>["user"]) => {
  await user.click(await screen.findByRole("button", { name: /^Allow read-only tools/ }));
  const dialog = within(await screen.findByRole("dialog", { name: "Allow read-only tools" }));
  await user.click(dialog.getByRole("combobox", { name: "Server" }));
  await user.click(await screen.findByRole("option", { name: "postgres-prod" }));
  return { dialog, count: (await dialog.findAllByRole("checkbox")).length };
};

/** Applies the rule to tools that match a pattern. */
const pattern = async (user: ReturnType<typeof openApp>["user"], dialog: { getByRole: typeof screen.getByRole }) => {
  await user.click(dialog.getByRole("combobox", { name: "Applies to" }));
  await user.click(await screen.findByRole("option", { name: "Pattern" }));
};

describe("the rules", () => {
  it("say what they decide, about what, for how long, and how often", async () => {
    openApp("/policies");
    const rules = await page();
    rules.getByText(/A Deny rule always wins; otherwise the most specific rule decides/);
    const lines = (await rules.findAllByRole("listitem")).map((item) => item.textContent);
    // Rules to settle come first, with the buttons for it.
    expect(lines[0]).toMatch(/any tool on “weather”.*Changed outside Mooring\. Review and save it, or remove it\..*Review and saveRemove$/);
    expect(lines[1]).toContain("Deny“query” on “postgres-prod”/sql contains DROP and /sql starts with DROP");
    expect(lines[2]).toBe("Allow“read_file” on “filesystem”this definition onlyfrom InboxUsed 143 times, last used 1 minute ago");
    expect(lines[3]).toContain("expires in 42 minutes");
    expect(lines[4]).toContain("Askany tool on any serverdestructive tools only");
  });
  it("set names apart from words: a tool may be called any tool", async () => {
    const { host } = openApp("/policies");
    const [first] = host.policies.rules;
    host.policies.rules = [{ ...first!, rule: { ...first!.rule, tool: "any tool" } }];
    expect((await (await page()).findByRole("listitem")).textContent).toContain("“any tool” on “postgres-prod”");
  });
  it("are taken back and brought back", async () => {
    const { user } = openApp("/policies");
    const rules = await page();
    await user.click(await rules.findByRole("button", { name: "Remove rule for “read_file” on “filesystem”" }));
    await waitFor(() => expect(rules.queryByText("read_file")).toBeNull());
    // With the keyboard, because pointer events only reach a message once its container knows it.
    (await screen.findByRole("button", { name: "Undo" })).focus();
    await user.keyboard("{Enter}");
    await rules.findByText("read_file");
  });
  it("are tried on past calls before they are saved", async () => {
    const { user, host } = openApp("/policies");
    await user.click((await page()).getByRole("button", { name: "Add rule" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Add rule" }));
    await user.click(dialog.getByRole("radio", { name: "Deny" }));
    await pattern(user, dialog);
    await user.type(dialog.getByRole("textbox", { name: "Pattern" }), "delete_*");
    await dialog.findByText("42 of 214 calls match. 42 would be denied.");
    const past = [...dialog.getByRole("list", { name: "Calls with a different outcome" }).children].map((item) => item.textContent);
    expect(past.length).toBe(1);
    expect(past[0]).toMatch(/^delete_branch on github · 42 calls, last .* ago · Workbench and AI model/);
    expect(host.policies.rules.length).toBe(5);
    await user.click(dialog.getByRole("button", { name: "Save rule" }));
    await waitFor(() =>
      expect(host.policies.rules[0]?.rule).toEqual({
        effect: "deny",
        server: null,
        tool: "delete_*",
        caller: null,
        destructiveOnly: false,
        arguments: [],
        expiresAt: null,
      }),
    );
    await (await page()).findByText("delete_*");
  });
  it("are changed where they stand, with conditions that make sense", async () => {
    const { user, host } = openApp("/policies");
    await user.click(await (await page()).findByRole("button", { name: "Edit rule for “read_file” on “filesystem”" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Edit rule" }));
    await dialog.findByText(/applies only to the tool definitions you saw/);
    await user.click(dialog.getByRole("button", { name: "Add condition" }));
    const save = dialog.getByRole("button", { name: "Save rule" });
    await user.type(dialog.getByRole("textbox", { name: "Argument (JSON pointer)" }), "/path");
    expect(save).toHaveProperty("disabled", true);
    await user.type(dialog.getByRole("textbox", { name: "Value" }), '"/etc/hosts"');
    await user.click(save);
    await waitFor(() =>
      expect(host.policies.rules.find((rule) => rule.id === 102)?.rule.arguments).toEqual([
        { pointer: "/path", test: "equals", value: '"/etc/hosts"' },
      ]),
    );
  });
  it("say of a change that it frees them from the one definition that they were for", async () => {
    const { user, host } = openApp("/policies");
    await user.click(await (await page()).findByRole("button", { name: "Edit rule for “read_file” on “filesystem”" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Edit rule" }));
    await dialog.findByText(/applies only to the tool definitions you saw/);
    await pattern(user, dialog);
    const tool = dialog.getByRole("textbox", { name: "Pattern" });
    await user.clear(tool);
    await dialog.findByText(/no longer depends on the definition you saw/);
    expect(dialog.queryByText(/applies only to the tool definitions you saw/)).toBeNull();
    await user.type(tool, "read_file");
    await dialog.findByText(/applies only to the tool definitions you saw/);
    await user.clear(tool);
    await user.click(dialog.getByRole("button", { name: "Save rule" }));
    await waitFor(() => expect(host.policies.rules.find((rule) => rule.id === 102)).toMatchObject({ pinned: 0, rule: { tool: null } }));
  });
  it("are not told to lose what they were bound to before anything was changed", async () => {
    const { user } = openApp("/policies", "odd_rules");
    await user.click(await (await page()).findByRole("button", { name: /^Edit rule for “a_tool_with_a_name/ }));
    const dialog = within(await screen.findByRole("dialog", { name: "Edit rule" }));
    await dialog.findByText(/applies only to the tool definitions you saw/);
    expect(dialog.queryByText(/no longer depends on the definition/)).toBeNull();
    // Characters that are invisible in the field are listed below it.
    expect(dialog.getByText(/Hidden characters in it/).textContent).toContain("U+202E");
    await pattern(user, dialog);
    const tool = dialog.getByRole("textbox", { name: "Pattern" });
    await user.clear(tool);
    await user.type(tool, "plain");
    expect(dialog.queryByText(/Hidden characters in it/)).toBeNull();
  });
  it("that let everything run say so, and look dangerous, until they are narrower", async () => {
    const { user } = openApp("/policies");
    await user.click((await page()).getByRole("button", { name: "Add rule" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Add rule" }));
    const save = dialog.getByRole("button", { name: "Save rule" });
    expect(save.className).not.toContain("bg-bad");
    await user.click(dialog.getByRole("radio", { name: "Allow" }));
    await dialog.findByText("Every tool on every server will run without asking");
    expect(save.className).toContain("bg-bad");
    // A pattern that matches every name isn't narrower.
    await pattern(user, dialog);
    await user.type(dialog.getByRole("textbox", { name: "Pattern" }), "*");
    await dialog.findByText("Every tool on every server will run without asking");
    await user.click(dialog.getByRole("combobox", { name: "Server" }));
    await user.click(await screen.findByRole("option", { name: "github" }));
    await waitFor(() => expect(dialog.queryByText("Every tool on every server will run without asking")).toBeNull());
    expect(save.className).not.toContain("bg-bad");
  });
  it("call a condition wrong once it was written, not before", async () => {
    const { user } = openApp("/policies");
    await user.click((await page()).getByRole("button", { name: "Add rule" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Add rule" }));
    await user.click(dialog.getByRole("button", { name: "Add condition" }));
    const [pointer, value] = [
      dialog.getByRole("textbox", { name: "Argument (JSON pointer)" }),
      dialog.getByRole("textbox", { name: "Value" }),
    ];
    expect(dialog.queryByRole("alert")).toBeNull();
    await user.type(pointer, "path");
    expect([pointer.getAttribute("aria-invalid"), dialog.queryByRole("alert")]).toEqual([null, null]);
    await user.tab();
    expect([pointer.getAttribute("aria-invalid"), dialog.getByRole("alert").textContent]).toEqual([
      "true",
      "A JSON pointer starts with a slash: /path",
    ]);
    await user.type(pointer, "{Home}/");
    expect([pointer.getAttribute("aria-invalid"), dialog.queryByRole("alert")]).toEqual([null, null]);
    await user.type(value, "text{Tab}");
    expect([value.getAttribute("aria-invalid"), value.getAttribute("aria-describedby")]).toEqual(["true", dialog.getByRole("alert").id]);
  });
  it("are for a tool that is picked among those of a server", async () => {
    const { user, host } = openApp("/policies");
    await user.click(await screen.findByRole("button", { name: /^Never allow a tool/ }));
    const dialog = within(await screen.findByRole("dialog", { name: "Add rule" }));
    expect(dialog.getByRole("radio", { name: "Deny" }).getAttribute("aria-checked")).toBe("true");
    const save = dialog.getByRole("button", { name: "Save rule" });
    expect(save).toHaveProperty("disabled", true);
    await user.click(dialog.getByRole("combobox", { name: "Server" }));
    await user.click(await screen.findByRole("option", { name: "postgres-prod" }));
    await user.click(dialog.getByRole("button", { name: "Tool" }));
    await user.type(await screen.findByRole("combobox", { name: "Search values" }), "list_ta");
    await user.keyboard("{Enter}");
    await user.click(save);
    await waitFor(() => expect(host.policies.rules[0]?.rule).toMatchObject({ effect: "deny", server: 3, tool: "list_tables" }));
  });
  it("ask before anything that may delete or change, from a template", async () => {
    const { user, host } = openApp("/policies", "no_rules");
    await user.click(await screen.findByRole("button", { name: /^Ask before anything that may delete or change/ }));
    await user.click(within(await screen.findByRole("dialog", { name: "Add rule" })).getByRole("button", { name: "Save rule" }));
    await waitFor(() =>
      expect(host.policies.rules[0]?.rule).toMatchObject({ effect: "ask", server: null, tool: null, destructiveOnly: true }),
    );
  });
  it("allow tools that say they only read, one by one, and are removed together", async () => {
    const { user, host } = openApp("/policies", "no_rules");
    const { dialog, count } = await readOnly(user);
    expect(dialog.queryByRole("checkbox", { name: "drop_table" })).toBeNull();
    await user.click(dialog.getByRole("checkbox", { name: "list_tables" }));
    await user.click(dialog.getByRole("button", { name: new RegExp(`^Allow ${count - 1} tool`) }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(host.policies.rules.length).toBe(count - 1);
    for (const { rule } of host.policies.rules) expect(rule).toMatchObject({ effect: "allow", server: 3, caller: null, arguments: [] });
    expect(host.policies.rules.map(({ rule }) => rule.tool)).not.toContain("list_tables");
    (await screen.findByRole("button", { name: "Undo" })).focus();
    await user.keyboard("{Enter}");
    await waitFor(() => expect(host.policies.rules).toEqual([]));
  });
  it("for read-only tools say what failed, and offer the rest again", async () => {
    const { user, host } = openApp("/policies", "no_rules");
    const save = host.save_rule;
    const { dialog, count } = await readOnly(user);
    host.save_rule = (args) =>
      host.policies.rules.length === 0
        ? save(args)
        : Promise.reject({ code: "database", message: said("the disk is full"), details: null });
    await user.click(dialog.getByRole("button", { name: new RegExp(`^Allow ${count} tools`) }));
    await dialog.findByText("The disk is full.");
    await waitFor(() => expect(dialog.getAllByRole("checkbox").length).toBe(count - 1));
  });
  it("come of answers or are made here, and the empty list says so", async () => {
    openApp("/policies", "no_rules");
    await (await page()).findByText(/Add one here, or have an answer remembered in the Inbox/);
  });
});

describe("a rule being written", () => {
  const rule = {
    effect: "ask",
    server: 1,
    tool: "x*",
    caller: "sampling",
    destructiveOnly: true,
    arguments: [{ pointer: "/a", test: "present", value: "" }],
    expiresAt: 9_000,
  } as const;
  it("is saved as it was when nothing is changed", () => {
    const input = { ...rule, arguments: [...rule.arguments] };
    expect(inputOf(draftOf(input), 0)).toEqual(input);
  });
  it("is for the tool that it was for, whatever its name, until another is written", () => {
    for (const tool of [" x", "\\*", "", "a\nb", null]) expect(inputOf(draftOf({ ...rule, arguments: [], tool }), 0).tool).toBe(tool);
    for (const [written, tool] of [
      [" y ", "y"],
      ["  ", null],
      ["*", "*"],
    ] as const)
      expect(inputOf({ ...draftOf({ ...rule, arguments: [], tool: " x" }), which: "pattern", tool: written }, 0).tool).toBe(tool);
  });
  it("is for one tool, whatever characters its name has", () => {
    for (const name of ["read_file", "a*b", String.raw`a\*b`, "*", " x "]) {
      expect(nameOf(patternOf(name))).toBe(name);
      expect(inputOf({ ...draftOf(null), which: "one", tool: patternOf(name) }, 0).tool).toBe(patternOf(name));
    }
    expect([
      nameOf("list_*"),
      draftOf({ ...rule, arguments: [], tool: "list_*" }).which,
      draftOf({ ...rule, arguments: [], tool: "list" }).which,
    ]).toEqual([null, "pattern", "one"]);
  });
  it("waits for the one tool that it is for", () => {
    const draft = { ...draftOf(null), which: "one" } as const;
    expect([isComplete(draft), isComplete({ ...draft, tool: "x" })]).toEqual([false, true]);
  });
  it("allows nothing because of what a server says of its tools", () => {
    expect(inputOf({ ...draftOf({ ...rule, arguments: [] }), effect: "allow" }, 0).destructiveOnly).toBe(false);
  });
  it("counts from the moment it is saved", () => {
    expect(inputOf({ ...draftOf(null), term: "hour" }, 1_000).expiresAt).toBe(3_601_000);
  });
  it("says what is wrong with a condition", () => {
    const problem = (part: Parameters<typeof condition>[0]) => conditionProblem(condition(part));
    expect(problem({ pointer: "a", value: "1" })).toBe("pointer");
    expect(problem({ pointer: "/a", value: "text" })).toBe("json");
    expect(problem({ pointer: "/a", test: "contains" })).toBe("value");
    expect(problem({ pointer: "/a", test: "present" })).toBeNull();
  });
});
