import { describe, expect, it } from "vitest";
import { differences } from "./differences";

describe("what differs between an app's message and a server's", () => {
  it("names what Mooring rewrites, and nothing else", () => {
    const sent = { id: "c-1", params: { name: "s__t", arguments: { a: [1, 2] }, _meta: { progressToken: "x" } } };
    const got = { id: 7, params: { name: "t", arguments: { a: [1, 2] }, _meta: { progressToken: 7, "io.m": {} } } };
    expect(differences(JSON.stringify(sent), JSON.stringify(got))).toEqual([
      { path: "id", before: '"c-1"', after: "7" },
      { path: "params.name", before: '"s__t"', after: '"t"' },
      { path: "params._meta.progressToken", before: '"x"', after: "7" },
      { path: "params._meta.io.m", before: null, after: "{}" },
    ]);
    expect(differences('{"a":1,"b":2}', '{"b":2,"a":1}')).toEqual([]);
  });

  it("compares nothing that is no JSON", () => {
    expect(differences("no", "{}")).toBeNull();
  });
});
