import "./workbench-screen";
import { openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { expect, it, vi } from "vitest";

it("Run looks dangerous where the server says that the tool may delete data", async () => {
  openApp("/workbench?server=3&tool=drop_table");
  await screen.findByRole("heading", { name: "drop_table" });
  expect(screen.getByRole("button", { name: /^Run/ }).className).toContain("bg-bad");
});

it("Run below the form runs what is filled in", async () => {
  const { user } = openApp("/workbench?server=10&tool=echo", "offers");
  await user.type(await screen.findByRole("textbox", { name: "text" }), "Ahoy{Tab}");
  const below = screen.getByRole("button", { name: "“echo”: Run" });
  expect(screen.getByRole("button", { name: /^Run/ })).not.toBe(below);
  await user.click(below);
  await within(await screen.findByRole("tabpanel", { name: "Result" })).findByText("Ahoy");
});

it("Get prompt below the form asks for what is missing", async () => {
  const { user } = openApp("/workbench?server=10&prompt=passage_plan", "offers");
  await user.click(await screen.findByRole("button", { name: "“passage_plan”: Get prompt" }));
  await screen.findByText("2 values are missing");
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
