// Sign-ins whose steps arrive one after another, and end in every way there is. The scene says which:
// sign_in_client_needed, sign_in_pkce, sign_in_resource, sign_in_denied, sign_in_unreachable, sign_in_vault; otherwise they end well.
import type { SignInInput } from "@/ipc/bindings/SignInInput";
import type { SignInProblem } from "@/ipc/bindings/SignInProblem";
import type { SignInStepView } from "@/ipc/bindings/SignInStepView";
import type { SignInView } from "@/ipc/bindings/SignInView";
import { said } from "./say";
import type { Scene } from "./scenes";

/** How an authorization server ended a sign-in, its words apart from ours. */
const apart = (code: string, theirs: string) => ({ ours: said("the sign-in ended with the error {code}", { code }), theirs });

type Step = Omit<SignInStepView, "at">;
const wait = (ms: number) =>
  new Promise<void>((done) => {
    setTimeout(done, ms);
  });
const redirect = "http://127.0.0.1:33418/callback";

interface Script {
  readonly steps: readonly Step[];
  readonly problem?: SignInProblem;
  /** Where the browser is sent, after how many steps. */
  readonly browserAfter?: number;
}

function scriptFor(scene: Scene, address: string, input: SignInInput): Script {
  const { host, origin } = new URL(address);
  const issuer = origin;
  const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
  const step = (
    purpose: Step["purpose"],
    url: string | null,
    status: number | null,
    found: Step["found"],
    tookMs = 84,
    ok = true,
  ): Step => ({ purpose, url, status, ok, found, tookMs });
  const challenge = step(
    "challenge",
    address,
    401,
    said("the server asks for a sign-in, and names its metadata: {metadata}", { metadata }),
    212,
  );
  const resource = step(
    "resource_metadata",
    metadata,
    200,
    said("metadata of {resource}, which names {servers}", { resource: address, servers: issuer }),
    96,
  );
  const server = step(
    "server_metadata",
    `${origin}/.well-known/oauth-authorization-server`,
    200,
    said("metadata of {issuer}, which offers PKCE with S256", { issuer }),
    71,
  );
  const start = [challenge, resource, server];
  const entered = input.clientId !== null && input.clientId !== "";
  const identity = entered
    ? step("client_identity", null, null, said("the client ID entered for {issuer}", { issuer }), 0)
    : step("client_identity", null, null, said("{issuer} supports dynamic registration", { issuer }), 0);
  const known = entered
    ? [identity]
    : [
        identity,
        step("registration", `${origin}/register`, 201, said("registered with {issuer} as {id}", { issuer, id: "mooring-4f1c" }), 148),
      ];
  const opened = step("authorization", `${origin}/authorize`, null, said("The browser opens {host}.", { host }), 0);
  const came = step(
    "authorization",
    redirect,
    null,
    said("The browser returned an authorization code with this sign-in’s state and issuer."),
    8_400,
  );
  const token = step("token", `${origin}/token`, 200, said("{host} issued a token", { host }), 133);
  const profile = step("profile", `${origin}/userinfo`, 200, said("{host} says who signed in", { host }), 64);

  if (scene === "sign_in_unreachable") {
    const found = said("{host} couldn’t be reached: {reason}", { host, reason: "connection refused (os error 111)" });
    return {
      steps: [step("challenge", address, null, found, 3_004, false)],
      problem: {
        code: "unreachable",
        message: found,
        said: null,
        next: said("Check the network, and try again in a while."),
        redirect: null,
      },
    };
  }
  if (scene === "sign_in_client_needed" && !entered) {
    const found = said("{issuer} doesn’t support dynamic registration: register a client there, and enter its ID", { issuer });
    return {
      steps: [...start, step("client_identity", null, null, found, 0, false)],
      problem: { code: "client_needed", message: found, said: null, next: null, redirect },
    };
  }
  if (scene === "sign_in_pkce" && !input.pkceUnannounced) {
    const found = said("{issuer} doesn’t say that it supports PKCE (code_challenge_methods_supported is missing)", { issuer });
    return {
      steps: [challenge, resource, { ...server, ok: false, found }],
      problem: { code: "pkce_unannounced", message: found, said: null, next: null, redirect: null },
    };
  }
  if (scene === "sign_in_resource" && !input.withoutResource) {
    const found = said("the sign-in ended with the error {code}: “{description}”", {
      code: "invalid_target",
      description: "The resource does not belong to the scopes.",
    });
    return {
      steps: [...start, step("authorization", null, null, found, 1_200, false)],
      problem: {
        code: "resource_refused",
        message: found,
        said: apart("invalid_target", "The resource does not belong to the scopes."),
        next: said("If you trust this server, sign in without its URL (resource). Its tokens may then work for other servers too."),
        redirect: null,
      },
    };
  }
  if (scene === "sign_in_vault") {
    const found = said("the system keychain is locked");
    return {
      steps: start,
      problem: { code: "vault", message: found, said: null, next: said("Unlock your keychain and try again."), redirect: null },
    };
  }
  if (input.way === "client") return { steps: [...start, identity, token] };
  if (scene === "sign_in_denied") {
    const found = said("the sign-in ended with the error {code}: “{description}”", {
      code: "access_denied",
      description: "The resource owner denied the request. \u202Etfosorcim\u202C",
    });
    return {
      steps: [...start, ...known, opened, { ...came, ok: false, found }],
      problem: {
        code: "answered",
        message: found,
        said: apart("access_denied", "The resource owner denied the request. \u202Etfosorcim\u202C"),
        next: said("Sign in again, and allow access in the browser."),
        redirect: null,
      },
      browserAfter: start.length + known.length + 1,
    };
  }
  return { steps: [...start, ...known, opened, came, token, profile], browserAfter: start.length + known.length + 1 };
}

export class SignIns {
  readonly views = new Map<number, SignInView>();
  private readonly ends = new Map<number, () => void>();
  private readonly turns = new Map<number, number>();
  private readonly scene: () => Scene;
  private readonly pace: number;
  private readonly tell: (server: number) => void;

  constructor(scene: () => Scene, pace: number, tell: (server: number) => void) {
    this.scene = scene;
    this.pace = pace;
    this.tell = tell;
  }

  private put(server: number, part: Partial<SignInView>): void {
    const view = this.views.get(server);
    if (!view) return;
    this.views.set(server, { ...view, ...part });
    this.tell(server);
  }

  begin(server: number, address: string, input: SignInInput, done: () => number): SignInView {
    const turn = (this.turns.get(server) ?? 0) + 1;
    this.turns.set(server, turn);
    this.views.set(server, {
      server,
      status: "working",
      startedAt: Date.now(),
      endedAt: null,
      deadline: null,
      browserHost: null,
      steps: [],
      problem: null,
      account: null,
    });
    void this.run(server, turn, scriptFor(this.scene(), address, input), done, address);
    this.tell(server);
    return { ...this.views.get(server)! };
  }

  private async run(server: number, turn: number, script: Script, done: () => number, address: string): Promise<void> {
    const current = () => this.turns.get(server) === turn;
    for (const [index, step] of script.steps.entries()) {
      if (index === script.browserAfter) {
        this.put(server, { status: "browser", browserHost: new URL(address).host, deadline: Date.now() + 5 * 60_000 });
        await new Promise<void>((end) => {
          this.ends.set(server, end);
          if (this.pace > 0) setTimeout(end, this.pace * 20);
        });
        if (!current()) return;
        this.put(server, { status: "working", deadline: null, browserHost: null });
      }
      await wait(this.pace);
      if (!current()) return;
      this.put(server, { steps: [...(this.views.get(server)?.steps ?? []), { ...step, at: Date.now() }] });
    }
    await wait(this.pace);
    if (!current()) return;
    if (script.problem) this.put(server, { status: "failed", endedAt: Date.now(), problem: script.problem });
    else this.put(server, { status: "done", endedAt: Date.now(), account: done() });
  }

  /** The person comes back from the browser. */
  arrive(server: number): void {
    this.ends.get(server)?.();
  }

  cancel(server: number): boolean {
    const { status } = this.views.get(server) ?? {};
    if (status !== "working" && status !== "browser") return false;
    this.turns.set(server, (this.turns.get(server) ?? 0) + 1);
    this.put(server, { status: "cancelled", endedAt: Date.now(), deadline: null });
    return true;
  }

  close(): void {
    for (const [server, turn] of this.turns) this.turns.set(server, turn + 1);
  }
}
