import { expect, it } from "vitest";
import { templateFields } from "./template-fields";

// Requirements: RES-04.
it.each([
  ["a:{x}/{y}", ["x", "y"], ["x", "y"]],
  ["a:{x}{?from,to}", ["x", "from", "to"], ["x"]],
  ["a:{+path}{&q*}{#part:3}", ["path", "q", "part"], ["path"]],
  ["a:{x,x}", ["x", "x"], ["x"]],
  ["a:b", [], []],
] as [string, string[], string[]][])("%s needs a value for what its address is not whole without", (uriTemplate, variables, needed) => {
  const fields = templateFields({
    uriTemplate,
    name: "",
    title: null,
    description: null,
    mimeType: null,
    annotations: null,
    raw: "{}",
    diagnostics: [],
    variables,
  });
  expect(fields.map((field) => field.name)).toEqual([...new Set(variables)]);
  expect(fields.filter((field) => field.required).map((field) => field.name)).toEqual(needed);
});
