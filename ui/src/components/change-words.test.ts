import { describe, expect, it } from "vitest";
import type { PinChange } from "@/ipc/bindings/PinChange";
import type { PinKind } from "@/ipc/bindings/PinKind";
import type { PinView } from "@/ipc/bindings/PinView";
import { type ChangeLine, changeLines, memberName } from "./change-words";

/** A change of a member from `before` to `after`. Null means absent. */
function change(pointer: string, before: string | null, after: string | null): PinChange {
  const pieces: PinChange["pieces"] = [];
  if (before !== null) pieces.push({ op: "removed", text: before });
  if (after !== null) pieces.push({ op: "added", text: after });
  return { pointer, pieces, orderOnly: false };
}

function pin(now: unknown, changes: PinChange[], part: Partial<PinView> = {}): PinView {
  return {
    kind: "tool",
    name: "it",
    state: "changed",
    hash: "",
    approvedAt: 1,
    changes,
    unshown: 0,
    now: typeof now === "string" ? now : JSON.stringify(now),
    whole: null,
    hidden: [],
    forApps: null,
    ...part,
  };
}

const said = ({ name, pointer, meaning, riskier }: ChangeLine) => {
  const what =
    name === null
      ? pointer
      : [name.subject && `${name.subject.kind} ${name.subject.name}`, name.part, name.count].filter(Boolean).join(" ");
  const how =
    meaning === null
      ? ""
      : meaning.kind === "turned"
        ? `: ${meaning.from} → ${meaning.to}`
        : `: ${meaning.kind}${"required" in meaning && meaning.required ? ", required" : ""}`;
  return `${riskier ? "! " : ""}${what}${how}`;
};
const words = (now: unknown, changes: PinChange[], part?: Partial<PinView>) => changeLines(pin(now, changes, part)).map(said);

describe("the name of a member", () => {
  it.each<[PinKind, string, string]>([
    ["tool", "/title", "title"],
    ["tool", "/description", "description"],
    ["tool", "/annotations/readOnlyHint", "readOnly"],
    ["tool", "/annotations/x/y", "annotations"],
    ["tool", "/inputSchema/properties/path/description", "argument path description"],
    ["tool", "/inputSchema/properties/a~1b/enum/3", "argument a/b choice"],
    ["tool", "/inputSchema/properties/a/properties/b/type", "argument a"],
    ["tool", "/inputSchema/required/0", "inputs"],
    ["tool", "/inputSchema/additionalProperties", "inputSchema"],
    ["tool", "/outputSchema/properties/sum/type", "result sum type"],
    ["tool", "/icons/0/src", "icons"],
    ["prompt", "/arguments/0/description", "argument city description"],
    ["template", "/uriTemplate", "uriTemplate"],
    ["instructions", "", "instructions"],
    ["server", "/args/1", "commandArgument 2"],
    ["server", "/env/API_KEY", "variable API_KEY"],
    ["server", "/headers/X-Key", "header X-Key"],
  ])("of a %s at %s", (kind, pointer, expected) => {
    const now = { arguments: [{ name: "city" }] };
    expect(said({ pointer, name: memberName(pin(now, [], { kind }), pointer), meaning: null, pieces: [], riskier: false })).toBe(expected);
  });
  it.each<[PinKind, string]>([
    ["tool", "/x-vendor/thing"],
    ["tool", "/description/0"],
    ["tool", "/0/description"],
    ["prompt", "/annotations"],
    ["prompt", "/arguments/7/description"],
    ["server", "/annotations/destructiveHint"],
  ])("is the pointer alone where there is no word for it: of a %s at %s", (kind, pointer) => {
    expect(memberName(pin({}, [], { kind }), pointer)).toEqual(kind === "prompt" && pointer === "/annotations" ? expect.anything() : null);
  });
});

describe("what a tool says of its effects", () => {
  it("is said as yes and no, what became more dangerous first", () => {
    const hints = { destructiveHint: true, idempotentHint: true, openWorldHint: false };
    expect(
      words({ annotations: hints }, [
        change("/description", "a", "b"),
        change("/annotations/destructiveHint", "false", "true"),
        change("/annotations/idempotentHint", "false", "true"),
        change("/annotations/openWorldHint", "true", "false"),
      ]),
    ).toEqual(["! destructive: no → yes", "description", "idempotent: no → yes", "openWorld: yes → no"]);
  });
  it("counts as the protocol’s default where it isn’t said any more", () => {
    expect(
      words({}, [
        change("/annotations/destructiveHint", "false", null),
        change("/annotations/idempotentHint", "true", null),
        change("/annotations/openWorldHint", "false", null),
      ]),
    ).toEqual(["! destructive: no → unsaidYes", "! idempotent: yes → unsaidNo", "! openWorld: no → unsaidYes"]);
    expect(words({ annotations: { destructiveHint: true } }, [change("/annotations/destructiveHint", null, "true")])).toEqual([
      "destructive: unsaidYes → yes",
    ]);
  });
  it("says that it can delete data once it no longer only reads", () => {
    const was = change("/annotations/readOnlyHint", "true", "false");
    expect(words({ annotations: { readOnlyHint: false } }, [was])).toEqual(["! readOnly: yes → no", "! destructive: no → unsaidYes"]);
    expect(words({}, [change("/annotations/readOnlyHint", "true", null)])).toEqual([
      "! readOnly: yes → unsaidNo",
      "! destructive: no → unsaidYes",
    ]);
    expect(words({ annotations: { readOnlyHint: false, destructiveHint: false } }, [was])).toEqual(["! readOnly: yes → no"]);
    expect(
      words({ annotations: { readOnlyHint: false, destructiveHint: true } }, [was, change("/annotations/destructiveHint", null, "true")]),
    ).toEqual(["! readOnly: yes → no", "! destructive: no → yes"]);
  });
  it("keeps its pieces where it is no yes or no, is there twice, or may have been cut away", () => {
    const to = change("/annotations/destructiveHint", "false", "true");
    expect(words({ annotations: { destructiveHint: "true" } }, [to])).toEqual(["destructive"]);
    expect(words('{"annotations":{"destructiveHint":true,"destructiveHint":false}}', [to])).toEqual(["destructive"]);
    expect(words({}, [change("/annotations/destructiveHint", "false", null)], { whole: 90_000 })).toEqual(["destructive"]);
    expect(words({}, [change("/annotations/destructiveHint", "false", "true")], { kind: "prompt" })).toEqual(["annotations"]);
    expect(words([{}, {}], [to])).toEqual(["destructive"]);
  });
});

describe("the arguments of a tool", () => {
  const schema = (properties: object, required?: string[]) => ({ inputSchema: { properties, ...(required && { required }) } });
  const path = "/inputSchema/properties/path";

  it("are new, or gone", () => {
    expect(
      words(schema({ path: { type: "string" }, to: {} }, ["path"]), [
        change(`${path}/type`, null, "string"),
        change("/inputSchema/properties/to", null, "{}"),
        change("/inputSchema/properties/old/type", "string", null),
        change("/inputSchema/required/0", "old", "path"),
      ]),
    ).toEqual([
      "argument path: new, required",
      "argument to: new",
      "argument old: gone",
      "argument path type",
      "argument to",
      "argument old type",
    ]);
  });
  it("are not called new where a part of them was there before, or may have been", () => {
    const now = schema({ path: { type: "string", description: "d" } });
    expect(words(now, [change(`${path}/type`, null, "string")])).toEqual(["argument path type"]);
    expect(words(now, [change(`${path}/type`, "number", "string"), change(`${path}/description`, null, "d")])).toEqual([
      "argument path type",
      "argument path description",
    ]);
  });
  it("become required, and no longer are", () => {
    const now = schema({ a: {}, b: {}, c: {} }, ["a", "c"]);
    expect(words(now, [change("/inputSchema/required/1", "b", "c")])).toEqual([
      "argument c required: no → yes",
      "argument b required: yes → no",
    ]);
    expect(
      words(schema({ a: {} }, []), [change("/inputSchema/required", null, "[]"), change("/inputSchema/required/0", "a", null)]),
    ).toEqual(["argument a required: yes → no"]);
    expect(words(schema({ a: {} }, ["a"]), [change("/inputSchema/required/0", null, "a")])).toEqual(["argument a required: no → yes"]);
  });
  it("keep the pieces where only the order changed, or not all is shown", () => {
    const now = schema({ a: {}, b: {} }, ["b", "a"]);
    const moved = [change("/inputSchema/required/0", "a", "b"), change("/inputSchema/required/1", "b", "a")];
    expect(words(now, moved)).toEqual(["inputs", "inputs"]);
    expect(words(now, [change("/inputSchema/required/1", "c", "a")], { unshown: 1 })).toEqual(["inputs"]);
  });
  it("of a prompt are required by a yes of their own", () => {
    const now = { arguments: [{ name: "city", required: true }] };
    expect(words(now, [change("/arguments/0/required", null, "true")], { kind: "prompt" })).toEqual([
      "argument city required: unsaidNo → yes",
    ]);
    expect(words(now, [change("/arguments/0/name", "town", "city")], { kind: "prompt" })).toEqual(["/arguments/0/name"]);
  });
});
