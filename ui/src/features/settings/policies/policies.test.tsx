import "@/features/settings/settings-screen";
import { openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { condition, conditionProblem, draftOf, inputOf } from "./draft";

const section = async () => within(await screen.findByRole("region", { name: "Policies" }));

describe("the rules", () => {
  it("say what they decide, about what, for how long, and how often", async () => {
    openApp("/settings?section=policies");
    const rules = await section();
    rules.getByText(/A Deny rule always wins; otherwise the most specific rule decides/);
    const lines = (await rules.findAllByRole("listitem")).map((item) => item.textContent);
    expect(lines[0]).toContain("Denyquery on postgres-prod/sql contains DROP and /sql starts with DROP");
    expect(lines[1]).toBe("Allowread_file on filesystemthis definition onlyfrom InboxUsed 143 times, last 1 minute ago");
    expect(lines[2]).toContain("expires in 42 minutes");
    expect(lines[4]).toContain("Askany tool on any serverdestructive tools only");
  });
  it("are taken back and brought back", async () => {
    const { user } = openApp("/settings");
    const rules = await section();
    await user.click(await rules.findByRole("button", { name: "Remove rule for “read_file” on “filesystem”" }));
    await waitFor(() => expect(rules.queryByText("read_file")).toBeNull());
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await rules.findByText("read_file");
  });
  it("are tried on past calls before they are saved", async () => {
    const { user, host } = openApp("/settings");
    await user.click((await section()).getByRole("button", { name: "Add rule" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Add rule" }));
    await user.click(dialog.getByRole("radio", { name: "Deny" }));
    await user.type(dialog.getByRole("textbox", { name: "Tool" }), "delete_*");
    await dialog.findByText("42 of 214 calls match. 42 would be denied.");
    expect(dialog.getByRole("list", { name: "Calls with a different outcome" }).children.length).toBe(42);
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
    await (await section()).findByText("delete_*");
  });
  it("are changed where they stand, with conditions that make sense", async () => {
    const { user, host } = openApp("/settings");
    await user.click(await (await section()).findByRole("button", { name: "Edit rule for “read_file” on “filesystem”" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Edit rule" }));
    await dialog.findByText(/applies only to the tool definition you saw/);
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
    const { user, host } = openApp("/settings");
    await user.click(await (await section()).findByRole("button", { name: "Edit rule for “read_file” on “filesystem”" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Edit rule" }));
    await dialog.findByText(/applies only to the tool definition you saw/);
    const tool = dialog.getByRole("textbox", { name: "Tool" });
    await user.clear(tool);
    await dialog.findByText(/no longer depends on the definition you saw/);
    expect(dialog.queryByText(/applies only to the tool definition you saw/)).toBeNull();
    await user.type(tool, "read_file");
    await dialog.findByText(/applies only to the tool definition you saw/);
    await user.clear(tool);
    await user.click(dialog.getByRole("button", { name: "Save rule" }));
    await waitFor(() => expect(host.policies.rules.find((rule) => rule.id === 102)).toMatchObject({ pinned: false, rule: { tool: null } }));
  });
  it("are not told to lose what they were bound to before anything was changed", async () => {
    const { user } = openApp("/settings", "odd_rules");
    await user.click(await (await section()).findByRole("button", { name: /^Edit rule for “a_tool_with_a_name/ }));
    const dialog = within(await screen.findByRole("dialog", { name: "Edit rule" }));
    await dialog.findByText(/applies only to the tool definition you saw/);
    expect(dialog.queryByText(/no longer depends on the definition/)).toBeNull();
    // What is invisible in the field stands below it.
    expect(dialog.getByText(/Hidden characters in it/).textContent).toContain("U+202E");
    const tool = dialog.getByRole("textbox", { name: "Tool" });
    await user.clear(tool);
    await user.type(tool, "plain");
    expect(dialog.queryByText(/Hidden characters in it/)).toBeNull();
  });
  it("call a condition wrong once it was written, not before", async () => {
    const { user } = openApp("/settings");
    await user.click((await section()).getByRole("button", { name: "Add rule" }));
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
  it("come of answers or are made here, and the empty list says so", async () => {
    openApp("/settings", "no_rules");
    await (await section()).findByText(/Add one here, or have an answer remembered in the Inbox/);
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
      expect(inputOf({ ...draftOf({ ...rule, arguments: [], tool: " x" }), tool: written }, 0).tool).toBe(tool);
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
