import "@/features/servers/servers-screen";
import { strangersFile } from "@dev/mock/profiles";
import { openApp } from "@dev/render";
import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { showOverlay } from "@/lib/overlays";

const dialog = () => screen.findByRole("dialog");
const switcher = (name: string) => screen.findByRole("button", { name: `Profile in use: ${name}` });

/** The list of the profiles. */
async function openProfiles(scene: "profiles" | "usual" = "profiles") {
  const app = openApp("/servers", scene);
  await screen.findByRole("contentinfo", { name: "Status" });
  act(() => showOverlay("profiles"));
  return { ...app, shown: within(await dialog()) };
}

describe("profiles", () => {
  it("are switched in the status bar, with an undo", async () => {
    const { user, host } = openApp("/servers", "profiles");
    await user.click(await switcher("Work"));
    await user.click(await screen.findByRole("menuitemcheckbox", { name: "Home" }));
    await user.keyboard("{Escape}");
    await switcher("Home");
    await user.click(await screen.findByRole("button", { name: /Undo/ }));
    await switcher("Work");
    expect(host.profiles.list.find(({ isActive }) => isActive)?.name).toBe("Work");
  });

  it("say what is missing, and are deleted with an undo", async () => {
    const { user, shown, host } = await openProfiles();
    expect(await shown.findByText("Missing: photo-archive")).toBeTruthy();
    await user.click(shown.getByRole("button", { name: "More about “Work”" }));
    await user.click(await screen.findByRole("menuitem", { name: "Delete" }));
    await waitFor(() => expect(shown.queryByText("Work")).toBeNull());
    await screen.findByRole("button", { name: /Undo/ });
    await user.keyboard("{Control>}z{/Control}");
    await waitFor(() => expect(host.profiles.list).toHaveLength(2));
    expect(host.profiles.list.find(({ isActive }) => isActive)?.name).toBe("Work");
  });

  it("begin with an empty list, and a name that is taken is refused", async () => {
    const { user, shown, host } = await openProfiles("usual");
    expect(shown.getByText("No profiles yet")).toBeTruthy();
    const create = async (name: string) => {
      await user.click(shown.getByRole("button", { name: "New profile" }));
      await user.type(shown.getByLabelText("Name"), name);
      await user.click(shown.getAllByRole("checkbox")[0]!);
      await user.click(shown.getByRole("button", { name: "Save" }));
    };
    await create("Client");
    await shown.findByText("1 server");
    expect(host.profiles.list[0]?.servers).toHaveLength(1);
    await create("client");
    expect((await shown.findByRole("alert")).textContent).toContain("Another profile is already called: client");
  });

  it("of a stranger are saved after a review", async () => {
    const { user, shown, host } = await openProfiles();
    await user.click(shown.getByRole("button", { name: "Import…" }));
    await user.click(shown.getByLabelText("Content of the file"));
    await user.paste(JSON.stringify(strangersFile));
    await user.click(shown.getByRole("button", { name: "Review" }));
    expect(await shown.findByText("missing here")).toBeTruthy();
    expect(shown.getByText(/^left out, because it runs/)).toBeTruthy();
    expect(shown.getByText("not shared here")).toBeTruthy();
    expect(host.profiles.list).toHaveLength(2);
    await user.click(shown.getByRole("button", { name: "Save profile" }));
    await waitFor(() => expect(host.profiles.list).toHaveLength(3));
    expect(host.profiles.list.find(({ isActive }) => isActive)?.name).toBe("Work");
    // Without a tick, neither the other program nor the project folder counts.
    const saved = host.profiles.list.find(({ name }) => name === "Client");
    expect(saved).toMatchObject({ servers: [2], project: null });
    expect(saved?.missing.map(({ name }) => name)).toEqual(["browser", "photo-archive"]);
  });

  it("are edited: servers, what one app doesn't see, folders and the project folder", async () => {
    const { user, shown, host } = await openProfiles();
    await user.click(shown.getByRole("button", { name: "More about “Home”" }));
    await user.click(await screen.findByRole("menuitem", { name: "Edit…" }));
    await user.click(await shown.findByRole("checkbox", { name: "photo-archive (missing)" }));
    const choose = async (list: string, option: string) => {
      await user.click(shown.getByRole("combobox", { name: list }));
      await user.click(await screen.findByRole("option", { name: option }));
    };
    await choose("Tool", "merge_pull_request");
    await choose("App", "Claude Code");
    await user.click(shown.getByRole("button", { name: "Hide" }));
    expect(await shown.findByText("“merge_pull_request” of “github”, from Claude Code")).toBeTruthy();
    await user.click(shown.getByRole("checkbox", { name: "/home/ana/notes" }));
    await user.click(shown.getByRole("button", { name: "Choose…" }));
    await waitFor(() => expect(shown.getByLabelText<HTMLInputElement>("Project folder").value).toBe("/home/ana/projects/lamps"));
    await user.click(shown.getByRole("button", { name: "Save" }));
    await shown.findByText(/1 hidden item · 1 folder/);
    expect(host.profiles.list.find(({ name }) => name === "Home")).toMatchObject({
      servers: [2],
      missing: [],
      hidden: [{ app: "claude-code", server: 2, tool: "merge_pull_request" }],
      folders: ["/home/ana/notes"],
      project: "/home/ana/projects/lamps",
    });
  });

  it("are switched in the palette", async () => {
    const { user, host } = openApp("/servers", "profiles");
    await switcher("Work");
    await user.keyboard("{Control>}k{/Control}");
    await waitFor(() => expect(document.activeElement?.getAttribute("role")).toBe("combobox"));
    await user.keyboard("use profile home");
    await waitFor(() => expect(screen.getByRole("option", { selected: true }).textContent).toMatch(/^Use profile: Home/));
    await user.keyboard("{Enter}");
    await switcher("Home");
    expect(host.profiles.list.find(({ isActive }) => isActive)?.name).toBe("Home");
  });
});
