// The behaviour of a server's fields while typing.
import "@/features/servers/servers-screen";
import { openApp } from "@dev/render";
import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";

describe("a folded part", () => {
  it("stays open, with the focus, while its last entry is emptied", async () => {
    const { user } = openApp("/servers?add=url");
    await screen.findByRole("textbox", { name: "URL" });
    await user.click(screen.getByText("Advanced"));
    const timeout = screen.getByRole("textbox", { name: /^Idle timeout/ });
    await user.type(timeout, "5");
    await user.clear(timeout);
    expect([timeout.closest("details")?.open, document.activeElement === timeout]).toEqual([true, true]);
  });
});

describe("a command with a path that is not given in full", () => {
  it("is warned about until a working folder is set", async () => {
    const { user } = openApp("/servers?add=command");
    await user.type(await screen.findByRole("textbox", { name: "Command" }), "node ./build/index.js");
    const warning = /^“\.\/build\/index\.js” won’t be found/;
    await screen.findByText(warning);
    await user.click(screen.getByText("Advanced"));
    await user.type(screen.getByRole("textbox", { name: /^Working folder/ }), "/srv");
    await waitFor(() => expect(screen.queryByText(warning)).toBeNull());
  });
});

describe("an address", () => {
  it("that is none is answered with our sentence, not the browser's", async () => {
    const { user } = openApp("/servers?add=url");
    const address = await screen.findByRole<HTMLInputElement>("textbox", { name: "URL" });
    await user.type(address, "nonsense{Enter}");
    await screen.findByText("Enter a full URL, such as https://example.com/mcp");
    expect(address.validity.valid).toBe(true);
    // Only one mistake, because there is nothing to suggest a name from.
    expect(screen.queryByText("Required")).toBeNull();
  });
  it("without its scheme is completed where the person leaves it", async () => {
    const { user } = openApp("/servers?add=url");
    const address = await screen.findByRole<HTMLInputElement>("textbox", { name: "URL" });
    await user.type(address, "localhost:7931/mcp");
    await user.tab();
    expect(address.value).toBe("http://localhost:7931/mcp");
    expect(screen.queryByText("Enter a full URL, such as https://example.com/mcp")).toBeNull();
  });
});

describe("rows of names and values", () => {
  it("keep the focus where the next word belongs when one is added or removed", async () => {
    const { user } = openApp("/servers?add=url");
    await screen.findByRole("textbox", { name: "URL" });
    await user.click(screen.getByText("Headers"));
    const add = screen.getByRole("button", { name: "Add header" });
    for (const name of ["X-A", "X-B"]) {
      await user.click(add);
      await waitFor(() => expect(document.activeElement).toBe(screen.getAllByRole("textbox", { name: "Header" }).at(-1)));
      await user.keyboard(name);
    }
    await user.click(screen.getByRole("button", { name: "Remove “X-A”" }));
    await waitFor(() => expect(document.activeElement).toHaveProperty("value", "X-B"));
    await user.click(screen.getByRole("button", { name: "Remove “X-B”" }));
    await waitFor(() => expect(document.activeElement).toBe(add));
  });
});
