import { describe, expect, it } from "vitest";
import { jsonArray, jsonString, stringify } from "./json";
import { mended } from "./spelling";

describe("a type by another name", () => {
  it.each([
    ["java.lang.String", '"string"', null],
    ["STRING", '"string"', null],
    ["Int64", '"integer"', null],
    ["Dict[str, int]", '"object"', null],
    ["string[]", '"array"', '{"type":"string"}'],
    ["[]string", '"array"', '{"type":"string"}'],
    ["Vec<String>", '"array"', '{"type":"String"}'],
    ["tuple[int, int]", '"array"', null],
    ["Optional[List[int]]", '["array","null"]', '{"type":"int"}'],
    ["Union[int, str, None]", '["integer","string","null"]', null],
    ["int?", '["integer","null"]', null],
    ["NoneType", '"null"', null],
    ["any", null, null],
  ])("%s is %s", (name, type, items) => {
    const read = mended(jsonString(name));
    expect([read?.type && stringify(read.type), read?.items && stringify(read.items), read?.written]).toEqual([
      type ?? undefined,
      items ?? undefined,
      name,
    ]);
  });
  it("is left as it is where nobody knows what it means", () => {
    for (const name of ["money", "", "list[money]", "Foo<Bar>", "int|", "[", "<>", "[]".repeat(100), "string"])
      expect([name, mended(jsonString(name))]).toEqual([name, null]);
    expect(mended(jsonArray([jsonString("string"), jsonString("null")]))).toBeNull();
  });
});
