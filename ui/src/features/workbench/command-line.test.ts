import { expect, it } from "vitest";
import { commandLine } from "./command-line";

it.each([
  ["demo", "echo", "{}", "mooring call echo --server demo"],
  ["my server", "add", '{"a":1}', `mooring call add '{"a":1}' --server 'my server'`],
  ["a'b", "x; rm -rf ~", `{"t":"it's $HOME \`id\`"}`, String.raw`mooring call 'x; rm -rf ~' '{"t":"it'\''s $HOME ${"`id`"}"}' --server 'a'\''b'`],
  ["", "", "{}", "mooring call '' --server ''"],
])("%s / %s with %s is %s", (server, tool, args, line) => {
  expect(commandLine(server, tool, args)).toBe(line);
});
