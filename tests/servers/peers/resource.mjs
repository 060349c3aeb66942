// A server built with version 1 of the TypeScript SDK, for the tokens of a third-party authorization server:
//
//   node resource.mjs '{"issuer": …, "jwks": …, "introspection": …, "audience": …}'
//
// prints its URL. Tokens are JWTs checked with the keys at `jwks`, or are introspected at `introspection` (RFC 7662) as
// the client `resource-server` with the secret `known`. Without `audience` they must be for this server. `null` accepts
// any audience.

import { createServer } from "node:http";
import express from "express";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { InvalidTokenError } from "@modelcontextprotocol/sdk/server/auth/errors.js";
import { requireBearerAuth } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js";
import { getOAuthProtectedResourceMetadataUrl, mcpAuthMetadataRouter } from "@modelcontextprotocol/sdk/server/auth/router.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { sessions } from "./sessions.mjs";

const { issuer, jwks, introspection, audience } = JSON.parse(process.argv[2]);
const app = express();
const server = createServer(app);
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const resource = `http://127.0.0.1:${server.address().port}/mcp`;

const keys = jwks && createRemoteJWKSet(new URL(jwks));
async function claimsOf(token) {
  if (keys)
    return (await jwtVerify(token, keys, { issuer, audience: audience === undefined ? resource : (audience ?? undefined) })).payload;
  const headers = { authorization: `Basic ${Buffer.from("resource-server:known").toString("base64")}` };
  const answer = await fetch(introspection, { method: "POST", headers, body: new URLSearchParams({ token }) });
  const claims = await answer.json();
  if (!claims.active) throw new Error("not active");
  return claims;
}
const verifier = {
  async verifyAccessToken(token) {
    const { client_id, azp, scope, exp } = await claimsOf(token).catch((error) => {
      throw new InvalidTokenError(error.message);
    });
    return { token, clientId: client_id ?? azp, scopes: scope.split(" "), expiresAt: exp };
  },
};

const build = () => {
  const server = new McpServer({ name: "behind-another", version: "1.0.0" });
  server.registerTool("scopes", {}, ({ authInfo }) => ({ content: [{ type: "text", text: authInfo.scopes.join(" ") }] }));
  return server;
};

// The metadata that the SDK's router needs. Not fetched from the authorization server, which may not be ready yet.
const oauthMetadata = { issuer, authorization_endpoint: issuer, token_endpoint: issuer, response_types_supported: ["code"] };
const resourceServerUrl = new URL(resource);
app.get("/.well-known/oauth-authorization-server", (_, response) => response.status(404).end());
app.use(mcpAuthMetadataRouter({ oauthMetadata, resourceServerUrl, scopesSupported: ["tools"] }));
const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(resourceServerUrl);
app.all(
  "/mcp",
  requireBearerAuth({ verifier, requiredScopes: ["tools"], resourceMetadataUrl }),
  sessions(StreamableHTTPServerTransport, build),
);
console.log(resource);
