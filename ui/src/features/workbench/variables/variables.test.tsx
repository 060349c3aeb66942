import "../workbench-screen";
import { dialogWithKeyboard, openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { forgetDrafts } from "../args/drafts";
import { forgetTexts } from "../args/texts";
import { forgetRuns } from "../runs";
import { forgetSelection } from "../selection";
import { escapeArguments, fillArguments, forgetVariables, removeVariable, setVariable } from "./variables";

vi.setConfig({ testTimeout: 60_000 });

beforeEach(() => {
  forgetDrafts();
  forgetTexts();
  forgetRuns();
  forgetSelection();
  forgetVariables();
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(4_000);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(400);
});

describe("variables", () => {
  it("stand in texts alone, and what is none stays", () => {
    setVariable("city", 'Kiel "Nord"');
    expect(fillArguments('{"{{city}}":["{{ city }}!",12345678901234567890],"b":"{{no}}"}')).toBe(
      '{"{{city}}":["Kiel \\"Nord\\"!",12345678901234567890],"b":"{{no}}"}',
    );
    expect(fillArguments("{broken {{city}}")).toBe("{broken {{city}}");
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
    // What was sent is sent so again after an edit.
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
    dialog.getByText("Looks like a secret. Variables aren’t encrypted.");
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

  it("take no secrets", async () => {
    const { user } = openApp("/workbench?server=10&tool=echo", "offers");
    await user.click(await screen.findByRole("button", { name: "Variables" }));
    const dialog = within(await dialogWithKeyboard("Variables"));
    await user.type(dialog.getByRole("textbox", { name: "Name" }), "api_key");
    await dialog.findByText("Looks like a secret. Variables aren’t encrypted.");
    expect(dialog.getByRole("button", { name: "Add" })).toHaveProperty("disabled", true);
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
