import "@/features/servers/servers-screen";
import { openApp } from "@dev/render";
import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";

describe("what is to be known of a command", () => {
  it("alarms only where there is a reason, and says the rest plainly", async () => {
    const { user } = openApp("/servers?add=command");
    await user.click(await screen.findByRole("textbox", { name: "Command" }));
    await user.paste("npx -y @acme/lamps /home/me/.ssh");
    const list = within(await screen.findByRole("list", { name: "Warnings" }));
    await list.findByText(/^Npx downloads/i);
    const marks = list.getAllByRole("listitem").map((item) => [item.querySelector("svg.text-warn") !== null, item.textContent]);
    expect(marks).toEqual([
      [true, expect.stringContaining("/home/me/.ssh")],
      [false, expect.stringContaining("@acme/lamps")],
      [false, expect.stringContaining("@acme/lamps")],
    ]);
  });
  it("shows in red, and first, what gives power over the computer", async () => {
    const { user } = openApp("/servers?add=command");
    await user.click(await screen.findByRole("textbox", { name: "Command" }));
    await user.paste("docker run --privileged -v /home/me/.ssh:/s x/y:1");
    const list = within(await screen.findByRole("list", { name: "Warnings" }));
    const danger = (await list.findByText(/opens the container/)).closest("li");
    expect(danger?.className).toContain("text-bad");
    expect(list.getAllByRole("listitem")[0]).toBe(danger);
  });
  it("proposes the program that was meant, where it is there", async () => {
    const { user } = openApp("/servers?add=command");
    const line = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Command" });
    await user.click(line);
    await user.paste("KEY=1 uxv some-server");
    await screen.findByText("Did you mean “uvx”?");
    await user.click(screen.getByRole("button", { name: "Use “uvx”" }));
    expect(line.value).toBe("KEY=1 uvx some-server");
    await screen.findByText("found at");
    expect(screen.queryByText(/^Did you mean/)).toBeNull();
    await user.clear(line);
    await user.click(line);
    await user.paste("podmann run x");
    await screen.findByText(/^not found in/);
    expect(screen.queryByText(/^Did you mean/)).toBeNull();
  });
});
