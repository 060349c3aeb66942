//! Our client at the authorization server of a sign-in: entered by the person, described by a Client ID
//! Metadata Document, or registered dynamically.

use std::time::SystemTime;

use mooring_oauth::{
    CallbackListener, ChosenClient, Client, ClientAuthentication, ClientCandidates, ClientChoice, Error,
    PreRegistered, REDIRECT_PORTS, RedirectAddress, Registration, authentication_for, choose_client,
    document_redirects, register,
};
use mooring_store::{NewRegistration, RegistrationOrigin};
use mooring_words::{Sentence, say};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;
use zeroize::Zeroizing;

use super::flow::SignInFlow;
use super::{SignInService, lock, remember_for_target};
use crate::login_store::store_error;

/// A client that the person entered earlier.
pub(super) struct EnteredClient {
    /// The issuer that the client is registered with.
    issuer: String,
    client: Client,
    redirect: Option<Url>,
}

/// How our client is registered with the authorization server.
pub(super) enum ClientRecord {
    /// With a stored registration. Contains its id.
    Stored(i64),
    /// With a new registration, which is stored after the first successful sign-in.
    New(RegistrationOrigin, Option<Url>),
}

impl ClientRecord {
    /// A client that the person entered, without a redirect URI.
    pub(super) const ENTERED: Self = Self::New(RegistrationOrigin::Entered, None);
}

/// The choice of our client, and what it was made from.
pub(super) struct ClientDecision {
    pub(super) chosen: ChosenClient,
    /// The redirect URI that the person registered the client with.
    redirect: Option<Url>,
    /// Our earlier registration and its id.
    earlier: Option<(i64, Registration)>,
}

impl SignInService {
    /// The client that the person entered earlier, for this issuer or else for the issuer of the server's
    /// current login. An error can then name that client if the server now asks to sign in elsewhere
    /// (AUTH-21).
    pub(super) async fn load_entered_client(
        &self,
        before: Option<i64>,
        issuer: &str,
    ) -> Result<Option<EnteredClient>, Error> {
        let login_store = &self.inner.login_store;
        let known = login_store.registrations.current(issuer, RegistrationOrigin::Entered).await;
        let mut row = known.map_err(|error| store_error(&error))?;
        if let (None, Some(id)) = (&row, before) {
            let elsewhere = login_store.registrations.get(id).await.map_err(|error| store_error(&error))?;
            row = elsewhere.filter(|row| row.registration.origin == RegistrationOrigin::Entered);
        }
        let Some(row) = row else { return Ok(None) };
        let client = login_store.load_registered_client(&row).await?;
        let redirect = row.registration.redirect.as_deref().and_then(|redirect| Url::parse(redirect).ok());
        Ok(Some(EnteredClient { issuer: row.registration.issuer, client, redirect }))
    }
}

impl SignInFlow<'_> {
    /// The client that the person entered. A sign-in without a browser needs one.
    pub(super) fn require_entered_client(&self) -> Result<Client, Error> {
        let earlier = self.entered.as_ref().filter(|entered| entered.issuer == self.found.server.issuer);
        let earlier = earlier.map(|entered| entered.client.clone());
        let issuer = &self.found.server.issuer;
        let needed = |sentence| {
            self.remember_client_needed();
            Error::ClientNeeded { sentence, redirect: None }
        };
        let given = match (&self.wanted.client, self.issuer_of_wanted_client()) {
            (Some(_), Some(other)) if other != *issuer => {
                return Err(needed(say!(
                    "the client ID entered belongs to {other}, but the server now asks to sign in at {issuer}: enter one for it",
                    other = other,
                    issuer
                )));
            }
            (given, _) => given.clone(),
        };
        let client = given.or(earlier).ok_or_else(|| {
            needed(say!(
                "{issuer} requires a registered client: register one there, and enter its ID",
                issuer
            ))
        })?;
        Ok(self.with_authentication(client))
    }

    /// The issuer for which the person was asked to enter a client. The entered client is sent to no other
    /// issuer, whatever the server says in the meantime.
    fn issuer_of_wanted_client(&self) -> Option<String> {
        lock(&self.sign_ins.inner.clients_wanted).get(&self.asking).cloned()
    }

    fn remember_client_needed(&self) {
        remember_for_target(
            &self.sign_ins.inner.clients_wanted,
            &self.asking,
            self.found.server.issuer.clone(),
        );
    }

    /// The client with an authentication method that the authorization server supports.
    fn with_authentication(&self, client: Client) -> Client {
        if client.authentication == ClientAuthentication::PrivateKeyJwt {
            return client;
        }
        let authentication = authentication_for(&self.found.server, client.secret.is_some());
        Client { authentication, ..client }
    }

    /// The pre-registered client, which the person entered now or earlier, and its redirect URI.
    fn find_pre_registered(&self) -> (Option<PreRegistered>, Option<Url>) {
        match (&self.wanted.client, &self.entered) {
            (Some(client), _) => {
                let client = self.with_authentication(client.clone());
                (
                    Some(PreRegistered { issuer: self.issuer_of_wanted_client(), client }),
                    self.wanted.redirect.clone(),
                )
            }
            (None, Some(entered)) => {
                let client = self.with_authentication(entered.client.clone());
                (
                    Some(PreRegistered { issuer: Some(entered.issuer.clone()), client }),
                    entered.redirect.clone(),
                )
            }
            (None, None) => (None, None),
        }
    }

    /// Chooses our client at the authorization server. Also returns the redirect URI that the person entered,
    /// and our earlier registration.
    pub(super) async fn choose_client(&self) -> Result<ClientDecision, Error> {
        let (pre_registered, redirect) = self.find_pre_registered();
        let earlier = self.find_earlier_registration().await?;
        let candidates = ClientCandidates {
            pre_registered,
            document: self.wanted.document.clone(),
            earlier: earlier.as_ref().map(|(_, registration)| registration.clone()),
        };
        let chosen = choose_client(&self.found.server, &candidates, None, SystemTime::now(), &self.trail)?;
        Ok(ClientDecision { chosen, redirect, earlier })
    }

    /// Where the browser may return to, for a client that is already known to the authorization server.
    pub(super) fn redirects_of(&self, decision: &ClientDecision) -> Result<Vec<RedirectAddress>, Error> {
        let issuer = &self.found.server.issuer;
        match (&decision.chosen.choice, &decision.redirect, &decision.earlier) {
            (ClientChoice::PreRegistered(_), Some(redirect), _) => {
                registered_redirects(std::slice::from_ref(redirect))
            }
            (ClientChoice::PreRegistered(_), None, _) => Ok(entered_client_redirects(issuer)),
            (ClientChoice::Document(_), ..) => registered_redirects(&document_redirects(issuer)),
            (ClientChoice::Earlier(_), _, Some((_, registration))) => {
                let uris = registration.redirect_uris.iter();
                registered_redirects(&uris.filter_map(|uri| Url::parse(uri).ok()).collect::<Vec<_>>())
            }
            (ClientChoice::Earlier(_) | ClientChoice::Register | ClientChoice::Ask, ..) => {
                Ok(vec![RedirectAddress::for_issuer(issuer)])
            }
        }
    }

    /// Our client at the authorization server, its registration, and the listener for the redirect.
    pub(super) async fn resolve_client(&self) -> Result<(Client, ClientRecord, CallbackListener), Error> {
        let decision = self.choose_client().await.map_err(|error| self.with_registration_advice(error))?;
        let places = self.redirects_of(&decision);
        let ClientDecision { chosen: identity, redirect, earlier } = decision;
        match identity.choice {
            ClientChoice::PreRegistered(client) => {
                let listener = self.listen_for_redirect(&places?)?;
                Ok((client, ClientRecord::New(RegistrationOrigin::Entered, redirect), listener))
            }
            ClientChoice::Document(client) => {
                let listener = self.listen_for_redirect(&places?)?;
                Ok((client, ClientRecord::New(RegistrationOrigin::Cimd, None), listener))
            }
            ClientChoice::Earlier(client) => {
                if let (Ok(listener), Some((id, _))) =
                    (places.and_then(|places| self.listen_for_redirect(&places)), earlier)
                {
                    // Some servers forget a client and only show that to the person on an ordinary page.
                    // Therefore the client is retired until it has worked once more. If it doesn't work, the
                    // next sign-in registers again.
                    let retired = self.sign_ins.inner.login_store.registrations.retire(id).await;
                    retired.map_err(|error| store_error(&error))?;
                    if self.steps_up
                        || self.build_code_flow(&client).is_client_known(listener.redirect_uri()).await
                    {
                        return Ok((client, ClientRecord::Stored(id), listener));
                    }
                }
                // The server has forgotten the client, or the listener can't use its redirect URI.
                self.register_client().await
            }
            ClientChoice::Register => self.register_client().await,
            ClientChoice::Ask => Err(self.report_client_needed(identity.reason)),
        }
    }

    /// Listens on the first of these addresses that is free and has the wanted port.
    pub(super) fn listen_for_redirect(&self, places: &[RedirectAddress]) -> Result<CallbackListener, Error> {
        let language = self.wanted.language;
        let Some(port) = self.wanted.port else { return CallbackListener::bind(places, language) };
        let at_port: Vec<RedirectAddress> = places.iter().filter_map(|place| place.at_port(port)).collect();
        if at_port.is_empty() {
            return Err(Error::Refused(say!(
                "the client is registered with another port than {port}: leave --port out",
                port
            )));
        }
        CallbackListener::bind(&at_port, language)
    }

    /// If a client is needed, adds the redirect URI that it has to be registered with to the error.
    fn with_registration_advice(&self, error: Error) -> Error {
        match error {
            Error::ClientNeeded { sentence, .. } => self.report_client_needed(sentence),
            error => error,
        }
    }

    fn report_client_needed(&self, sentence: Sentence) -> Error {
        self.remember_client_needed();
        let own = || entered_client_redirects(&self.found.server.issuer).first()?.url().ok();
        Error::ClientNeeded { sentence, redirect: self.wanted.redirect.clone().or_else(own) }
    }

    async fn register_client(&self) -> Result<(Client, ClientRecord, CallbackListener), Error> {
        let server = &self.found.server;
        let login_store = &self.sign_ins.inner.login_store;
        let listener = self.listen_for_redirect(&[RedirectAddress::for_issuer(&server.issuer)])?;
        let redirects = [listener.redirect_uri().clone()];
        let registration = register(&self.http, server, &redirects, &self.scopes, &self.trail).await;
        let registration = registration.map_err(|error| self.with_registration_advice(error))?;
        let expires =
            registration.secret_expires.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
        let new_registration = NewRegistration {
            issuer: registration.issuer.clone(),
            origin: RegistrationOrigin::Dynamic,
            client_id: registration.client.id.clone(),
            method: auth_method_name(registration.client.authentication).to_owned(),
            redirect: registration.redirect_uris.first().cloned(),
            expires_at_us: expires.and_then(|since| i64::try_from(since.as_micros()).ok()),
        };
        let (client, new_registration) = (&registration.client, &new_registration);
        let row = login_store.save_with_retry(move || async move {
            let secret = login_store.encrypt_client_secret(&new_registration.issuer, client).await?;
            Ok(login_store.registrations.save(new_registration, secret.as_ref()).await?)
        });
        let row = row.await?;
        Ok((registration.client, ClientRecord::Stored(row.id), listener))
    }

    /// Our earlier dynamic registration at this issuer.
    async fn find_earlier_registration(&self) -> Result<Option<(i64, Registration)>, Error> {
        let login_store = &self.sign_ins.inner.login_store;
        let row =
            login_store.registrations.current(&self.found.server.issuer, RegistrationOrigin::Dynamic).await;
        let Some(row) = row.map_err(|error| store_error(&error))? else { return Ok(None) };
        let client = login_store.load_registered_client(&row).await?;
        let known = row.registration;
        let expires = known.expires_at_us.and_then(|at| u64::try_from(at).ok());
        let registration = Registration {
            issuer: known.issuer,
            client,
            secret_expires: expires.map(|at| SystemTime::UNIX_EPOCH + std::time::Duration::from_micros(at)),
            redirect_uris: known.redirect.into_iter().collect(),
            configuration: None,
        };
        Ok(Some((row.id, registration)))
    }

    /// Saves the client's registration for the next sign-in.
    pub(super) async fn save_registration(
        &self,
        client: &Client,
        known: ClientRecord,
    ) -> Result<Option<i64>, Error> {
        let login_store = &self.sign_ins.inner.login_store;
        let (origin, redirect) = match known {
            ClientRecord::Stored(id) => {
                let restored = login_store.registrations.restore(id).await;
                return restored.map(|()| Some(id)).map_err(|error| store_error(&error));
            }
            ClientRecord::New(origin, redirect) => (origin, redirect),
        };
        let new = NewRegistration {
            issuer: self.found.server.issuer.clone(),
            origin,
            client_id: client.id.clone(),
            method: auth_method_name(client.authentication).to_owned(),
            redirect: redirect.map(Into::into),
            expires_at_us: None,
        };
        let now = login_store.registrations.current(&new.issuer, origin).await;
        if let Some(row) = now.map_err(|error| store_error(&error))?.filter(|row| row.registration == new) {
            let registered_secret = login_store.load_registered_client(&row).await?.secret;
            let secret = |secret: &Option<SecretString>| {
                secret.as_ref().map(|secret| secret.expose_secret().to_owned()).map(Zeroizing::new)
            };
            if secret(&registered_secret) == secret(&client.secret) {
                return Ok(Some(row.id));
            }
        }
        let new = &new;
        let row = login_store.save_with_retry(move || async move {
            let secret = login_store.encrypt_client_secret(&new.issuer, client).await?;
            Ok(login_store.registrations.save(new, secret.as_ref()).await?)
        });
        Ok(Some(row.await?.id))
    }
}

fn registered_redirects(urls: &[Url]) -> Result<Vec<RedirectAddress>, Error> {
    urls.iter().map(RedirectAddress::from_registered).collect()
}

/// Redirect URIs of a client that the person registered: fixed ports that can be registered beforehand, and
/// any free port if those are taken, which servers should accept (RFC 8252 §7.3).
fn entered_client_redirects(issuer: &str) -> Vec<RedirectAddress> {
    let own = RedirectAddress::for_issuer(issuer);
    REDIRECT_PORTS.iter().map(|port| own.clone().with_port(*port)).chain([own.clone()]).collect()
}

/// The name of an authentication method (RFC 7591 §2).
fn auth_method_name(authentication: ClientAuthentication) -> &'static str {
    match authentication {
        ClientAuthentication::None => "none",
        ClientAuthentication::Basic => "client_secret_basic",
        ClientAuthentication::Post => "client_secret_post",
        ClientAuthentication::PrivateKeyJwt => "private_key_jwt",
    }
}
