"""A server built with version 1 of the Python SDK, for the tokens of an authorization server that somebody else wrote:

    python python_resource.py ISSUER

prints its address. Tokens are JWTs, and are checked with the keys of the issuer.
"""

import asyncio
import socket
import sys

import jwt
import uvicorn
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.fastmcp import FastMCP

issuer = sys.argv[1]
listener = socket.create_server(("127.0.0.1", 0))
resource = f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
keys = jwt.PyJWKClient(f"{issuer}/jwks")


class Verifier:
    async def verify_token(self, token):
        try:
            key = await asyncio.to_thread(keys.get_signing_key_from_jwt, token)
            claims = jwt.decode(token, key, algorithms=["RS256"], audience=resource, issuer=issuer)
        except jwt.PyJWTError:
            return None
        about = {"client_id": claims["client_id"], "expires_at": claims["exp"], "resource": resource}
        return AccessToken(token=token, scopes=claims["scope"].split(), **about)


settings = AuthSettings(issuer_url=issuer, resource_server_url=resource, required_scopes=["tools"])
server = FastMCP("behind-another", token_verifier=Verifier(), auth=settings)


@server.tool()
def scopes() -> str:
    return " ".join(get_access_token().scopes)


print(resource, flush=True)
config = uvicorn.Config(server.streamable_http_app(), log_level="error")
asyncio.run(uvicorn.Server(config).serve(sockets=[listener]))
