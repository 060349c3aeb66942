import { describe, expect, it } from "vitest";
import { readCommandLine, relativePaths, writeCommandLine } from "@/lib/command-line";
import { completeUrl, type Draft, draftOf, emptyDraft, erasFor, inputOf, pair, problemsOf } from "./draft";
import { looksSecret } from "@/lib/secrets";
import { changesOf } from "./changes";
import { canonical, startsAnew } from "./same";
import { freeName, nameFromCommand, nameFromUrl } from "./suggest-name";

describe("a command line", () => {
  const check = (line: string, program: string, args: string[]) => expect(readCommandLine(line)).toMatchObject({ program, args });

  it("is taken apart into program and arguments", () => {
    check("npx -y @acme/server /home/ana", "npx", ["-y", "@acme/server", "/home/ana"]);
    check("  uvx   mcp-server-git  ", "uvx", ["mcp-server-git"]);
    check("", "", []);
  });
  it("keeps quoted spaces and empty arguments", () => {
    check(`run "two words" 'it is' '' a"b"c`, "run", ["two words", "it is", "", "abc"]);
    check(String.raw`run two\ words "say \"hi\"" 'a\b'`, "run", ["two words", 'say "hi"', String.raw`a\b`]);
  });
  it("keeps Windows paths", () =>
    check(String.raw`C:\tools\node.exe C:\srv\index.js`, String.raw`C:\tools\node.exe`, [String.raw`C:\srv\index.js`]));
  it("joins lines that end with a backslash", () => check("docker run \\\n  -i \\\r\n  acme/mcp", "docker", ["run", "-i", "acme/mcp"]));
  it("drops a copied prompt", () => check("$ npx server", "npx", ["server"]));
  it("reads leading assignments as variables", () => {
    expect(readCommandLine("TOKEN='a b' PORT=1 node x.js A=b")).toMatchObject({
      program: "node",
      args: ["x.js", "A=b"],
      env: { TOKEN: "a b", PORT: "1" },
    });
  });
  it.each([
    ["node ./build/index.js", ["./build/index.js"]],
    ["node dist/index.mjs --config=../settings.json", ["dist/index.mjs", "../settings.json"]],
    ["./run.sh --port 3000", ["./run.sh"]],
    ["uv run server.py", ["server.py"]],
    [String.raw`python .\srv.py`, [String.raw`.\srv.py`]],
    ["uv --directory /srv/weather run server.py", []],
    ["node /srv/index.js", []],
    [String.raw`node C:\srv\index.js`, []],
    ["npx -y socket.js @acme/tool.js", []],
    ["npx -y @acme/files .", []],
    ["deno run https://x.test/mod.ts", []],
    ["python -m server", []],
  ])("finds the paths in %s that are not given in full", (line, paths) => expect(relativePaths(readCommandLine(line))).toEqual(paths));

  it("says when a quote is not closed", () => expect(readCommandLine(`run "abc`).problem).toBe("unclosed_quote"));
  it("names words that need a shell", () => {
    expect(readCommandLine("cat ~/x | grep $HOME '~/y'").shellWords).toEqual(["~/x", "|", "$HOME"]);
  });
  it("reads back what it writes", () => {
    for (const args of [
      ["-y", "a b"],
      ["", "it's"],
      ['"', "\\", "$HOME", "`x`", "a'b\"c"],
      [String.raw`C:\Program Files\x`],
      ["*", "~", "|"],
      ["\n"],
    ]) {
      expect(readCommandLine(writeCommandLine("run me", args))).toMatchObject({ program: "run me", args, problem: null });
    }
  });
});

describe("a suggested name", () => {
  it("comes from the package", () => {
    const cases: [string, string][] = [
      ["npx -y @modelcontextprotocol/server-filesystem /tmp", "filesystem"],
      ["uvx mcp-server-git --repository .", "git"],
      ["npx @playwright/mcp@latest", "playwright"],
      ["python3 -m mcp_server_time", "time"],
      ["node /srv/weather/dist/index.js", "weather"],
      ["node ./build/tides.js", "tides"],
      ["node ./build/index.js", "index"],
      ["docker run -i --rm ghcr.io/github/github-mcp-server", "github"],
      ["/usr/bin/harbour", "harbour"],
      ["npx -y figma-developer-mcp@0.4.1 --stdio", "figma-developer"],
      ["", ""],
    ];
    for (const [line, name] of cases) {
      const { program, args } = readCommandLine(line);
      expect([line, nameFromCommand(program, args)]).toEqual([line, name]);
    }
  });
  it("is that of the interpreter where the program itself stands in the arguments", () => {
    const cases: [string, string][] = [
      [`node -e "require('./config'); process.exit(3)"`, "node"],
      ["node --eval 'x' server.js", "node"],
      ["python3 -c 'import harbour; harbour.run()'", "python3"],
      ["deno eval 'harbour()'", "deno"],
      ["bash -c 'exec harbour --stdio'", "bash"],
      // Arguments that aren't programs keep their meaning.
      ["python3 -u harbour.py", "harbour"],
      ["node harbour.js -e production", "harbour"],
      ["npx -p @acme/harbour harbour", "harbour"],
    ];
    for (const [line, name] of cases) {
      const { program, args } = readCommandLine(line);
      expect([line, nameFromCommand(program, args)]).toEqual([line, name]);
    }
  });
  it("comes from what is run, whatever options and values stand before it", () => {
    const cases: [string, string][] = [
      ["npx --prefix /opt/npm mcp-server-tides", "tides"],
      ["npx -y --registry https://npm.example.org -p @acme/x tides-cli", "tides-cli"],
      ["npx --yes --package=@acme/harbour harbour-mcp --port 3", "harbour"],
      ["uvx --python 3.12 --from git+https://example.org/acme/tides tides-mcp", "tides"],
      ["uv --directory /srv/weather run server.py", "weather"],
      ["uv --directory /srv/weather run tides.py", "tides"],
      ["uv run --with mcp --directory /srv/buoys main.py", "buoys"],
      ["npm --prefix /srv/locks run start", "locks"],
      ["node --env-file .env --import tsx /srv/gates/index.ts", "gates"],
      ["bun --cwd /srv/docks run index.ts", "docks"],
    ];
    for (const [line, name] of cases) {
      const { program, args } = readCommandLine(line);
      expect([line, nameFromCommand(program, args)]).toEqual([line, name]);
    }
  });
  it("comes from the image of a container, whatever options and values stand before it", () => {
    const cases: [string, string][] = [
      ["docker run -v /:/host -it acme/lamps", "lamps"],
      ["docker run -e GITHUB_TOKEN ghcr.io/x/y", "y"],
      ["docker run -i --rm --name box --network host -p 80:80 acme/tides:1.2 --port 80", "tides"],
      [
        "podman run --env-file /srv/env --mount type=bind,src=/a,dst=/b -w /srv -u 1000 --entrypoint sh quay.io/acme/buoys@sha256:abc123",
        "buoys",
      ],
      ["nerdctl run --memory 1g --cpus 2 --platform linux/amd64 localhost:5000/acme/mcp-server-locks:2", "locks"],
      ["docker run -ite TOKEN -v=/a:/b -eA=b --env=C=d -l x --label y --add-host a:1 --device /dev/tty -m 1g acme/gates", "gates"],
      ["docker container run --publish 1:1 --volume /a:/b --workdir /w --user me --env X acme/docks", "docks"],
      ["docker run -it", ""],
    ];
    for (const [line, name] of cases) {
      const { program, args } = readCommandLine(line);
      expect([line, nameFromCommand(program, args)]).toEqual([line, name]);
    }
  });
  it("comes from the host", () => {
    const cases: [string, string][] = [
      ["https://mcp.linear.app/mcp", "linear"],
      ["https://api.githubcopilot.com/mcp/", "githubcopilot"],
      ["http://127.0.0.1:3845/mcp", "localhost-3845"],
      ["http://localhost:7931/mcp", "localhost-7931"],
      ["http://localhost/mcp", "localhost"],
      ["http://[::1]:8080/sse", "localhost-8080"],
      ["http://localhost:7931/harbour/v1/mcp", "harbour-7931"],
      ["http://10.0.0.4:9000/mcp", "10.0.0.4-9000"],
      ["http://weather.localhost:7931/mcp", "weather"],
      ["http://localhost:7931/%zz/mcp", "localhost-7931"],
      ["nonsense", ""],
    ];
    for (const [url, name] of cases) expect([url, nameFromUrl(url)]).toEqual([url, name]);
  });
  it("gets a number when it is taken", () => expect(freeName("git", new Set(["git", "git-2"]))).toBe("git-3"));
});

describe("a URL without its scheme", () => {
  it("is http on this computer and https elsewhere", () => {
    const cases: [string, string][] = [
      ["localhost:7931/mcp", "http://localhost:7931/mcp"],
      [" LOCALHOST:7931 ", "http://LOCALHOST:7931"],
      ["127.0.0.1:3845/mcp", "http://127.0.0.1:3845/mcp"],
      ["[::1]:3845/mcp", "http://[::1]:3845/mcp"],
      ["weather.localhost/mcp", "http://weather.localhost/mcp"],
      ["mcp.linear.app/mcp", "https://mcp.linear.app/mcp"],
      ["mcp.linear.app:8443", "https://mcp.linear.app:8443"],
      // A URL with a scheme, or other text, stays unchanged.
      ["http://harbour.test/mcp", "http://harbour.test/mcp"],
      ["ftp://harbour.test", "ftp://harbour.test"],
      ["me@harbour.test", "me@harbour.test"],
      ["nonsense", "nonsense"],
      ["", ""],
    ];
    for (const [typed, url] of cases) expect([typed, completeUrl(typed)]).toEqual([typed, url]);
  });
  it("that cannot be one asks for no name as well", () => {
    expect(problemsOf({ ...emptyDraft("http"), url: "nonsense" }, new Set())).toEqual({ url: "bad_url" });
  });
  it("is saved whole, with a name and without a problem", () => {
    const draft = { ...emptyDraft("http"), url: "localhost:7931/mcp" };
    expect(problemsOf(draft, new Set())).toEqual({});
    expect(inputOf(draft, new Set())).toMatchObject({ url: "http://localhost:7931/mcp", name: "localhost-7931" });
  });
});

describe("a secret", () => {
  it("is known by its name or its shape", () => {
    for (const [name, value] of [
      ["API_KEY", "x"],
      ["Authorization", "Bearer x"],
      ["password", "x"],
      ["DATABASE_URL", "postgres://u:p@h/db"],
      ["X", "ghp_0123456789abc"],
    ] as const)
      expect([name, looksSecret(name, value)]).toEqual([name, true]);
    for (const [name, value] of [
      ["LOG_LEVEL", "debug"],
      ["KEYBOARD", "us"],
      ["TOKEN_FILE", "/run/x"],
      ["X-Toolsets", "repos"],
    ] as const)
      expect([name, looksSecret(name, value)]).toEqual([name, false]);
  });
});

describe("a draft", () => {
  const none = new Set<string>();

  it("becomes the server it describes", () => {
    const draft = {
      ...emptyDraft("stdio"),
      commandLine: "PORT=1 npx -y @acme/server-lamps",
      env: [pair("LAMPS", "t"), pair()],
      timeout: "1.5",
    };
    expect(inputOf(draft, none)).toEqual({
      name: "lamps",
      transport: "stdio",
      command: "npx",
      args: ["-y", "@acme/server-lamps"],
      env: { PORT: "1", LAMPS: "t" },
      cwd: null,
      url: null,
      headers: {},
      timeoutMs: 1500,
      era: "auto",
      start: "with_mooring",
      secrets: [],
    });
  });
  it("seals what looks like a secret unless the person says otherwise", () => {
    const sealed = (rows: ReturnType<typeof pair>[], commandLine = "run") =>
      inputOf({ ...emptyDraft("stdio"), commandLine, env: rows }, none);
    expect(sealed([pair("API_KEY", "k"), pair("LOG_LEVEL", "info")])).toMatchObject({
      env: { LOG_LEVEL: "info" },
      secrets: [{ place: "env", name: "API_KEY", value: "k" }],
    });
    expect(sealed([pair("API_KEY", "k", { seal: false }), pair("CITY", "Qingdao", { seal: true })])).toMatchObject({
      env: { API_KEY: "k" },
      secrets: [{ name: "CITY", value: "Qingdao" }],
    });
    expect(sealed([], "TOKEN=t PORT=1 run")).toMatchObject({ env: { PORT: "1" }, secrets: [{ place: "env", name: "TOKEN", value: "t" }] });
    expect(sealed([pair("TOKEN", "table", { seal: false })], "TOKEN=line run")).toMatchObject({ env: { TOKEN: "table" }, secrets: [] });
    expect(inputOf({ ...emptyDraft("http"), url: "https://x.test/mcp", headers: [pair("Authorization", "Bearer x")] }, none)).toMatchObject(
      { headers: {}, secrets: [{ place: "header", name: "Authorization", value: "Bearer x" }] },
    );
  });
  it("keeps a sealed value unless another is typed, and leaves alone what was saved in plain text", () => {
    const saved = {
      ...inputOf({ ...emptyDraft("http"), name: "x", url: "https://x.test/mcp" }, none),
      headers: { "X-Token": "plain" },
      secrets: [{ place: "header" as const, name: "Authorization", value: null, entered: true }],
    };
    const draft = draftOf(saved);
    expect(inputOf(draft, none)).toEqual(saved);
    expect(canonical(inputOf(draft, none))).toBe(canonical({ ...saved, secrets: [{ ...saved.secrets[0]!, entered: false }] }));
    const typed = { ...draft, headers: draft.headers.map((row) => (row.kept === null ? row : { ...row, value: "Bearer new" })) };
    expect(inputOf(typed, none).secrets).toEqual([{ place: "header", name: "Authorization", value: "Bearer new", entered: true }]);
    expect(canonical(inputOf(typed, none))).not.toBe(canonical(saved));
  });
  it("survives being opened and saved again", () => {
    const server = inputOf({ ...emptyDraft("stdio"), name: "x", commandLine: "run 'a b' ''", env: [pair("A", "1")], cwd: "/srv" }, none);
    expect(inputOf(draftOf(server), none)).toEqual(server);
  });
  it("has only the eras of its transport", () => {
    expect(erasFor("stdio")).toEqual(["auto", "modern", "session"]);
    expect(inputOf({ ...emptyDraft("stdio"), commandLine: "x", era: "sse" }, none).era).toBe("auto");
    expect(inputOf({ ...emptyDraft("http"), url: "https://x.test", era: "sse" }, none).era).toBe("sse");
  });
  it("is started anew for what it was started with, and for no new name or time limit", () => {
    const draft = { ...emptyDraft("stdio"), name: "a", commandLine: "run --fast", env: [pair("A", "1")] };
    const before = inputOf(draft, none);
    const starts = (change: Partial<Draft>) => startsAnew(before, inputOf({ ...draft, ...change }, none));
    expect([starts({ name: "b" }), starts({ timeout: "900" }), starts({ name: "b", timeout: "5" })]).toEqual([false, false, false]);
    expect([
      starts({ commandLine: "run" }),
      starts({ cwd: "/x" }),
      starts({ env: [pair("A", "2")] }),
      starts({ name: "b", env: [] }),
    ]).toEqual([true, true, true, true]);
  });
  it("says what is wrong, by field", () => {
    const local = {
      ...emptyDraft("stdio"),
      commandLine: 'run "',
      cwd: "relative",
      env: [pair("A B", ""), pair("A", "1")],
      timeout: "0",
      name: "git",
    };
    expect(problemsOf(local, new Set(["git"]))).toEqual({
      name: "taken",
      command: "unclosed_quote",
      cwd: "not_absolute",
      env: "bad_name",
      timeoutMs: "bad_time",
    });
    // The name may be empty, because the URL that it is suggested from is wrong.
    expect(problemsOf({ ...emptyDraft("http"), url: "ftp://mcp.example.com/mcp" }, none)).toEqual({ url: "bad_scheme" });
    expect(problemsOf({ ...emptyDraft("http"), url: "https://" }, none)).toEqual({ url: "bad_url" });
    expect(problemsOf(emptyDraft("http"), none)).toEqual({ url: "needed" });
    expect(problemsOf(emptyDraft("stdio"), none)).toEqual({ command: "needed" });
    expect(problemsOf({ ...emptyDraft("stdio"), commandLine: "npx" }, none)).toEqual({ name: "needed" });
    const url = (value: string) => problemsOf({ ...emptyDraft("http"), name: "x", url: value }, none).url;
    expect([url(""), url("x"), url("ftp://x"), url("https://u:p@x/"), url("https://x/mcp")]).toEqual([
      "needed",
      "bad_url",
      "bad_scheme",
      "user_in_url",
      undefined,
    ]);
    expect(problemsOf({ ...emptyDraft("http"), url: "https://x.test", headers: [pair("A", "1"), pair("a", "2")] }, none)).toEqual({
      headers: "twice",
    });
  });
});

describe("what changed", () => {
  const before = inputOf(
    { ...emptyDraft("stdio"), name: "tides", commandLine: "npx tides", env: [pair("A", "1"), pair("TOKEN", "t")] },
    new Set(),
  );
  it("is nothing where two servers are set up alike", () => {
    const saved = { ...before, secrets: before.secrets.map((secret) => ({ ...secret, value: null, entered: true })) };
    expect(changesOf(saved, inputOf(draftOf(saved), new Set()))).toEqual([]);
  });
  it("is listed in the order of the form", () => {
    const after = { ...before, args: ["tides", "--fast"], env: { A: "2" }, cwd: "/srv", timeoutMs: 30_000, era: "modern" } as const;
    expect(changesOf(before, { ...after, args: [...after.args], secrets: [] })).toEqual([
      { part: "command", before: "npx tides", after: "npx tides --fast" },
      { part: "value", name: "A", before: "1", after: "2" },
      { part: "hidden", name: "TOKEN", what: "removed" },
      { part: "cwd", before: null, after: "/srv" },
      { part: "timeoutMs", before: null, after: "30000" },
      { part: "era", before: "auto", after: "modern" },
    ]);
  });
  it("says what becomes of a secret, and no value of one", () => {
    const of = (rows: Parameters<typeof pair>[]) =>
      inputOf({ ...emptyDraft("stdio"), commandLine: "npx x", env: rows.map((row) => pair(...row)) }, new Set());
    const [plain, sealed, fresh] = [
      of([["API_KEY", "k", { seal: false }]]),
      of([["API_KEY", "", { seal: true, kept: "value" }]]),
      of([["API_KEY", "new"]]),
    ];
    const what = (one: typeof plain, other: typeof plain) =>
      changesOf(one, other).map((change) => (change.part === "hidden" ? change.what : change));
    expect([what(plain, fresh), what(sealed, plain), what(sealed, fresh), what(of([]), plain), what(sealed, sealed)]).toEqual([
      ["sealed"],
      ["unsealed"],
      ["replaced"],
      ["added"],
      [],
    ]);
  });
});
