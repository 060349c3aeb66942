import "./workbench-screen";
import { openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { expect, it, vi } from "vitest";

it("Run looks dangerous where the server says that the tool may delete data", async () => {
  openApp("/workbench?server=3&tool=drop_table");
  await screen.findByRole("heading", { name: "drop_table" });
  expect(screen.getByRole("button", { name: /^Run/ }).className).toContain("bg-bad");
});

it("a tool has one Run, and nothing is sent with gaps", async () => {
  const { user, host } = openApp("/workbench?server=10&tool=echo", "offers");
  const call = vi.spyOn(host, "call_tool");
  await screen.findByRole("heading", { name: "echo" });
  await user.click(screen.getByRole("button", { name: /^Run/ }));
  await screen.findByRole("button", { name: "Run anyway" });
  expect(screen.getByRole("textbox", { name: "text" }).getAttribute("aria-invalid")).toBe("true");
  expect(call).not.toHaveBeenCalled();
  await user.type(screen.getByRole("textbox", { name: "text" }), "Ahoy");
  await user.click(screen.getByRole("button", { name: /^Run(?! anyway)/ }));
  await within(await screen.findByRole("tabpanel", { name: "Result" })).findByText("Ahoy");
});

it("Get prompt with gaps says how many and sends nothing", async () => {
  const { user, host } = openApp("/workbench?server=10&prompt=passage_plan", "offers");
  const get = vi.spyOn(host, "get_prompt");
  await user.click(await screen.findByRole("button", { name: /^Get prompt/ }));
  await screen.findByText("2 values are missing");
  expect(get).not.toHaveBeenCalled();
});

it("Ctrl Enter that is held runs a quick tool once", async () => {
  const { user, host } = openApp("/workbench?server=3&tool=list_tables");
  const call = vi
    .spyOn(host, "call_tool")
    .mockResolvedValue({ status: "ok", result: '{"content":[]}', error: null, diagnostics: [], elapsedMs: 1, bytes: 14 });
  await screen.findByRole("heading", { name: "list_tables" });
  await user.keyboard("{Control>}{Enter>5/}{/Control}");
  await waitFor(() => expect(call).toHaveBeenCalled());
  expect(call).toHaveBeenCalledTimes(1);
});
