import { describe, expect, it } from "vitest";
import { Document } from "./document";
import { at, stringMember, type Path } from "./json";
import { parseJson } from "./parse";

/** The title of the reference's target, or why it leads nowhere. */
function leads(schema: unknown, path: Path): string | undefined {
  const parsed = parseJson(JSON.stringify(schema));
  const place = parsed.ok ? at(parsed.node, path) : undefined;
  if (!parsed.ok || place === undefined) throw new Error("no such place");
  const found = new Document(parsed.node).reference(place);
  return found?.kind === "found" ? stringMember(found.node, "title") : found?.reason;
}
const from = (schema: object, $ref: string) => leads({ ...schema, properties: { x: { $ref } } }, ["properties", "x"]);

describe("a reference to a part with an identifier of its own", () => {
  const schema = {
    $id: "https://example.com/tools/search.json",
    title: "the whole",
    $defs: {
      address: { $id: "address.json", title: "an address", $defs: { city: { title: "its city" } } },
      point: { $id: "/geo/point", title: "a point", properties: { axis: { $anchor: "axis", title: "its axis" } } },
      old: { id: "urn:jsonschema:org:acme:Old", title: "an old one" },
      named: { $id: "#named", title: "a name of before 2019" },
      local: { $anchor: "local", title: "an anchor" },
    },
  };
  it.each([
    ["address.json", "an address"],
    ["./address.json", "an address"],
    ["/tools/address.json", "an address"],
    ["https://example.com/tools/address.json", "an address"],
    ["address.json#", "an address"],
    ["address.json#/$defs/city", "its city"],
    ["/geo/point", "a point"],
    ["../geo/point", "a point"],
    ["/geo/point#axis", "its axis"],
    ["#axis", "its axis"],
    ["urn:jsonschema:org:acme:Old", "an old one"],
    ["#named", "a name of before 2019"],
    ["#local", "an anchor"],
    ["search.json#local", "an anchor"],
    ["https://example.com/tools/search.json", "the whole"],
    ["#", "the whole"],
    ["address.json#/$defs/street", "missingRef"],
    ["https://example.org/tools/address.json", "remoteRef"],
    ["other.json", "remoteRef"],
  ])("%s: %s", (reference, expected) => {
    expect(from(schema, reference)).toBe(expected);
  });

  it("is read from there where it stands within such a part, and else from the whole", () => {
    const nested = {
      $id: "https://example.com/a/root.json",
      title: "the whole",
      $defs: {
        shared: { title: "of the whole" },
        inner: {
          $id: "inner/",
          title: "the part",
          $defs: { own: { title: "of the part" } },
          properties: {
            a: { $ref: "#/$defs/own" },
            b: { $ref: "#/$defs/shared" },
            c: { $ref: "deep.json" },
            d: { $ref: "../root.json" },
            e: { $ref: "#" },
          },
        },
        deep: { $id: "https://example.com/a/inner/deep.json", title: "beside the part" },
      },
    };
    const of = (name: string) => leads(nested, ["$defs", "inner", "properties", name]);
    expect(["a", "b", "c", "d", "e"].map(of)).toEqual(["of the part", "of the whole", "beside the part", "the whole", "the part"]);
  });

  it("is found without an identifier of the whole", () => {
    expect(from({ $defs: { a: { $id: "color", title: "a colour" } } }, "color")).toBe("a colour");
    expect(from({ $defs: { a: { $id: "color", title: "a colour" } } }, "colour")).toBe("remoteRef");
  });

  it("is compared as it is written where it is very long", () => {
    const long = `urn:${"x".repeat(3_000)}`;
    expect(from({ $defs: { a: { $id: long, title: "long" } } }, long)).toBe("long");
  });

  it("costs little, however many and long they are", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 4_000 }, (_, index) => [`d${index}`, { $id: `p${index}`, $anchor: `a${index}`, title: "x" }]),
    );
    const begun = performance.now();
    expect(from({ $id: `https://example.com/${"x".repeat(1_900)}/`, $defs }, "p3999")).toBe("x");
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});
