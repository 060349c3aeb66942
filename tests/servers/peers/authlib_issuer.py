"""An authorization server from Authlib's parts, with its tables and its Flask integration as they come, for any servers:

    python authlib_issuer.py SECONDS

prints one line of JSON: its `issuer`, and where it is asked about its tokens (`introspection`), which are opaque, for no
audience, and end after SECONDS; those that follow them last for the rest of the day.
"""

import json
import os
import sys

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "true"

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.integrations.sqla_oauth2 import (
    OAuth2AuthorizationCodeMixin,
    OAuth2ClientMixin,
    OAuth2TokenMixin,
    create_query_client_func,
    create_query_token_func,
    create_revocation_endpoint,
    create_save_token_func,
)
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant, RefreshTokenGrant
from authlib.oauth2.rfc7591 import ClientRegistrationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc7662 import IntrospectionEndpoint
from authlib.oauth2.rfc9207 import IssuerParameter
from flask import Flask, jsonify
from sqlalchemy import Column, Integer, create_engine
from sqlalchemy.orm import DeclarativeBase, Session
from sqlalchemy.pool import StaticPool
from werkzeug.serving import WSGIRequestHandler, make_server


class Base(DeclarativeBase):
    pass


class Client(Base, OAuth2ClientMixin):
    __tablename__ = "client"
    id = Column(Integer, primary_key=True)


class Code(Base, OAuth2AuthorizationCodeMixin):
    __tablename__ = "code"
    id = Column(Integer, primary_key=True)
    user_id = Column(Integer)


class Token(Base, OAuth2TokenMixin):
    __tablename__ = "token"
    id = Column(Integer, primary_key=True)
    user_id = Column(Integer)


class Ada:
    def get_user_id(self):
        return 1


class CodeGrant(AuthorizationCodeGrant):
    def save_authorization_code(self, code, request):
        data = request.payload.data
        session.add(
            Code(
                code=code,
                client_id=request.client.client_id,
                redirect_uri=request.payload.redirect_uri,
                scope=request.scope,
                user_id=request.user.get_user_id(),
                code_challenge=data.get("code_challenge"),
                code_challenge_method=data.get("code_challenge_method"),
            )
        )
        session.commit()

    def query_authorization_code(self, code, client):
        found = session.query(Code).filter_by(code=code, client_id=client.client_id).first()
        return found if found and not found.is_expired() else None

    def delete_authorization_code(self, authorization_code):
        session.delete(authorization_code)
        session.commit()

    def authenticate_user(self, authorization_code):
        return Ada()


class RenewalGrant(RefreshTokenGrant):
    def authenticate_refresh_token(self, refresh_token):
        found = session.query(Token).filter_by(refresh_token=refresh_token).first()
        return found if found and not found.is_revoked() else None

    def authenticate_user(self, refresh_token):
        return Ada()

    def revoke_old_credential(self, refresh_token):
        refresh_token.access_token_revoked_at = 1
        session.commit()


class Registration(ClientRegistrationEndpoint):
    def authenticate_token(self, request):
        return "anybody"

    def get_server_metadata(self):
        return metadata

    def save_client(self, client_info, client_metadata, request):
        client = Client(**client_info)
        client.set_client_metadata(client_metadata)
        session.add(client)
        session.commit()
        return client


class Introspection(IntrospectionEndpoint):
    def check_permission(self, token, client, request):
        return client.client_id == "resource-server"

    def query_token(self, token_string, token_type_hint):
        return create_query_token_func(session, Token)(token_string, token_type_hint)

    def introspect_token(self, token):
        about = {"client_id": token.client_id, "scope": token.scope, "iat": token.issued_at}
        return {**about, "exp": token.issued_at + token.expires_in}


class Issuer(IssuerParameter):
    def get_issuer(self):
        return base


app = Flask("issuer")
app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
app.config["OAUTH2_TOKEN_EXPIRES_IN"] = {"authorization_code": int(sys.argv[1])}
engine = create_engine("sqlite://", connect_args={"check_same_thread": False}, poolclass=StaticPool)
Base.metadata.create_all(engine)
session = Session(engine)
server = AuthorizationServer(app, create_query_client_func(session, Client), create_save_token_func(session, Token))
server.register_grant(CodeGrant, [CodeChallenge(required=True)])
server.register_grant(RenewalGrant)
server.register_endpoint(Registration)
server.register_endpoint(Introspection)
server.register_endpoint(create_revocation_endpoint(session, Token))
server.register_extension(Issuer())


@app.get("/.well-known/oauth-authorization-server")
def tell():
    return jsonify(metadata)


@app.get("/authorize")
def ask():
    server.get_consent_grant(end_user=Ada())
    return '<form method="post"><input name="agreed"></form>'


@app.post("/authorize")
def agreed():
    return server.create_authorization_response(grant_user=Ada(), grant=server.get_consent_grant(end_user=Ada()))


@app.post("/token")
def token():
    return server.create_token_response()


@app.post("/<any(client_registration, introspection, revocation):name>")
def endpoint(name):
    return server.create_endpoint_response(name)


class Silent(WSGIRequestHandler):
    def log_request(self, *_):
        pass


listener = make_server("127.0.0.1", 0, app, request_handler=Silent)
base = f"http://127.0.0.1:{listener.port}"
metadata = {
    "issuer": base,
    "authorization_endpoint": f"{base}/authorize",
    "token_endpoint": f"{base}/token",
    "registration_endpoint": f"{base}/client_registration",
    "revocation_endpoint": f"{base}/revocation",
    "scopes_supported": ["tools"],
    "response_types_supported": ["code"],
    "grant_types_supported": ["authorization_code", "refresh_token"],
    "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
    "code_challenge_methods_supported": ["S256"],
    "authorization_response_iss_parameter_supported": True,
}
itself = Client(client_id="resource-server", client_secret="known")
itself.set_client_metadata({"token_endpoint_auth_method": "client_secret_basic"})
session.add(itself)
session.commit()
print(json.dumps({"issuer": base, "introspection": f"{base}/introspection", "audience": None}), flush=True)
listener.serve_forever()
