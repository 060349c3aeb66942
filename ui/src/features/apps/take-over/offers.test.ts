import { describe, expect, it } from "vitest";
import type { AppView } from "@/ipc/bindings/AppView";
import type { ImportEntry } from "@/ipc/bindings/ImportEntry";
import { appsWithOwn, namesFrom, namesIn, offersOf, ownOf, takenOf } from "./offers";

const app = (id: string, ...servers: { name: string; ours: boolean; here: boolean }[]) =>
  ({ id, title: id, file: `/home/ana/${id}`, servers }) as unknown as AppView;
const entry = (name: string, part: Partial<ImportEntry> & { command?: string } = {}): ImportEntry => {
  const { command = name, ...rest } = part;
  const server = { transport: "stdio", name, command, args: [], env: {}, secrets: [] } as unknown as ImportEntry["server"];
  return {
    name,
    server,
    problem: null,
    line: 1,
    column: 1,
    exists: false,
    off: false,
    alternative: false,
    notes: [],
    incomplete: false,
    sealed: [],
    inputs: [],
    ...rest,
  };
};
const own = (name: string, part = {}) => ({ name, ours: false, here: false, ...part });

describe("what apps have of their own", () => {
  const code = app("code", own("git"), own("files"), own("mooring", { ours: true }), own("demo", { here: true }));
  const pier = app("pier", own("git"));
  it("counts what is neither ours nor in Mooring", () => {
    expect([ownOf(code), ownOf(pier)]).toEqual([2, 1]);
    expect(appsWithOwn([app("none"), pier, code]).map(({ id }) => id)).toEqual(["code", "pier"]);
  });
  it("is one server where several apps have the same", () => {
    const offers = offersOf([
      { app: code, entries: [entry("git"), entry("files")] },
      { app: pier, entries: [entry("git")] },
    ]);
    expect(offers.servers.map(({ entry: { name }, apps }) => [name, apps.map(({ id }) => id)])).toEqual([
      ["git", ["code", "pier"]],
      ["files", ["code"]],
    ]);
    expect(offers.others).toEqual([]);
    const taken = takenOf(offers, new Set(), new Set());
    // It is imported from one of them, and removed from both.
    expect([namesFrom(taken, code), namesFrom(taken, pier)]).toEqual([["git", "files"], []]);
    expect([namesIn(taken, code), namesIn(taken, pier)]).toEqual([["git", "files"], ["git"]]);
  });
  it("leaves another server of the same name in its app", () => {
    const offers = offersOf([
      { app: code, entries: [entry("git")] },
      { app: pier, entries: [entry("git", { command: "other" })] },
    ]);
    expect(offers.others.map(({ apps }) => apps.map(({ id }) => id))).toEqual([["pier"]]);
    expect(namesIn(takenOf(offers, new Set(), new Set()), pier)).toEqual([]);
  });
  it("prefers a server that can be read", () => {
    const offers = offersOf([
      { app: code, entries: [entry("git", { server: null })] },
      { app: pier, entries: [entry("git")] },
    ]);
    expect(takenOf(offers, new Set(), new Set()).map(({ apps }) => apps.map(({ id }) => id))).toEqual([["pier"]]);
    expect(offers.others).toEqual([]);
  });
  it("leaves what is broken, unchecked or in Mooring already", () => {
    const entries = [entry("broken", { server: null }), entry("here", { exists: true }), entry("left"), entry("git")];
    const offers = offersOf([{ app: code, entries }]);
    const names = (done: string[]) => takenOf(offers, new Set(["left"]), new Set(done)).map((one) => one.entry.name);
    expect(names([])).toEqual(["git"]);
    // A server that was just imported is still taken over.
    expect(names(["here"])).toEqual(["here", "git"]);
  });
});
