import { said } from "@dev/mock/say";
import { dialogWithKeyboard, openApp } from "@dev/render";
import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { DoNotDisturb } from "@/ipc/bindings/DoNotDisturb";
import { isQuiet, quietUntil } from "@/lib/do-not-disturb";
import { sections } from "@/lib/settings-index";
import { zoomStep } from "@/lib/zoom";

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
    const { user, host } = openApp("/settings?section=limits");
    const largest = await screen.findByRole("textbox", { name: "Largest message" });
    await user.clear(largest);
    await user.type(largest, "99{Enter}");
    await screen.findByText("From 16 to 64");
    expect((await host.get_settings()).maxMessageMiB).toBe(16);
    await user.clear(largest);
    await user.type(largest, "32{Enter}");
    await waitFor(async () => expect((await host.get_settings()).maxMessageMiB).toBe(32));
  });
  it("keep events for a shorter time only after a question that counts those that go", async () => {
    const { user, host } = openApp("/settings?section=log");
    const kept = await screen.findByRole("combobox", { name: "Keep events for" });
    const choose = async (name: string) => {
      await user.click(kept);
      await user.click(await screen.findByRole("option", { name }));
    };
    const days = async () => (await host.get_settings()).keepLogDays;
    for (const row of host.journal.rows.slice(0, 3)) Object.assign(row, { at: (Date.now() - 40 * 24 * 3_600_000) * 1_000 });
    // No event is that old, so nothing is asked.
    await choose("90 days");
    await waitFor(async () => expect(await days()).toBe(90));
    await choose("30 days");
    const question = await dialogWithKeyboard("Delete 3 events?");
    await user.click(within(question).getByRole("button", { name: "Cancel" }));
    expect(await days()).toBe(90);
    await choose("30 days");
    await user.click(within(await dialogWithKeyboard("Delete 3 events?")).getByRole("button", { name: "Delete" }));
    await waitFor(async () => expect(await days()).toBe(30));
    await choose("Until the size limit");
    await waitFor(async () => expect(await days()).toBe(0));
  });
  it("delete the recorded events after a question", async () => {
    const { user, host } = openApp("/settings?section=log");
    const data = within(await screen.findByRole("region", { name: "Activity" }));
    await data.findByText("Events");
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
    const { user } = openApp("/settings?section=limits");
    const whole = await screen.findByRole("textbox", { name: "Total timeout" });
    await user.clear(whole);
    await user.type(whole, "10{Tab}");
    await screen.findByText(/At least 60/);
  });
  it("take the address of a client document only where it can be one", async () => {
    const { user, host } = openApp("/settings?section=sign_in");
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
    { name: "Largest message", section: "limits", value: "32", before: "16" },
    { name: "Client metadata URL", section: "sign_in", value: "https://mooring.example/client.json", before: "" },
  ])("forget with Escape that the host refused what was typed: $name", async ({ name, section, value, before }) => {
    const { user, host } = openApp(`/settings?section=${section}`);
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
  it("say where data and programs are, and when the last backup was made", async () => {
    const { user } = openApp("/settings?section=data");
    await screen.findByText("/home/ana/.local/share/mooring");
    screen.getByText("Last backup");
    await user.click(screen.getByRole("link", { name: "Programs" }));
    await screen.findByText("/bin/zsh -ilc");
  });
  it("show the licences of what Mooring is made of, where they came along", async () => {
    const { user } = openApp("/settings?section=about");
    await user.click(await screen.findByRole("button", { name: "Show" }));
    expect((await dialogWithKeyboard("Third-party licences")).textContent).toContain("adler2 2.0.1");
    cleanup();
    openApp("/settings?section=about", "empty");
    await screen.findByText("Only in installed versions");
  });
});

/** The headings of the visible sections. */
const shown = () =>
  within(screen.getByRole("main"))
    .queryAllByRole("heading", { level: 2 })
    .map((heading) => heading.textContent);
const names = () => [...document.querySelectorAll("[data-setting]")].map((element) => element.getAttribute("data-setting"));

describe("the sections of the settings", () => {
  it("are listed, and the address says which one is shown", async () => {
    const { user, router } = openApp("/settings");
    const list = within(await screen.findByRole("navigation", { name: "Sections" }));
    await waitFor(() => expect(shown()).toEqual(["Appearance"]));
    expect(list.getByRole("link", { current: "page" }).textContent).toBe("Appearance");
    await user.click(list.getByRole("link", { name: "Limits" }));
    await waitFor(() => expect(shown()).toEqual(["Limits"]));
    expect(router.state.location.search).toEqual({ section: "limits" });
    await user.keyboard("{Escape}k");
    await waitFor(() => expect(shown()).toEqual(["Folders for all servers"]));
    await user.keyboard("jjj");
    await waitFor(() => expect(shown()).toEqual(["Activity"]));
    expect(list.getByRole("link", { current: "page" }).textContent).toBe("Activity");
  });
  it("each show every setting that is listed of it, and no other", async () => {
    const { router } = openApp("/settings");
    await screen.findByRole("radio", { name: "Dark" });
    for (const section of sections) {
      await act(() => router.navigate({ to: "/settings", search: { section: section.id } }));
      await waitFor(() => expect(names()).toEqual(section.settings.map(({ id }) => id)));
    }
  });
  it("bring up the setting that a link leads to, with the focus on it", async () => {
    const { router } = openApp("/settings?setting=requestIdleSeconds");
    const field = await screen.findByRole("textbox", { name: "Idle timeout" });
    await waitFor(() => expect(document.activeElement).toBe(field));
    expect(field.closest("[data-setting]")?.className).toContain("bg-selected");
    await act(() => router.navigate({ to: "/settings", search: { setting: "theme" } }));
    await waitFor(() => expect(document.activeElement?.getAttribute("role")).toBe("radio"));
    await act(() => router.navigate({ to: "/settings", search: { setting: "notify_url" } }));
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("switch", { name: "Links to open" })));
  });
});

describe("the search of the settings", () => {
  it("is reached with / and finds labels, hints and choices in all sections", async () => {
    const { user } = openApp("/settings");
    await screen.findByRole("radio", { name: "Dark" });
    await user.keyboard("/");
    const box = screen.getByRole("searchbox", { name: "Search settings" });
    expect(document.activeElement).toBe(box);
    await user.keyboard("timeout");
    await waitFor(() => expect(names()).toEqual(["startTimeoutSeconds", "requestIdleSeconds", "requestTotalSeconds"]));
    screen.getByText("3 settings found");
    await user.clear(box);
    await user.keyboard("download");
    await waitFor(() => expect(names()).toEqual(["startTimeoutSeconds"]));
    await user.clear(box);
    await user.keyboard("compact");
    await waitFor(() => expect(names()).toEqual(["density"]));
    expect(shown()).toEqual(["Appearance"]);
    await user.keyboard("{Escape}");
    await waitFor(() => expect(names()).toEqual(["theme", "density", "zoom", "language"]));
  });
  it("finds in the language of the window", async () => {
    const { user, host } = openApp("/settings");
    await host.set_settings({ settings: { ...(await host.get_settings()), language: "zh-CN" } });
    await user.type(await screen.findByRole("searchbox", { name: "搜索设置" }), "勿扰");
    await waitFor(() => expect(names()).toEqual(["doNotDisturb"]));
  });
  it("says that nothing was found, and is cleared", async () => {
    const { user } = openApp("/settings");
    await user.type(await screen.findByRole("searchbox", { name: "Search settings" }), "no such thing");
    await screen.findByText("No matching settings");
    await user.click(screen.getByRole("button", { name: "Clear search" }));
    await screen.findByRole("radio", { name: "Dark" });
  });
  it("is over once somebody goes to a section or a setting", async () => {
    const { user, router } = openApp("/settings");
    const box = await screen.findByRole<HTMLInputElement>("searchbox", { name: "Search settings" });
    await user.type(box, "zoom");
    await waitFor(() => expect(names()).toEqual(["zoom"]));
    await act(() => router.navigate({ to: "/settings", search: { setting: "density" } }));
    await waitFor(() => expect(names()).toEqual(["theme", "density", "zoom", "language"]));
    expect(box.value).toBe("");
  });
});

describe("a setting", () => {
  it("says where it stands that it was saved, and is undone there", async () => {
    const { user, host } = openApp("/settings?section=appearance");
    await user.click(await screen.findByRole("radio", { name: "Compact" }));
    await waitFor(() => expect(document.documentElement.dataset["density"]).toBe("compact"));
    await user.click(await screen.findByRole("button", { name: "Undo change of Density" }));
    await waitFor(async () => expect((await host.get_settings()).density).toBe("comfortable"));
    await waitFor(() => expect(screen.queryByRole("button", { name: /^Undo/ })).toBeNull());
    expect(document.documentElement.dataset["density"]).toBe("comfortable");
    expect(document.activeElement?.getAttribute("role")).toBe("radio");
  });
  it("that could not be saved says so where it stands, and is what it was", async () => {
    const { user, host } = openApp("/settings?section=notifications");
    host.set_settings = () => Promise.reject({ code: "database", message: said("the disk is full"), details: null });
    const links = await screen.findByRole("switch", { name: "Links to open" });
    await user.click(links);
    const alert = await screen.findByRole("alert");
    expect([alert.textContent, alert.closest("[data-setting]")?.getAttribute("data-setting")]).toEqual(["The disk is full.", "notify_url"]);
    expect(links.getAttribute("aria-checked")).toBe("true");
  });
  it("of a kind of question turns its notification off and on", async () => {
    const { user, host } = openApp("/settings?section=notifications");
    await user.click(await screen.findByRole("switch", { name: "Links to open" }));
    await waitFor(async () => expect((await host.get_settings()).mutedKinds).toEqual(["url"]));
    await user.click(screen.getByRole("switch", { name: "Access to folders" }));
    await waitFor(async () => expect((await host.get_settings()).mutedKinds).toEqual(["url", "roots"]));
    await user.click(screen.getByRole("switch", { name: "Links to open" }));
    await waitFor(async () => expect((await host.get_settings()).mutedKinds).toEqual(["roots"]));
  });
  it("for silence lasts as long as was chosen, and the status bar says so", async () => {
    const { user, host } = openApp("/settings?section=notifications");
    const status = await screen.findByRole("contentinfo", { name: "Status" });
    const choose = async (name: string) => {
      await user.click(await screen.findByRole("combobox", { name: "Do not disturb" }));
      await user.click(await screen.findByRole("option", { name }));
    };
    await choose("For 1 hour");
    await waitFor(() => expect(screen.getByRole("combobox", { name: "Do not disturb" }).textContent).toMatch(/^Until /));
    await within(status).findByText("Do not disturb");
    await choose("Always");
    await waitFor(async () => expect((await host.get_settings()).doNotDisturb).toBe("always"));
    await choose("Off");
    await waitFor(() => expect(within(status).queryByText("Do not disturb")).toBeNull());
  });
});

describe("silence", () => {
  it("until tomorrow ends in the morning", () => {
    const late = new Date(2025, 10, 30, 23, 40).getTime();
    expect(quietUntil("tomorrow", late)).toEqual({ until: new Date(2025, 11, 1, 8).getTime() });
    expect(quietUntil("hour", late)).toEqual({ until: late + 3_600_000 });
    expect(["off", { until: 10 }, { until: 11 }, "always"].map((value) => isQuiet(value as DoNotDisturb, 10))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });
});

describe("the zoom", () => {
  it("goes in steps and ends at both ends", () => {
    expect([zoomStep(100, 1), zoomStep(100, -1), zoomStep(150, 1), zoomStep(200, 1), zoomStep(80, -1), zoomStep(130, 0)]).toEqual([
      110, 90, 175, 200, 80, 100,
    ]);
  });
  it("is changed by keys anywhere, also where somebody types, and undone", async () => {
    const { user, host } = openApp("/settings");
    (await screen.findByRole("searchbox", { name: "Search settings" })).focus();
    await user.keyboard("{Control>}={/Control}");
    await screen.findByText("Zoom: 110%");
    await user.keyboard("{Control>}+{/Control}");
    await screen.findByText("Zoom: 120%");
    expect(screen.queryByText("Zoom: 110%")).toBeNull();
    expect((await host.get_settings()).zoomPercent).toBe(120);
    (await screen.findByRole("button", { name: "Undo" })).focus();
    await user.keyboard("{Enter}");
    await waitFor(async () => expect((await host.get_settings()).zoomPercent).toBe(110));
    await user.keyboard("{Control>}-{/Control}{Control>}-{/Control}");
    await waitFor(async () => expect((await host.get_settings()).zoomPercent).toBe(90));
    await user.keyboard("{Control>}0{/Control}");
    await waitFor(async () => expect((await host.get_settings()).zoomPercent).toBe(100));
  });
});
