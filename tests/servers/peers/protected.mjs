// A protected server from third-party parts: the authorization server is `oidc-provider`, and the protected server is
// built with version 1 of the TypeScript SDK and its middleware.
//
//   node protected.mjs '{"life": 3600, "dpop": false, "proofs": "checked", "jwt": false, "scopes": ["tools"]}'
//
// prints one line of JSON with the URLs: `issuer`, `resource`, and `control`. With `elsewhere`, tokens are issued for
// any other server as well. With `dpop`, the authorization server binds tokens to keys, and `proofs` says whether the
// protected server checks them, only claims to, or doesn't know them.
//
// At `control` a test reads the events (`GET /`), sets the lifetime of future tokens (`POST /life/SECONDS`), expires
// all tokens (`POST /expire`), also the refresh tokens (`POST /end`), forgets every client that registered itself
// (`POST /forget`), and tries every issued token at the protected server (`POST /try`).

import { createHash, randomBytes, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import express from "express";
import { calculateJwkThumbprint, createRemoteJWKSet, EmbeddedJWK, jwtVerify } from "jose";
import { InvalidTokenError } from "@modelcontextprotocol/sdk/server/auth/errors.js";
import { requireBearerAuth } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js";
import { getOAuthProtectedResourceMetadataUrl, mcpAuthMetadataRouter } from "@modelcontextprotocol/sdk/server/auth/router.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";
import { sessions } from "./sessions.mjs";

// It logs long recommendations for production.
console.info = console.warn = () => {};
const { Provider } = await import("oidc-provider");
const wanted = {
  life: 3600,
  dpop: false,
  proofs: "checked",
  jwt: false,
  pushed: false,
  challenged: [],
  elsewhere: false,
  ...JSON.parse(process.argv[2] ?? "{}"),
};

/** The events that a test can read. They contain no tokens. */
const seen = { registered: [], asked: [], granted: [], refused: [], rotated: 0, revoked: 0, calls: 0, unauthorized: 0, proofs: 0 };
/** The expiry of every issued token by its identifier, which is the token itself unless it is a JWT. */
const tokens = new Map();

async function listening(server) {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${server.address().port}`;
}

// Both URLs must be known before either server can be set up.
const authorization = createServer((request, response) => issue(request, response));
const protection = createServer((request, response) => protect(request, response));
const issuer = await listening(authorization);
const resource = `${await listening(protection)}/mcp`;

const RESOURCE_SERVER = { id: "resource-server", secret: randomBytes(24).toString("base64url") };
const MACHINE = { id: "machine", secret: "a secret & more: %+/" };
const own = { application_type: "web", redirect_uris: [], response_types: [] };
const provider = new Provider(issuer, {
  clients: [
    { ...own, client_id: RESOURCE_SERVER.id, client_secret: RESOURCE_SERVER.secret, grant_types: [] },
    { ...own, client_id: MACHINE.id, client_secret: MACHINE.secret, grant_types: ["client_credentials"] },
  ],
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
  conformIdTokenClaims: false,
  cookies: { keys: [randomBytes(16).toString("hex")] },
  features: {
    clientCredentials: { enabled: true },
    dPoP: { enabled: wanted.dpop, nonceSecret: randomBytes(32), requireNonce: () => true },
    introspection: { enabled: true },
    pushedAuthorizationRequests: { enabled: wanted.pushed, requirePushedAuthorizationRequests: wanted.pushed },
    registration: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_, indicator) => {
        if (indicator !== resource && !wanted.elsewhere) throw new Error("no such resource");
        return { scope: "tools", audience: indicator, accessTokenTTL: wanted.life, accessTokenFormat: wanted.jwt ? "jwt" : "opaque" };
      },
    },
    revocation: { enabled: true },
  },
  findAccount: (_, sub) => ({
    accountId: sub,
    claims: () => ({ sub, name: `${sub} of the harbour`, email: `${sub}@example.org`, email_verified: true }),
  }),
  pkce: { required: () => true },
  rotateRefreshToken: true,
});
const issue = provider.callback();

provider.on("registration_create.success", ({ request }, client) => seen.registered.push(client.metadata()));
provider.on("authorization.success", ({ oidc }) => seen.asked.push({ ...oidc.params, state: undefined }));
provider.on("grant.success", ({ oidc, headers }) => {
  const { grant_type, resource, scope } = oidc.params;
  const client = { id: oidc.client.clientId, authentication: oidc.client.clientAuthMethod };
  seen.granted.push({ grant_type, resource, scope, client, dpop: "dpop" in headers });
});
provider.on("grant.error", ({ oidc }, error) => {
  seen.refused.push({ grant_type: oidc.params?.grant_type, error: error.error, detail: error.error_detail });
});
// Everything that only the two sides may see.
const secrets = new Set();
provider.on("grant.success", ({ oidc: { params }, body }) => {
  for (const { code, code_verifier, access_token, refresh_token, id_token } of [params, body]) {
    for (const secret of [code, code_verifier, access_token, refresh_token, id_token]) if (secret) secrets.add(secret);
  }
});
provider.on("refresh_token.consumed", () => (seen.rotated += 1));
provider.on("grant.revoked", () => (seen.revoked += 1));
const renewing = new Set();
provider.on("refresh_token.saved", ({ jti }) => renewing.add(jti));
for (const kind of ["access_token", "client_credentials"]) {
  for (const event of ["issued", "saved"]) {
    provider.on(`${kind}.${event}`, ({ jti, expiration }) => tokens.set(jti, Date.now() + expiration * 1000));
  }
}

/** Introspects a token at the authorization server. */
async function introspect(token) {
  const credentials = Buffer.from(`${RESOURCE_SERVER.id}:${RESOURCE_SERVER.secret}`).toString("base64");
  const answer = await fetch(`${issuer}/token/introspection`, {
    method: "POST",
    headers: { authorization: `Basic ${credentials}` },
    body: new URLSearchParams({ token }),
  });
  const claims = await answer.json();
  if (!claims.active) throw new InvalidTokenError("not active");
  return claims;
}

const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`));
async function claimsOf(token) {
  if (!wanted.jwt) return introspect(token);
  try {
    return (await jwtVerify(token, keys, { issuer, audience: resource, typ: "at+jwt" })).payload;
  } catch (error) {
    throw new InvalidTokenError(error.code);
  }
}

const verifier = {
  async verifyAccessToken(token) {
    const { client_id, scope, exp, aud, sub, cnf } = await claimsOf(token);
    const extra = { sub, jkt: cnf?.jkt };
    return { token, clientId: client_id, scopes: scope.split(" "), expiresAt: exp, resource: new URL(aud), extra };
  },
};

/** Checks the DPoP proof of a key-bound token (RFC 9449), for a middleware that only supports `Bearer`. */
const proofs = new Set();
let nonce = randomUUID();
async function proven(request, response, next) {
  const [scheme, token] = (request.headers.authorization ?? "").split(" ");
  const refuse = (error) => response.status(401).set("WWW-Authenticate", `DPoP error="${error}"`).end();
  const bound = token && (await claimsOf(token).catch(() => undefined))?.cnf?.jkt;
  if (!bound) return next();
  if (scheme !== "DPoP") return refuse("invalid_token");
  response.set("DPoP-Nonce", nonce);
  try {
    const { payload, protectedHeader } = await jwtVerify(request.headers.dpop, EmbeddedJWK, { typ: "dpop+jwt" });
    const hash = createHash("sha256").update(token).digest("base64url");
    const right = payload.htm === request.method && payload.htu === resource && payload.ath === hash;
    if (!right || proofs.has(payload.jti) || (await calculateJwkThumbprint(protectedHeader.jwk)) !== bound) {
      return refuse("invalid_dpop_proof");
    }
    proofs.add(payload.jti);
    if (payload.nonce !== nonce) return refuse("use_dpop_nonce");
  } catch {
    return refuse("invalid_dpop_proof");
  }
  seen.proofs += 1;
  // Sends a new nonce now and then, so that clients must update it.
  if (seen.proofs % 5 === 0) response.set("DPoP-Nonce", (nonce = randomUUID()));
  request.headers.authorization = `Bearer ${token}`;
  next();
}

const build = () => {
  const server = new McpServer({ name: "protected", version: "1.0.0" });
  const text = (value) => ({ content: [{ type: "text", text: value }] });
  server.registerTool("echo", { inputSchema: { text: z.string() } }, ({ text: said }) => {
    seen.calls += 1;
    return text(said);
  });
  server.registerTool("whoami", { inputSchema: {} }, (_, { authInfo }) => {
    return text(`${authInfo.extra.sub ?? authInfo.clientId} with ${authInfo.scopes.join(" ")}`);
  });
  return server;
};

const metadata = await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json();
const app = express();
const resourceServerUrl = new URL(resource);
const scopesSupported = ["openid", "email", "profile", "tools"];
if (wanted.dpop && wanted.proofs !== "unknown") {
  // The SDK's metadata doesn't include it.
  app.get("/.well-known/oauth-protected-resource/mcp", (_, response) => {
    const algorithms = { dpop_signing_alg_values_supported: ["ES256"] };
    response.json({ resource, authorization_servers: [metadata.issuer], scopes_supported: scopesSupported, ...algorithms });
  });
}
app.use(mcpAuthMetadataRouter({ oauthMetadata: metadata, resourceServerUrl, scopesSupported }));
app.use((_, response, next) => {
  response.on("finish", () => (seen.unauthorized += response.statusCode === 401 ? 1 : 0));
  next();
});
const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(resourceServerUrl);
const bearer = requireBearerAuth({ verifier, requiredScopes: wanted.challenged, resourceMetadataUrl, expectedResource: resourceServerUrl });
const checks = wanted.proofs === "checked" ? [proven, bearer] : [bearer];
app.all("/mcp", ...checks, sessions(StreamableHTTPServerTransport, build));
const protect = app;

/** The HTTP status for each token that was ever issued. */
function tried() {
  const ask = async (token) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", accept: "application/json" };
    return (await fetch(resource, { method: "POST", headers, body: "{}" })).status;
  };
  return Promise.all([...tokens.keys()].map(ask));
}

/** The valid tokens. A JWT is only invalid after its expiry. */
async function alive() {
  const unended = [...tokens].filter(([, end]) => end > Date.now());
  if (wanted.jwt) return unended;
  const find = async ([id]) => (await provider.AccessToken.find(id)) ?? provider.ClientCredentials.find(id);
  return (await Promise.all(unended.map(find))).filter(Boolean);
}
const control = createServer(async (request, response) => {
  const [, verb, value] = request.url.split("/");
  if (request.method === "POST" && verb === "life") wanted.life = Number(value);
  if (request.method === "POST" && verb === "forget") {
    for (const { client_id } of seen.registered) await provider.Client.adapter.destroy(client_id);
  }
  if (request.method === "POST" && verb === "end") {
    for (const id of renewing) await (await provider.RefreshToken.find(id))?.destroy();
  }
  if (request.method === "POST" && ["expire", "end"].includes(verb)) await Promise.all((await alive()).map((token) => token.destroy()));
  const verbs = { try: tried, secrets: () => [...secrets] };
  const answers = request.method === "POST" && verb in verbs ? await verbs[verb]() : [];
  response.setHeader("content-type", "application/json");
  const newest = [...tokens.values()].at(-1) > Date.now();
  response.end(JSON.stringify({ ...seen, alive: (await alive()).length, newest, answers }));
});
console.log(JSON.stringify({ issuer, resource, control: await listening(control), machine: MACHINE }));
