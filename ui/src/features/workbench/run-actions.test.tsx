import "./workbench-screen";
import { openApp } from "@dev/render";
import { screen, waitFor } from "@testing-library/react";
import { expect, it, vi } from "vitest";

it("Run looks dangerous where the server says that the tool may delete data", async () => {
  openApp("/workbench?server=3&tool=drop_table");
  await screen.findByRole("heading", { name: "drop_table" });
  expect(screen.getByRole("button", { name: /^Run/ }).className).toContain("bg-bad");
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
