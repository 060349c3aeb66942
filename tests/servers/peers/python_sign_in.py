"""A server that is its own authorization server, from the parts that an SDK brings for that:

    python python_sign_in.py sdk|fastmcp SECONDS

`sdk` is the Python SDK, in version 1 or 2, with a store of its own; `fastmcp` is FastMCP with its provider in memory. Whoever
asks is let in at once. Tokens live for SECONDS, and from `POST /life/SECONDS` on for as long as that says. `GET /seen` tells
what happened so far: it holds no token. Other servers are told at `POST /introspection` what a token is good for (RFC 7662).
"""

import asyncio
import logging
import secrets
import socket
import sys
import time
from collections import Counter

import uvicorn
from mcp.server.auth.provider import AccessToken, AuthorizationCode, RefreshToken, construct_redirect_uri
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions, RevocationOptions
from mcp.shared.auth import OAuthToken
from starlette.responses import JSONResponse

KIND, LIFE = sys.argv[1], int(sys.argv[2])
SCOPES = ["tools"]
listener = socket.create_server(("127.0.0.1", 0))
BASE = f"http://127.0.0.1:{listener.getsockname()[1]}"
seen = Counter()
methods = []


class Store:
    """What an authorization server of the SDK has to keep: clients, codes and tokens."""

    def __init__(self):
        self.life = LIFE
        self.clients, self.codes, self.access_tokens, self.refresh_tokens = {}, {}, {}, {}

    async def get_client(self, client_id):
        return self.clients.get(client_id)

    async def register_client(self, client_info):
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client, params):
        code = AuthorizationCode(
            code=secrets.token_urlsafe(32),
            client_id=client.client_id,
            scopes=params.scopes or SCOPES,
            expires_at=time.time() + 300,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        self.codes[code.code] = code
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state)

    def issue(self, client_id, scopes, resource):
        access, refresh = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        about = {"client_id": client_id, "scopes": scopes}
        end = int(time.time()) + self.life
        self.access_tokens[access] = AccessToken(token=access, expires_at=end, resource=resource, **about)
        self.refresh_tokens[refresh] = RefreshToken(token=refresh, **about), resource
        scope = " ".join(scopes)
        return OAuthToken(access_token=access, expires_in=self.life, scope=scope, refresh_token=refresh)

    async def load_authorization_code(self, client, authorization_code):
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(self, client, authorization_code):
        code = self.codes.pop(authorization_code.code)
        return self.issue(client.client_id, code.scopes, code.resource)

    async def load_refresh_token(self, client, refresh_token):
        return self.refresh_tokens.get(refresh_token, (None, None))[0]

    async def exchange_refresh_token(self, client, refresh_token, scopes):
        _, resource = self.refresh_tokens.pop(refresh_token.token)
        return self.issue(client.client_id, scopes, resource)

    async def load_access_token(self, token):
        found = self.access_tokens.get(token)
        return found if found and found.expires_at > time.time() else None

    async def revoke_token(self, token):
        self.access_tokens.clear()
        self.refresh_tokens.clear()


def counted(provider):
    """The same provider, which notes what is asked of it."""

    class Counted(provider):
        async def register_client(self, client_info):
            seen["registered"] += 1
            methods.append(client_info.token_endpoint_auth_method)
            await super().register_client(client_info)

        async def exchange_authorization_code(self, client, authorization_code):
            seen["codes"] += 1
            return await super().exchange_authorization_code(client, authorization_code)

        async def exchange_refresh_token(self, client, refresh_token, scopes):
            seen["refreshed"] += 1
            return await super().exchange_refresh_token(client, refresh_token, scopes)

        async def revoke_token(self, token):
            seen["revoked"] += 1
            await super().revoke_token(token)

    return Counted


registration = ClientRegistrationOptions(enabled=True, valid_scopes=SCOPES, default_scopes=SCOPES)
if KIND == "fastmcp":
    from fastmcp import FastMCP
    from fastmcp.server.auth.providers import in_memory

    def live_for(seconds):
        in_memory.DEFAULT_ACCESS_TOKEN_EXPIRY_SECONDS = seconds

    live_for(LIFE)
    logging.disable()
    provider = counted(in_memory.InMemoryOAuthProvider)(
        base_url=BASE,
        client_registration_options=registration,
        revocation_options=RevocationOptions(enabled=True),
        required_scopes=SCOPES,
    )
    server = FastMCP("signed-in", auth=provider)
    application = server.http_app
else:
    try:
        from mcp.server.mcpserver import MCPServer as Server
    except ImportError:
        from mcp.server.fastmcp import FastMCP as Server

    def live_for(seconds):
        provider.life = seconds

    provider = counted(Store)()
    settings = AuthSettings(
        issuer_url=BASE,
        resource_server_url=f"{BASE}/mcp",
        required_scopes=SCOPES,
        client_registration_options=registration,
        revocation_options=RevocationOptions(enabled=True),
    )
    server = Server("signed-in", auth_server_provider=provider, auth=settings)
    application = server.streamable_http_app


@server.tool()
def echo(text: str) -> str:
    return text


@server.custom_route("/seen", methods=["GET"])
async def tell(request):
    alive = sum(token.expires_at > time.time() for token in provider.access_tokens.values())
    left = len(provider.refresh_tokens)
    return JSONResponse({**seen, "methods": methods, "alive": alive, "refresh_tokens": left})


@server.custom_route("/introspection", methods=["POST"])
async def introspect(request):
    found = await provider.load_access_token((await request.form())["token"])
    if not found:
        return JSONResponse({"active": False})
    about = {"client_id": found.client_id, "scope": " ".join(found.scopes), "aud": found.resource}
    return JSONResponse({"active": True, "exp": found.expires_at, **about})


@server.custom_route("/life/{seconds}", methods=["POST"])
async def live(request):
    live_for(int(request.path_params["seconds"]))
    return JSONResponse({})


print(f"{BASE}/mcp", flush=True)
config = uvicorn.Config(application(), log_level="error")
asyncio.run(uvicorn.Server(config).serve(sockets=[listener]))
