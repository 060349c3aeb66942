import { expect, it } from "vitest";
import { harbour } from "@dev/mock/recorded";
import { capabilityRows } from "./capability-rows";

it("takes capabilities apart and keeps names that nobody knows", () => {
  expect(capabilityRows(harbour.server.capabilities ?? "")?.map(({ name, details, names }) => [name, ...details, ...names])).toEqual([
    ["tools", "listChanges"],
    ["resources", "follow", "listChanges"],
    ["prompts"],
    ["completions"],
    ["logging"],
    ["tasks", "toolCalls", "list", "cancel"],
    ["extensions", "io.modelcontextprotocol/ui", "com.acme/harbour", "io.modelcontextprotocol/skills"],
    ["experimental", "acme.tides"],
    ["others", "future"],
  ]);
});
it("is lenient where a server is loose, and says so where there is nothing to read", () => {
  expect(
    capabilityRows('{"tools":true,"prompts":false,"resources":null,"tasks":[],"__proto__":{},"extensions":[]}')?.map((row) => [
      row.name,
      ...row.names,
    ]),
  ).toEqual([["tools"], ["tasks"], ["others", "__proto__"]]);
  expect(capabilityRows("{}")).toEqual([]);
  for (const text of ["", "[]", "7", "null", "{"]) expect(capabilityRows(text)).toBeNull();
});
