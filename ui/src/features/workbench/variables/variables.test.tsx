import "../workbench-screen";
import { dialogWithKeyboard, openApp } from "@dev/render";
import { freshWorkbench } from "@dev/workbench";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { escapeArguments, fillArguments, forgetVariables, removeVariable, setVariable } from "./variables";

vi.setConfig({ testTimeout: 60_000 });

beforeEach(() => {
  freshWorkbench();
  forgetVariables();
});

describe("variables", () => {
  it("stand in texts alone, and what is none stays", () => {
    const variables = [{ name: "city", value: 'Kiel "Nord"' }];
    expect(fillArguments('{"{{city}}":["{{ city }}!",12345678901234567890],"b":"{{no}}"}', variables)).toBe(
      '{"{{city}}":["Kiel \\"Nord\\"!",12345678901234567890],"b":"{{no}}"}',
    );
    expect(fillArguments("{broken {{city}}", variables)).toBe("{broken {{city}}");
  });

  it.each(["{{city}}", String.raw`\{{city}}`, "{{{city}}}", "{{ {{city}} }}", String.raw`\\{{ city }}`, "{{ no"])(
    "are none in what is sent as it is: %s",
    (text) => {
      const args = JSON.stringify({ text: [text] });
      expect(fillArguments(escapeArguments(args), [])).toBe(args);
      expect(fillArguments(escapeArguments(args), [{ name: "city", value: "Kiel" }])).toBe(args);
    },
  );

  it("that are escaped are shown as they are sent", async () => {
    setVariable("ship", "Ada");
    const { user, host } = openApp("/workbench?server=10&tool=echo", "offers");
    const called = vi.spyOn(host, "call_tool");
    await user.click(await screen.findByRole("textbox", { name: "text" }));
    await user.paste(String.raw`Ahoy \{{ship}}`);
    await within(await screen.findByRole("region", { name: "Will be sent" })).findByText(/Ahoy \{\{ship\}\}/);
    await user.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(called.mock.calls[0]?.[0]).toMatchObject({ arguments: '{"text":"Ahoy {{ship}}"}' }));
    // The sent text is sent unchanged again after an edit.
    await user.click(await screen.findByRole("tab", { name: /^History/ }));
    await user.click((await screen.findAllByRole("button", { name: "Edit arguments" }))[0]!);
    const box = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "text" });
    expect(box.value).toBe(String.raw`Ahoy \{{ship}}`);
  });

  it("are edited whole, and never into a secret", async () => {
    setVariable("note", "sea");
    const { user } = openApp("/workbench?server=10&tool=echo", "offers");
    const saved = () => localStorage.getItem("mooring.workbench.variables");
    await user.click(await screen.findByRole("button", { name: "Variables" }));
    const dialog = within(await dialogWithKeyboard("Variables"));
    const value = dialog.getByRole<HTMLInputElement>("textbox", { name: "Value of “note”" });
    await user.clear(value);
    await user.type(value, "Bearer abc{Enter}");
    expect(value.value).toBe("Bearer abc");
    dialog.getByText("Looks like a secret. Add it as a secret.");
    expect(value.getAttribute("aria-invalid")).toBe("true");
    await user.tab();
    expect(saved()).toBe('[["note","sea"]]');
    await user.clear(value);
    await user.type(value, "lake");
    expect(saved()).toBe('[["note","sea"]]');
    await user.tab();
    expect(saved()).toBe('[["note","lake"]]');
  });

  it("are not replaced by adding another of that name", async () => {
    setVariable("ship", "Ada");
    const { user } = openApp("/workbench?server=10&tool=echo", "offers");
    await user.click(await screen.findByRole("button", { name: "Variables" }));
    const dialog = within(await dialogWithKeyboard("Variables"));
    await user.type(dialog.getByRole("textbox", { name: "Name" }), "ship");
    await dialog.findByText("Another variable has this name");
    await user.type(dialog.getByRole("textbox", { name: "Value" }), "Eva{Enter}");
    expect(localStorage.getItem("mooring.workbench.variables")).toBe('[["ship","Ada"]]');
  });

  it("are remembered, and removed", () => {
    setVariable("city", "Kiel");
    setVariable("city", "Rostock");
    setVariable("ship", "Ada");
    forgetVariables();
    removeVariable("ship");
    expect(localStorage.getItem("mooring.workbench.variables")).toBe('[["city","Rostock"]]');
  });

  it("are added in the list, shown before they are sent, and sent", async () => {
    const { user, host } = openApp("/workbench?server=10&tool=echo", "offers");
    const called = vi.spyOn(host, "call_tool");
    await user.click(await screen.findByRole("textbox", { name: "text" }));
    await user.paste("Ahoy {{ship}} in {{port}}");
    const preview = within(await screen.findByRole("region", { name: "Will be sent" }));
    preview.getByText(/^“ship” and “port” aren’t variables/);
    await user.click(screen.getByRole("button", { name: "Variables" }));
    const dialog = within(await dialogWithKeyboard("Variables"));
    await user.type(dialog.getByRole("textbox", { name: "Name" }), "ship");
    await user.type(dialog.getByRole("textbox", { name: "Value" }), "Ada{Enter}");
    await dialog.findByRole("textbox", { name: "Value of “ship”" });
    await user.click(dialog.getByText("Close", { selector: "button" }));
    await preview.findByText(/Ahoy Ada in/);
    preview.getByText(/^“port” isn’t a variable/);
    await user.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(called).toHaveBeenCalledTimes(1));
    expect(called.mock.calls[0]?.[0]).toMatchObject({ arguments: '{"text":"Ahoy Ada in {{port}}"}' });
    expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: "text" }).value).toBe("Ahoy {{ship}} in {{port}}");
  });

  it("that are secrets are sealed, and never kept in the page", async () => {
    const { user, host } = openApp("/workbench?server=10&tool=echo", "offers");
    await user.click(await screen.findByRole("button", { name: "Variables" }));
    const dialog = within(await dialogWithKeyboard("Variables"));
    await user.type(dialog.getByRole("textbox", { name: "Name" }), "api_key");
    const sealed = await dialog.findByRole("checkbox", { name: "Secret: encrypt it in the vault", checked: true });
    await user.click(sealed);
    await dialog.findByText("Looks like a secret. Add it as a secret.");
    const add = () => dialog.getByRole<HTMLButtonElement>("button", { name: "Add" }).disabled;
    expect(add()).toBe(true);
    await user.click(sealed);
    await user.type(dialog.getByLabelText("Value"), "short");
    await dialog.findByText("Use 6 characters or more");
    expect(add()).toBe(true);
    await user.type(dialog.getByLabelText("Value"), "er than a canary{Enter}");
    await dialog.findByText("Encrypted in the vault");
    expect(host.secretVariables.values).toEqual(new Map([["api_key", "shorter than a canary"]]));
    expect(JSON.stringify(localStorage)).not.toContain("canary");
    expect(document.body.innerHTML).not.toContain("canary");
    // Its value can't be restored, so removing it needs a confirmation.
    await user.click(dialog.getByRole("button", { name: "Remove “api_key”…" }));
    expect(document.activeElement).toBe(dialog.getByRole("button", { name: "Cancel" }));
    await user.keyboard("{Enter}");
    expect(document.activeElement).toBe(dialog.getByRole("button", { name: "Remove “api_key”…" }));
    expect(host.secretVariables.values.size).toBe(1);
    await user.click(dialog.getByRole("button", { name: "Remove “api_key”…" }));
    await user.click(dialog.getByRole("button", { name: "Remove “api_key”" }));
    await waitFor(() => expect(dialog.queryByText("api_key")).toBeNull());
    expect(host.secretVariables.values.size).toBe(0);
  });

  it("that are secrets are put in by the host, at a place of each call alone", async () => {
    setVariable("ship", "Ada");
    const { user, host } = openApp("/workbench?server=10&tool=echo", "offers");
    host.secretVariables.values.set("key", "canary-4711");
    const called = vi.spyOn(host, "call_tool");
    const sent = (call: number) => called.mock.calls[call]?.[0];
    await user.click(await screen.findByRole("textbox", { name: "text" }));
    await user.paste("{{ship}} {{key}} {{other}}");
    await within(await screen.findByRole("region", { name: "Will be sent" })).findByText(/Ada ••• \{\{other\}\}/);
    await user.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(called).toHaveBeenCalledTimes(1));
    const place = sent(0)?.sealed[0]?.place ?? "";
    expect(place).toMatch(/^[0-9a-f]{32}$/);
    expect(sent(0)).toMatchObject({ arguments: `{"text":"Ada ${place} {{other}}"}`, sealed: [{ name: "key", place }] });
    // The sent secret is shown by its name, and the call is repeated with another placeholder.
    const request = within(await screen.findByRole("region", { name: "Request" }));
    await user.click(await screen.findByRole("tab", { name: /^History/ }));
    await user.click((await screen.findAllByRole("button", { name: "Edit arguments" }))[0]!);
    const box = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "text" });
    expect(box.value).toBe(String.raw`Ada {{key}} \{{other}}`);
    expect(request).toBeDefined();
    // A call that still runs is not called again.
    await waitFor(() => expect(screen.queryByRole("button", { name: /^Cancel/ })).toBeNull());
    await user.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(called).toHaveBeenCalledTimes(2));
    const next = sent(1)?.sealed[0]?.place ?? "";
    expect(sent(1)?.arguments).toBe(`{"text":"Ada ${next} {{other}}"}`);
    expect(next).not.toBe(place);
  });

  it("that are secrets stand in no address", async () => {
    const { user, host } = openApp("/workbench?server=10&template=demo%3A%2F%2Fberths%2F%7Bcity%7D%7B%3Ffrom%2Cto%7D", "offers");
    host.secretVariables.values.set("key", "canary-4711");
    const read = vi.spyOn(host, "read_resource");
    await user.click(await screen.findByRole("combobox", { name: "city" }));
    await user.paste("{{key}}");
    await user.keyboard("{Control>}{Enter}{/Control}");
    await screen.findByText("A secret can’t stand in a URL: URLs are shown and logged.");
    expect(read).not.toHaveBeenCalled();
  });

  it("stand in a prompt's values", async () => {
    setVariable("port", "Kiel");
    const { user, host } = openApp("/workbench?server=10&prompt=passage_plan", "offers");
    const get = vi.spyOn(host, "get_prompt");
    for (const name of ["from", "to"]) {
      await user.click(await screen.findByRole("combobox", { name }));
      await user.paste("{{port}}");
    }
    await user.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(get.mock.calls[0]?.[0]).toMatchObject({ arguments: '{"from":"Kiel","to":"Kiel"}' }));
  });
});
