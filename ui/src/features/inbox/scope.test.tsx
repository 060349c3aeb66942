import "@/features/inbox/inbox-screen";
import { openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { policiesSearch } from "../policies/search";

const armed = async (name: string) => {
  const found = await screen.findByRole("button", { name });
  await waitFor(() => expect(found).toHaveProperty("disabled", false), { timeout: 5_000 });
  return found;
};
const answers = (host: ReturnType<typeof openApp>["host"]) =>
  host.sent.filter(({ name }) => name === "answer_interaction").map(({ args }) => (args as { answer: unknown }).answer);

describe("how far a yes reaches", () => {
  it("names the app as people do, and the true reason", async () => {
    openApp("/inbox", "inbox_scope");
    await screen.findByText("Mooring asks because Claude Code is set to Ask here.");
    expect(document.body.textContent).toContain("Claude Code wants to run this tool.");
    expect(document.body.textContent).not.toContain("claude-code");
  });
  it("says the rule before it is made, and sends what was chosen", async () => {
    const { user, host } = openApp("/inbox", "inbox_scope");
    // Once means only this call, so there is no scope to choose.
    await screen.findByRole("radio", { name: "1 hour" });
    expect(screen.queryByRole("radiogroup", { name: "Which calls" })).toBeNull();
    await user.click(screen.getByRole("radio", { name: "1 hour" }));
    screen.getByText("“Claude Code” can run “read_text_file”, with any arguments, for 1 hour or until the tool’s definition changes.");
    const reach = within(screen.getByRole("radiogroup", { name: "Which calls" }));
    await user.click(reach.getByRole("radio", { name: "“read_text_file”, only in “/home/ana/projects/harbour”" }));
    screen.getByText(/^“Claude Code” can run “read_text_file” while its paths stay in “\/home\/ana\/projects\/harbour”, for 1 hour/);
    await user.click(reach.getByRole("radio", { name: "All 4 tools of “filesystem” that say they only read" }));
    await user.click(screen.getByRole("radio", { name: "Every caller" }));
    screen.getByText(
      "Any caller can run these tools of “filesystem”, with any arguments, for 1 hour: “read_text_file”, “list_directory”, “search_files”, and “get_file_info”. One whose definition changes asks again.",
    );
    await user.click(await armed("Allow for 1 hour"));
    await waitFor(() =>
      expect(answers(host)).toEqual([{ action: "accept", content: '{"reach":"reading","everyCaller":true}', remember: "hour" }]),
    );
  });
  it("stays this tool of this caller unless that is changed", async () => {
    const { user, host } = openApp("/inbox", "inbox_scope");
    await user.click(await screen.findByRole("radio", { name: "Always" }));
    await user.click(await armed("Always allow"));
    await waitFor(() => expect(answers(host)).toEqual([{ action: "accept", content: null, remember: "always" }]));
  });
  it("is nothing once the answer is for this time only", async () => {
    const { user, host } = openApp("/inbox", "inbox_scope");
    await user.click(await screen.findByRole("radio", { name: "1 hour" }));
    await user.click(screen.getByRole("radio", { name: "Every caller" }));
    await user.click(screen.getByRole("radio", { name: "Only this time" }));
    await user.click(await armed("Allow once"));
    await waitFor(() => expect(answers(host)).toEqual([{ action: "accept", content: null, remember: "once" }]));
  });
});

describe("what was decided", () => {
  it("is read from an address only as far as it makes sense", () => {
    const make = { effect: "allow", server: 1, tool: "t", caller: "app:cursor" };
    expect(policiesSearch({ make })).toEqual({ make });
    expect(policiesSearch({ make: { ...make, server: "x", caller: "nobody" } })).toEqual({ make: { ...make, server: null, caller: null } });
    for (const bad of [null, "x", { ...make, effect: "all" }, { ...make, tool: 1 }]) expect(policiesSearch({ make: bad })).toEqual({});
  });
});
