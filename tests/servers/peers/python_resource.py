"""A server for the tokens of an authorization server that somebody else wrote, built with the Python SDK, in version 1 or 2,
or with FastMCP:

    python python_resource.py sdk|fastmcp '{"issuer": …, "jwks": …, "introspection": …, "audience": …, "algorithm": …}'

prints its address. Tokens are JWTs and are checked with the keys at `jwks`, or are asked about at `introspection` (RFC 7662)
as `resource-server` with the secret `known`. Without `audience` they have to be for this server; `null` is for any.
"""

import asyncio
import json
import socket
import sys

import jwt
import uvicorn

kind, told = sys.argv[1], json.loads(sys.argv[2])
issuer, jwks, introspection = told["issuer"], told.get("jwks"), told.get("introspection")
listener = socket.create_server(("127.0.0.1", 0))
base = f"http://127.0.0.1:{listener.getsockname()[1]}"
resource = f"{base}/mcp"
audience = told.get("audience", resource)
algorithm = told.get("algorithm", "RS256")
SCOPES = ["tools"]
ITSELF = ("resource-server", "known")


def sdk():
    try:
        import httpx2 as httpx
        from mcp.server.mcpserver import MCPServer as Server
    except ImportError:
        import httpx
        from mcp.server.fastmcp import FastMCP as Server
    from mcp.server.auth.middleware.auth_context import get_access_token
    from mcp.server.auth.provider import AccessToken
    from mcp.server.auth.settings import AuthSettings

    keys = jwks and jwt.PyJWKClient(jwks)

    async def claims_of(token):
        if not keys:
            async with httpx.AsyncClient() as client:
                return (await client.post(introspection, data={"token": token}, auth=ITSELF)).json()
        key = await asyncio.to_thread(keys.get_signing_key_from_jwt, token)
        options = {"verify_aud": audience is not None}
        return jwt.decode(token, key, algorithms=[algorithm], audience=audience, issuer=issuer, options=options)

    class Verifier:
        async def verify_token(self, token):
            try:
                claims = await claims_of(token)
            except jwt.PyJWTError:
                return None
            if not claims.get("active", True):
                return None
            client_id = claims.get("client_id") or claims["azp"]
            about = {"client_id": client_id, "expires_at": claims["exp"], "resource": resource}
            return AccessToken(token=token, scopes=claims["scope"].split(), **about)

    settings = AuthSettings(issuer_url=issuer, resource_server_url=resource, required_scopes=SCOPES)
    server = Server("behind-another", token_verifier=Verifier(), auth=settings)
    return server, server.streamable_http_app, get_access_token


def fastmcp():
    from fastmcp import FastMCP
    from fastmcp.server.auth import RemoteAuthProvider
    from fastmcp.server.auth.providers.introspection import IntrospectionTokenVerifier
    from fastmcp.server.auth.providers.jwt import JWTVerifier
    from fastmcp.server.dependencies import get_access_token

    common = {"required_scopes": SCOPES, "audience": audience}
    if jwks:
        verifier = JWTVerifier(jwks_uri=jwks, issuer=issuer, algorithm=algorithm, **common)
    else:
        client = {"client_id": ITSELF[0], "client_secret": ITSELF[1]}
        verifier = IntrospectionTokenVerifier(introspection_url=introspection, **client, **common)
    auth = RemoteAuthProvider(token_verifier=verifier, authorization_servers=[issuer], base_url=base)
    server = FastMCP("behind-another", auth=auth)
    return server, server.http_app, get_access_token


server, application, get_access_token = {"sdk": sdk, "fastmcp": fastmcp}[kind]()


@server.tool()
def scopes() -> str:
    return " ".join(get_access_token().scopes)


print(resource, flush=True)
config = uvicorn.Config(application(), log_level="error")
asyncio.run(uvicorn.Server(config).serve(sockets=[listener]))
