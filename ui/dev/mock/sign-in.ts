// Sign-ins whose steps arrive one after another, with every outcome. The scene selects it: sign_in_client_needed,
// sign_in_pkce, sign_in_resource, sign_in_denied, sign_in_unreachable, sign_in_vault. Otherwise they succeed.
import type { SignInInput } from "@/ipc/bindings/SignInInput";
import type { SignInProblem } from "@/ipc/bindings/SignInProblem";
import type { SignInStepView } from "@/ipc/bindings/SignInStepView";
import type { SignInView } from "@/ipc/bindings/SignInView";
import type { Args } from "./handlers";
import { Part, wait } from "./part";
import { said } from "./say";
import type { Scene } from "./scenes";

type Step = Omit<SignInStepView, "at">;
type Found = Step["found"];

interface Script {
  readonly steps: readonly Step[];
  readonly problem?: SignInProblem;
}

const redirect = "http://127.0.0.1:33418/callback";
const step = (purpose: Step["purpose"], url: string | null, status: number | null, tookMs: number, found: Found, ok = true): Step => ({
  purpose,
  url,
  status,
  ok,
  found,
  tookMs,
});

/** An error from the authorization server, with its text separate from ours. */
const answered = (code: string, theirs: string) => ({
  found: said("the sign-in ended with the error {code}: “{description}”", { code, description: theirs }),
  said: { ours: said("the sign-in ended with the error {code}", { code }), theirs },
});

function scriptFor(scene: Scene, url: string, { clientId, way, pkceUnannounced, withoutResource }: SignInInput): Script {
  const { host, origin: issuer } = new URL(url);
  const metadata = `${issuer}/.well-known/oauth-protected-resource/mcp`;
  const wellKnown = `${issuer}/.well-known/oauth-authorization-server`;
  const entered = clientId !== null && clientId !== "";
  /** Ends with this step and this next action. */
  const fails = (steps: Step[], code: SignInProblem["code"], next: Found | null, part: Partial<SignInProblem> = {}): Script => ({
    steps,
    problem: { code, message: steps.at(-1)!.found, said: null, next, redirect: null, ...part },
  });

  const challenge = said("the server asks for a sign-in, and names its metadata: {metadata}", { metadata });
  const names = said("metadata of {resource}, which names {servers}", { resource: url, servers: issuer });
  const start = [
    step("challenge", url, 401, 212, challenge),
    step("resource_metadata", metadata, 200, 96, names),
    step("server_metadata", wellKnown, 200, 71, said("metadata of {issuer}, which offers PKCE with S256", { issuer })),
  ];
  const client = entered
    ? said("the client ID entered for {issuer}", { issuer })
    : said("{issuer} supports dynamic registration", { issuer });
  const registered = said("registered with {issuer} as {id}", { issuer, id: "mooring-4f1c" });
  const identity = step("client_identity", null, null, 0, client);
  const token = step("token", `${issuer}/token`, 200, 133, said("{host} issued a token", { host }));
  const opened = [
    ...start,
    identity,
    ...(entered ? [] : [step("registration", `${issuer}/register`, 201, 148, registered)]),
    step("authorization", `${issuer}/authorize`, null, 0, said("The browser opens {host}.", { host })),
  ];

  switch (scene) {
    case "sign_in_unreachable": {
      const found = said("{host} couldn’t be reached: {reason}", { host, reason: "connection refused (os error 111)" });
      return fails(
        [step("challenge", url, null, 3_004, found, false)],
        "unreachable",
        said("Check the network, and try again in a while."),
      );
    }
    case "sign_in_client_needed": {
      if (entered) break;
      const found = said("{issuer} doesn’t support dynamic registration: register a client there, and enter its ID", { issuer });
      return fails([...start, step("client_identity", null, null, 0, found, false)], "client_needed", null, { redirect });
    }
    case "sign_in_pkce": {
      if (pkceUnannounced) break;
      const found = said("{issuer} doesn’t say that it supports PKCE (code_challenge_methods_supported is missing)", { issuer });
      return fails([...start.slice(0, 2), step("server_metadata", wellKnown, 200, 71, found, false)], "pkce_unannounced", null);
    }
    case "sign_in_resource": {
      if (withoutResource) break;
      const { found, said: theirs } = answered("invalid_target", "The resource does not belong to the scopes.");
      const next = said("If you trust this server, sign in without its URL (resource). Its tokens may then work for other servers too.");
      return fails([...start, step("authorization", null, null, 1_200, found, false)], "resource_refused", next, { said: theirs });
    }
    case "sign_in_vault":
      return fails(start, "vault", said("Unlock your keychain and try again."), { message: said("the system keychain is locked") });
    case "sign_in_denied": {
      const { found, said: theirs } = answered("access_denied", "The resource owner denied the request. \u202Etfosorcim\u202C");
      const next = said("Sign in again, and allow access in the browser.");
      return fails([...opened, step("authorization", redirect, null, 8_400, found, false)], "answered", next, { said: theirs });
    }
    default:
  }
  if (way === "client") return { steps: [...start, identity, token] };
  const code = said("The browser returned an authorization code with this sign-in’s state and issuer.");
  return {
    steps: [
      ...opened,
      step("authorization", redirect, null, 8_400, code),
      token,
      step("profile", `${issuer}/userinfo`, 200, 64, said("{host} says who signed in", { host })),
    ],
  };
}

export class SignIns extends Part {
  readonly views = new Map<number, SignInView>();
  /** The running sign-in of a server. */
  private readonly runs = new Map<number, Script>();
  private readonly ends = new Map<number, () => void>();

  private put(server: number, part: Partial<SignInView>): void {
    const view = this.views.get(server);
    if (view) this.views.set(server, { ...view, ...part });
    this.host.tell({ kind: "sign_in", id: server });
  }

  begin(server: number, url: string, scene: Scene, input: SignInInput, done: () => number): SignInView {
    const view: SignInView = {
      server,
      status: "working",
      startedAt: Date.now(),
      endedAt: null,
      deadline: null,
      browserHost: null,
      steps: [],
      problem: null,
      account: null,
    };
    this.views.set(server, view);
    void this.run(server, scriptFor(scene, url, input), done, url);
    this.put(server, {});
    return view;
  }

  private async run(server: number, script: Script, done: () => number, url: string): Promise<void> {
    this.runs.set(server, script);
    const ended = () => this.runs.get(server) !== script;
    const { pace } = this.host;
    for (const step of script.steps) {
      if (step.url === redirect) {
        this.put(server, { status: "browser", browserHost: new URL(url).host, deadline: Date.now() + 5 * 60_000 });
        await new Promise<void>((end) => {
          this.ends.set(server, end);
          if (pace > 0) setTimeout(end, pace * 20);
        });
        if (ended()) return;
        this.put(server, { status: "working", deadline: null, browserHost: null });
      }
      await wait(pace);
      if (ended()) return;
      this.put(server, { steps: [...(this.views.get(server)?.steps ?? []), { ...step, at: Date.now() }] });
    }
    await wait(pace);
    if (ended()) return;
    this.runs.delete(server);
    if (script.problem) this.put(server, { status: "failed", endedAt: Date.now(), problem: script.problem });
    else this.put(server, { status: "done", endedAt: Date.now(), account: done() });
  }

  /** The person comes back from the browser. */
  arrive(server: number): void {
    this.ends.get(server)?.();
  }

  close(): void {
    this.runs.clear();
  }

  cancel_sign_in = async ({ id }: Args<"cancel_sign_in">) => {
    const runs = this.runs.delete(id);
    if (runs) this.put(id, { status: "cancelled", endedAt: Date.now(), deadline: null });
    return runs;
  };
  get_sign_in = async ({ id }: Args<"get_sign_in">) => this.views.get(id) ?? null;
}
