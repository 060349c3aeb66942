// A third-party authorization server without changes, for any servers:
//
//   node issuer.mjs oidc-provider|better-auth|keycloak SECONDS
//
// prints one line of JSON: its `issuer`, the URL of its keys (`jwks`), and what else a server needs to check its tokens
// (`algorithm`, `audience`), which are JWTs that expire after SECONDS. Then it reads one line of JSON: the URLs of the
// servers (`resources`) and the redirect URI of a manually registered client (`redirect`). It prints `ready` once it
// answers.
//
// `keycloak` is `oidc-provider` configured like Keycloak 26: its issuer has a path, it only has OpenID's metadata,
// registers no unknown clients, ignores `resource`, uses one audience for all servers (as a mapper would), and doesn't
// rotate refresh tokens.

import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import express from "express";

console.info = console.warn = () => {};
const [kind, seconds] = process.argv.slice(2);
const life = Number(seconds);

const app = express();
const server = createServer(app);
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const base = `http://127.0.0.1:${server.address().port}`;

/** Prints what servers need to know, and reads the test's answer. */
async function configured(told) {
  console.log(JSON.stringify(told));
  return JSON.parse((await createInterface({ input: process.stdin })[Symbol.asyncIterator]().next()).value);
}

/** Runs `oidc-provider`. `audienceOf` returns the audience of a server. */
async function oidc(issuer, audienceOf, { features, ...more }) {
  const { Provider } = await import("oidc-provider");
  const getResourceServerInfo = (_, resource) => {
    return { scope: "tools", audience: audienceOf(resource), accessTokenTTL: life, accessTokenFormat: "jwt" };
  };
  const resourceIndicators = { enabled: true, getResourceServerInfo };
  return new Provider(issuer, {
    cookies: { keys: [randomBytes(16).toString("hex")] },
    features: { ...features, resourceIndicators: { ...resourceIndicators, ...features.resourceIndicators } },
    pkce: { required: () => true },
    ...more,
  }).callback();
}

async function oidcProvider() {
  const { resources } = await configured({ issuer: base, jwks: `${base}/jwks` });
  const audienceOf = (resource) => {
    if (!resources.includes(resource)) throw new Error("no such resource");
    return resource;
  };
  app.use(await oidc(base, audienceOf, { features: { registration: { enabled: true } } }));
}

async function keycloak() {
  const realm = "/realms/harbour";
  const issuer = `${base}${realm}`;
  const path = "/protocol/openid-connect";
  const audience = "https://mcp.example.org";
  const { redirect } = await configured({ issuer, jwks: `${issuer}${path}/certs`, audience });
  const habits = {
    clients: [
      {
        client_id: "mooring",
        application_type: "native",
        grant_types: ["authorization_code", "refresh_token"],
        redirect_uris: [redirect],
        token_endpoint_auth_method: "none",
      },
    ],
    features: {
      registration: { enabled: true },
      resourceIndicators: { defaultResource: () => audience, useGrantedResource: () => true },
      revocation: { enabled: true },
    },
    formats: {
      customizers: {
        jwt: (_, token, { header, payload: { client_id: azp, aud, ...claims } }) => {
          return { header: { ...header, typ: "JWT" }, payload: { ...claims, azp, aud: [aud, "account"], typ: "Bearer" } };
        },
      },
    },
    rotateRefreshToken: false,
    routes: {
      authorization: `${path}/auth`,
      jwks: `${path}/certs`,
      registration: "/clients-registrations/openid-connect",
      revocation: `${path}/revoke`,
      token: `${path}/token`,
      userinfo: `${path}/userinfo`,
    },
  };
  const provider = await oidc(issuer, () => audience, habits);
  app.post(`${realm}${habits.routes.registration}`, (_, response) => {
    const error_description = "Policy 'Trusted Hosts' rejected request to client-registration service. Details: Host not trusted.";
    response.status(403).json({ error: "insufficient_scope", error_description });
  });
  app.use(realm, express.urlencoded({ extended: false }), (request, response, next) => {
    const url = new URL(request.url, base);
    url.searchParams.delete("resource");
    request.url = `${url.pathname}${url.search}`;
    if (request.body) delete request.body.resource;
    return provider(request, response, next);
  });
}

async function betterAuth() {
  const { betterAuth: build } = await import("better-auth");
  const { memoryAdapter } = await import("better-auth/adapters/memory");
  const { getAuthTables } = await import("better-auth/db");
  const { toNodeHandler } = await import("better-auth/node");
  const { jwt } = await import("better-auth/plugins");
  const { oauthProvider } = await import("@better-auth/oauth-provider");
  const issuer = `${base}/api/auth`;
  const { resources } = await configured({ issuer, jwks: `${issuer}/jwks`, algorithm: "EdDSA" });
  const options = {
    baseURL: base,
    secret: randomBytes(32).toString("hex"),
    emailAndPassword: { enabled: true },
    logger: { disabled: true },
    plugins: [
      jwt(),
      oauthProvider({
        loginPage: "/login",
        consentPage: "/consent",
        scopes: ["openid", "profile", "email", "offline_access", "tools"],
        allowDynamicClientRegistration: true,
        allowUnauthenticatedClientRegistration: true,
        accessTokenExpiresIn: life,
        resources,
        clientRegistrationDefaultResources: resources,
      }),
    ],
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
  };
  const tables = Object.fromEntries(Object.keys(getAuthTables(options)).map((name) => [name, []]));
  const auth = build({ ...options, database: memoryAdapter(tables) });
  const account = { email: "ada@example.org", password: "a long password" };
  await auth.api.signUpEmail({ body: { ...account, name: "Ada" } });
  // The developer must provide its pages.
  const page = (action) => (request, response) => {
    const [, query] = request.url.split("?");
    response.send(`<form action="${action}?${query.replaceAll("&", "&amp;")}" method="post"><input name="name"></form>`);
  };
  const answered = (path, body) => async (request, response) => {
    const headers = { "content-type": "application/json", origin: base, cookie: request.headers.cookie ?? "" };
    const sent = { ...body, oauth_query: request.url.split("?")[1] };
    const answer = await fetch(`${issuer}${path}`, { method: "POST", headers, body: JSON.stringify(sent) });
    const { url } = await answer.json();
    response.setHeader("set-cookie", answer.headers.getSetCookie());
    response.redirect(303, url);
  };
  app.get("/login", page("/login")).post("/login", answered("/sign-in/email", account));
  app.get("/consent", page("/consent")).post("/consent", answered("/oauth2/consent", { accept: true }));
  app.all("/api/auth/*splat", toNodeHandler(auth));
}

const kinds = { "oidc-provider": oidcProvider, keycloak, "better-auth": betterAuth };
await kinds[kind]();
console.log("ready");
