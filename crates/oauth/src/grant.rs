//! The grants besides the authorization code: refresh token, client credentials, assertions, and token
//! exchange.

use crate::assertion::{AssertionFuture, AssertionSource};
use crate::client::Client;
use crate::clock::Clock;
use crate::error::Error;
use crate::http::Http;
use crate::server::AuthorizationServer;
use crate::steps::StepObserver;
use crate::token::{Form, TokenEndpoint, TokenSet};
use mooring_words::say;
use secrecy::{ExposeSecret, SecretString};

/// `grant_type` of an assertion (RFC 7523 §2.1).
const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/// `grant_type` of an exchange (RFC 8693 §2.1).
const TOKEN_EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
/// The type of an identity assertion authorization grant.
const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";

/// The access that is requested with a token.
#[derive(Debug, Clone, Default)]
pub struct RequestedAccess<'a> {
    /// The server that the token is for (`resource`, RFC 8707), in its canonical form.
    pub resource: Option<&'a str>,
    /// The requested scopes. If it is empty, the server chooses.
    pub scopes: &'a [String],
}

impl TokenEndpoint<'_> {
    /// Requests a new access token with a refresh token (RFC 6749 §6). The request names no scopes, so that
    /// the grant is not changed.
    ///
    /// The response may omit values that have not changed. See [`TokenSet::inheriting_from`].
    pub async fn refresh(&self, refresh: &SecretString, resource: Option<&str>) -> Result<TokenSet, Error> {
        let mut form: Form<'_> =
            vec![("grant_type", "refresh_token"), ("refresh_token", refresh.expose_secret())];
        form.extend(resource.map(|resource| ("resource", resource)));
        self.request_token(form).await
    }

    /// Requests a token for the client itself, without a person (RFC 6749 §4.4).
    pub async fn client_credentials(&self, wanted: RequestedAccess<'_>) -> Result<TokenSet, Error> {
        self.request_token_for(vec![("grant_type", "client_credentials")], &wanted).await
    }

    /// Requests a token with an assertion (RFC 7523 §2.1). Does not retry if the assertion is refused.
    pub async fn jwt_bearer(
        &self,
        assertion: &SecretString,
        wanted: RequestedAccess<'_>,
    ) -> Result<TokenSet, Error> {
        let form = vec![("grant_type", JWT_BEARER), ("assertion", assertion.expose_secret())];
        self.request_token_for(form, &wanted).await
    }

    /// Exchanges a token of this server for an identity assertion authorization grant for the server
    /// `audience` (RFC 8693).
    pub async fn id_jag(
        &self,
        subject: SubjectToken<'_>,
        audience: &str,
        wanted: RequestedAccess<'_>,
    ) -> Result<SecretString, Error> {
        let (kind, token) = subject.type_and_value();
        let scope = wanted.scopes.join(" ");
        let mut form: Form<'_> = vec![
            ("grant_type", TOKEN_EXCHANGE),
            ("requested_token_type", ID_JAG),
            ("audience", audience),
            ("subject_token", token.expose_secret()),
            ("subject_token_type", kind),
        ];
        form.extend(wanted.resource.map(|resource| ("resource", resource)));
        form.extend((!scope.is_empty()).then_some(("scope", scope.as_str())));
        let answer = self.send_grant(form).await?;
        match answer.issued {
            Some(issued) if issued != ID_JAG => Err(Error::Refused(say!(
                "{host} issued a token of an unsupported type: {kind}",
                host = self.host(),
                kind = issued
            ))),
            _ => Ok(answer.tokens.access),
        }
    }

    async fn request_token_for(
        &self,
        mut form: Form<'_>,
        wanted: &RequestedAccess<'_>,
    ) -> Result<TokenSet, Error> {
        let scope = wanted.scopes.join(" ");
        form.extend(wanted.resource.map(|resource| ("resource", resource)));
        form.extend((!scope.is_empty()).then_some(("scope", scope.as_str())));
        self.request_token(form).await
    }
}

/// The token that is exchanged at an identity provider.
#[derive(Debug, Clone, Copy)]
pub enum SubjectToken<'a> {
    /// An ID token of a sign-in with OpenID Connect.
    IdToken(&'a SecretString),
    /// The refresh token of a current sign-in, if the provider accepts it. This includes sign-ins with SAML.
    Refresh(&'a SecretString),
}

impl<'a> SubjectToken<'a> {
    fn type_and_value(self) -> (&'static str, &'a SecretString) {
        match self {
            Self::IdToken(token) => ("urn:ietf:params:oauth:token-type:id_token", token),
            Self::Refresh(token) => ("urn:ietf:params:oauth:token-type:refresh_token", token),
        }
    }
}

/// Grants that an enterprise's identity provider issues for its users (Enterprise-Managed Authorization). A
/// user signs in once at the provider, and never at the server's own authorization server.
#[derive(Debug, Clone)]
pub struct EnterpriseManaged {
    /// Sends the requests.
    pub http: Http,
    /// Receives the steps.
    pub trail: StepObserver,
    /// The identity provider, whose token endpoint is used.
    pub provider: AuthorizationServer,
    /// The client at the identity provider. It differs from the client at the server's authorization server.
    pub client: Client,
    /// The ID token of the user's sign-in at the provider.
    pub id_token: SecretString,
    /// The issuer of the authorization server that the grant is for.
    pub audience: String,
    /// The MCP server that the grant is for.
    pub resource: String,
    /// The requested scopes.
    pub scopes: Vec<String>,
    /// The clock.
    pub clock: Clock,
}

impl AssertionSource for EnterpriseManaged {
    fn assertion(&self) -> AssertionFuture<'_> {
        Box::pin(async {
            let endpoint = TokenEndpoint {
                http: &self.http,
                trail: &self.trail,
                server: &self.provider,
                client: &self.client,
                dpop: None,
                clock: &self.clock,
            };
            let wanted = RequestedAccess { resource: Some(&self.resource), scopes: &self.scopes };
            endpoint.id_jag(SubjectToken::IdToken(&self.id_token), &self.audience, wanted).await
        })
    }
}
