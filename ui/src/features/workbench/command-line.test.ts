import { expect, it } from "vitest";
import { commandLine } from "./command-line";
import type { Kind } from "./target";

it.each([
  ["demo", "tool", "echo", "{}", null, "mooring call echo --server demo"],
  ["my server", "tool", "add", '{"a":1}', null, `mooring call add '{"a":1}' --server 'my server'`],
  [
    "a'b",
    "tool",
    "x; rm -rf ~",
    `{"t":"it's $HOME \`id\`"}`,
    null,
    String.raw`mooring call 'x; rm -rf ~' '{"t":"it'\''s $HOME ${"`id`"}"}' --server 'a'\''b'`,
  ],
  ["-s", "tool", "-x", "{}", null, "mooring call --server='-s' -- '-x'"],
  ["", "tool", "", "{}", null, "mooring call '' --server ''"],
  ["demo", "resource", "demo://guide", "{}", "demo://guide", "mooring read demo://guide --server demo"],
  ["demo", "template", "demo://{city}", '{"city":"A B"}', "demo://A%20B?x=1&y", "mooring read 'demo://A%20B?x=1&y' --server demo"],
  ["demo", "prompt", "plan", '{"to":"青岛"}', null, `mooring prompt plan '{"to":"青岛"}' --server demo`],
] as [string, Kind, string, string, string | null, string][])("of %s: %s %s with %s at %s is %s", (server, kind, name, args, uri, line) => {
  expect(commandLine(server, { kind, name }, args, uri)).toBe(line);
});
