import { said } from "@dev/mock/say";
import { dialogWithKeyboard, openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";

describe("the settings", () => {
  it("change theme and language at once", async () => {
    const { user, host } = openApp("/settings");
    await user.click(await screen.findByRole("radio", { name: "Dark" }));
    await waitFor(() => expect(document.documentElement.dataset["theme"]).toBe("dark"));
    expect((await host.get_settings()).theme).toBe("dark");
    await host.set_settings({ settings: { ...(await host.get_settings()), language: "zh-CN" } });
    await screen.findByRole("heading", { name: "外观" });
    expect(document.documentElement.lang).toBe("zh-CN");
  });
  it("leave the keys of the window alone once a list is closed", async () => {
    const { user, host, router } = openApp("/settings");
    const language = await screen.findByRole("combobox", { name: "Language" });
    language.focus();
    await user.keyboard("{Enter}");
    await screen.findByRole("option", { name: "English" });
    await user.keyboard("{ArrowDown}{Enter}");
    await waitFor(() => expect(document.activeElement).toBe(language));
    const chosen = (await host.get_settings()).language;
    await user.keyboard("s");
    expect((await host.get_settings()).language).toBe(chosen);
    await user.keyboard("2");
    await waitFor(() => expect(router.state.location.pathname).toBe("/servers"));
  });
  it("refuse a number out of range and save one that is in it", async () => {
    const { user, host } = openApp("/settings");
    const largest = await screen.findByRole("textbox", { name: "Largest message" });
    await user.clear(largest);
    await user.type(largest, "99{Enter}");
    await screen.findByText("From 16 to 64");
    expect((await host.get_settings()).maxMessageMiB).toBe(16);
    await user.clear(largest);
    await user.type(largest, "32{Enter}");
    await waitFor(async () => expect((await host.get_settings()).maxMessageMiB).toBe(32));
  });
  it("delete the recorded events after a question, and say when the last backup was made", async () => {
    const { user, host } = openApp("/settings");
    const data = within(await screen.findByRole("region", { name: "Data" }));
    await data.findByText("Last backup");
    const count = host.journal.rows.length;
    await user.click(data.getByRole("button", { name: "Delete…" }));
    const question = await dialogWithKeyboard(`Delete ${count.toLocaleString("en")} events?`);
    await user.click(within(question).getByRole("button", { name: "Cancel" }));
    expect(host.journal.rows.length).toBe(count);
    await user.click(data.getByRole("button", { name: "Delete…" }));
    await user.click(
      within(await dialogWithKeyboard(`Delete ${count.toLocaleString("en")} events?`)).getByRole("button", { name: "Delete" }),
    );
    await screen.findByText(`${count.toLocaleString("en")} events deleted.`);
    await waitFor(() => expect(data.getByRole("button", { name: "Delete…" }).hasAttribute("disabled")).toBe(true));
  });
  it("do not let a whole request be shorter than its silence", async () => {
    const { user } = openApp("/settings");
    const whole = await screen.findByRole("textbox", { name: "Total timeout" });
    await user.clear(whole);
    await user.type(whole, "10{Tab}");
    await screen.findByText(/At least 60/);
  });
  it("take the address of a client document only where it can be one", async () => {
    const { user, host } = openApp("/settings");
    const field = await screen.findByRole("textbox", { name: "Client metadata URL" });
    for (const bad of ["http://x.test/client.json", "https://x.test/", "https://u:p@x.test/c", "https://x.test/c?d", "x"]) {
      await user.clear(field);
      await user.type(field, `${bad}{Enter}`);
      await screen.findByText(/Enter a full URL that starts with https/);
    }
    expect((await host.get_settings()).clientDocument).toBe("");
    await user.clear(field);
    await user.type(field, "https://mooring.example/client.json{Enter}");
    await waitFor(async () => expect((await host.get_settings()).clientDocument).toBe("https://mooring.example/client.json"));
    await user.clear(field);
    await user.tab();
    await waitFor(async () => expect((await host.get_settings()).clientDocument).toBe(""));
  });
  it.each([
    { name: "Largest message", value: "32", before: "16" },
    { name: "Client metadata URL", value: "https://mooring.example/client.json", before: "" },
  ])("forget with Escape that the host refused what was typed: $name", async ({ name, value, before }) => {
    const { user, host } = openApp("/settings");
    host.set_settings = () => Promise.reject({ code: "database", message: said("the disk is full"), details: null });
    const field = await screen.findByRole<HTMLInputElement>("textbox", { name });
    await user.clear(field);
    await user.type(field, `${value}{Enter}`);
    const note = await screen.findByRole("alert");
    expect([note.textContent, field.getAttribute("aria-invalid")]).toEqual(["The disk is full.", "true"]);
    await user.keyboard("{Escape}");
    await waitFor(() => expect([field.value, field.getAttribute("aria-invalid"), note.getAttribute("role")]).toEqual([before, null, null]));
    expect(note.textContent).not.toContain("disk");
  });
  it("are read again on request", async () => {
    const { user, host } = openApp("/settings", "failed_get_settings");
    const again = await screen.findByRole("button", { name: "Try again" });
    Object.assign(host, { scene: "usual" });
    await user.click(again);
    await screen.findByRole("radio", { name: "Dark" });
  });
  it("say where data and programs are", async () => {
    openApp("/settings");
    await screen.findByText("/home/ana/.local/share/mooring");
    screen.getByText("/bin/zsh -ilc");
  });
});
