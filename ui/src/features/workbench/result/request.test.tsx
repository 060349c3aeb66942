import "../workbench-screen";
import { openApp } from "@dev/render";
import { freshWorkbench } from "@dev/workbench";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";

vi.setConfig({ testTimeout: 30_000 });

let width = 400;
beforeEach(() => {
  freshWorkbench(() => width);
});

async function ran(wide: number) {
  width = wide;
  const app = openApp("/workbench?server=10&tool=echo", "offers");
  await app.user.type(await screen.findByRole("textbox", { name: "text" }), "Ahoy");
  await app.user.keyboard("{Control>}{Enter}{/Control}");
  const result = within(await screen.findByRole("tabpanel", { name: "Result" }));
  await result.findByText("Done");
  // The form can be edited, and the result shows what was sent.
  await app.user.type(screen.getByRole("textbox", { name: "text" }), " again");
  return { ...app, request: within(await result.findByRole("region", { name: "Request" })) };
}

it("the request of a result unfolds, with its time", async () => {
  const { user, request } = await ran(400);
  const line = request.getByRole("button", { name: /^Request/ });
  expect(line.textContent).toContain('{"text":"Ahoy"}');
  expect(request.queryByText(/^Sent at/)).toBeNull();
  await user.click(line);
  expect(request.getByText(/^Sent at/).textContent).toMatch(/Sent at .+ · .*ms · .+ received/);
});

it("the request stands beside the result where there is room", async () => {
  const { request } = await ran(900);
  request.getByText(/^Sent at/);
  request.getByText(/Ahoy/);
  expect(request.queryByRole("button", { name: /^Request/ })).toBeNull();
});

it("a secret of the request is masked", async () => {
  width = 900;
  const { user } = openApp("/workbench?server=10&prompt=review_log", "offers");
  await user.type(await screen.findByLabelText("api_key"), "s3cret");
  await user.type(screen.getByRole("textbox", { name: "text" }), "x");
  await user.keyboard("{Control>}{Enter}{/Control}");
  const request = await within(await screen.findByRole("tabpanel", { name: "Messages" })).findByRole("region", { name: "Request" });
  await waitFor(() => expect(request.textContent).toContain("•••"));
  expect(request.textContent).not.toContain("s3cret");
});
