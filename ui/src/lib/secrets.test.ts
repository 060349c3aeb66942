import { describe, expect, it } from "vitest";
import { hideUserInfo, hideUserInfoOf } from "./secrets";

describe("user info in URLs", () => {
  it.each([
    ["postgresql://me:secret@db.test/app", "postgresql://•••@db.test/app"],
    ["--dsn=mysql+pymysql://root:p@ss:w0rd@db.test:3306/app?x=1", "--dsn=mysql+pymysql://•••@db.test:3306/app?x=1"],
    ["https://ghp_0123456789@github.com/a/b.git", "https://•••@github.com/a/b.git"],
    ["HTTP://Me:Secret@Host and ftp://a:b@c", "HTTP://•••@Host and ftp://•••@c"],
    ['{"url":"redis://:secret@cache:6379"}', '{"url":"redis://•••@cache:6379"}'],
  ])("is hidden in %j", (text, shown) => {
    expect(hideUserInfo(text)).toBe(shown);
  });

  it.each([
    "https://mcp.example.com/mcp",
    "https://example.com/@scope/x",
    "me@example.com",
    "npm:@scope/server@1.2",
    "file:///home/a@b",
    "https://x.test/?mail=a@b",
  ])("is no part of %j", (text) => {
    expect(hideUserInfo(text)).toBe(text);
  });

  it("is hidden in what changed, and that it changed is seen", () => {
    expect(
      hideUserInfoOf([
        { op: "same", text: "pg postgresql://me:" },
        { op: "removed", text: "old" },
        { op: "added", text: "new" },
        { op: "same", text: "@db.test --user me@" },
        { op: "added", text: " https://tok" },
        { op: "added", text: "en@x" },
      ]),
    ).toEqual([
      { op: "same", text: "pg postgresql://•••" },
      { op: "removed", text: "•••" },
      { op: "added", text: "•••" },
      { op: "same", text: "@db.test --user me@" },
      { op: "added", text: " https://•••" },
      { op: "added", text: "•••@x" },
    ]);
  });
});
