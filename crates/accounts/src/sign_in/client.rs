//! Who we are to the authorization server of a sign-in: a client that somebody entered, one that a document describes, or one
//! that we registered.

use std::time::SystemTime;

use mooring_oauth::{
    Candidates, Choice, Client, ClientAuthentication, Error, Listener, Place, PreRegistered, REDIRECT_PORTS,
    Registration, authentication_for, choose_client, document_redirects, register,
};
use mooring_store::{NewRegistration, RegistrationOrigin};
use mooring_words::{Sentence, say};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;
use zeroize::Zeroizing;

use super::flow::Under;
use super::{SignIns, lock, remember};
use crate::shelf::store_error;

/// A client that somebody entered earlier.
pub(super) struct Entered {
    /// For which issuer.
    issuer: String,
    client: Client,
    redirect: Option<Url>,
}

/// How we are known to an authorization server.
pub(super) enum Known {
    /// By a registration that is kept already.
    Kept(i64),
    /// By this, which is kept once somebody has signed in with it.
    By(RegistrationOrigin, Option<Url>),
}

impl Known {
    /// By what somebody entered, without a redirect address.
    pub(super) const BY_HAND: Self = Self::By(RegistrationOrigin::Entered, None);
}

impl SignIns {
    /// What somebody entered before: for this issuer, or for the one that the server's login is of, which is told when
    /// the server now asks to sign in elsewhere (AUTH-21).
    pub(super) async fn entered(&self, before: Option<i64>, issuer: &str) -> Result<Option<Entered>, Error> {
        let shelf = &self.inner.shelf;
        let known = shelf.registrations.current(issuer, RegistrationOrigin::Entered).await;
        let mut row = known.map_err(|error| store_error(&error))?;
        if let (None, Some(id)) = (&row, before) {
            let elsewhere = shelf.registrations.get(id).await.map_err(|error| store_error(&error))?;
            row = elsewhere.filter(|row| row.registration.origin == RegistrationOrigin::Entered);
        }
        let Some(row) = row else { return Ok(None) };
        let client = shelf.registered_client(&row).await?;
        let redirect = row.registration.redirect.as_deref().and_then(|redirect| Url::parse(redirect).ok());
        Ok(Some(Entered { issuer: row.registration.issuer, client, redirect }))
    }
}

impl Under<'_> {
    /// The client that was entered, which a sign-in without a person needs.
    pub(super) fn entered(&self) -> Result<Client, Error> {
        let earlier = self.entered.as_ref().filter(|entered| entered.issuer == self.found.server.issuer);
        let earlier = earlier.map(|entered| entered.client.clone());
        let issuer = &self.found.server.issuer;
        let needed = |sentence| {
            self.note_client_wanted();
            Error::ClientNeeded { sentence, redirect: None }
        };
        let given = match (&self.wanted.client, self.client_wanted()) {
            (Some(_), Some(other)) if other != *issuer => {
                return Err(needed(say!(
                    "the client id that was entered belongs to {other}, and the server now asks to sign in at {issuer}: enter one for it",
                    other = other,
                    issuer
                )));
            }
            (given, _) => given.clone(),
        };
        let client = given.or(earlier).ok_or_else(|| {
            needed(say!(
                "{issuer} has to know this client beforehand: register one there, and enter its id",
                issuer
            ))
        })?;
        Ok(self.authenticating(client))
    }

    /// For which issuer the person was asked to enter a client here. What they enter then goes to no other, whatever the
    /// server says in the meantime.
    fn client_wanted(&self) -> Option<String> {
        lock(&self.sign_ins.inner.clients_wanted).get(&self.asking).cloned()
    }

    fn note_client_wanted(&self) {
        remember(&self.sign_ins.inner.clients_wanted, &self.asking, self.found.server.issuer.clone());
    }

    /// The client with the way to authenticate that its server supports.
    fn authenticating(&self, client: Client) -> Client {
        if client.authentication == ClientAuthentication::PrivateKeyJwt {
            return client;
        }
        let authentication = authentication_for(&self.found.server, client.secret.is_some());
        Client { authentication, ..client }
    }

    /// The client that was registered by hand: as entered now, or earlier.
    fn pre_registered(&self) -> (Option<PreRegistered>, Option<Url>) {
        match (&self.wanted.client, &self.entered) {
            (Some(client), _) => {
                let client = self.authenticating(client.clone());
                (Some(PreRegistered { issuer: self.client_wanted(), client }), self.wanted.redirect.clone())
            }
            (None, Some(entered)) => {
                let client = self.authenticating(entered.client.clone());
                (
                    Some(PreRegistered { issuer: Some(entered.issuer.clone()), client }),
                    entered.redirect.clone(),
                )
            }
            (None, None) => (None, None),
        }
    }

    /// Who we are at the authorization server, and where its answer is received.
    pub(super) async fn client(&self) -> Result<(Client, Known, Listener), Error> {
        let server = &self.found.server;
        let (pre_registered, redirect) = self.pre_registered();
        let earlier = self.earlier().await?;
        let candidates = Candidates {
            pre_registered,
            document: self.wanted.document.clone(),
            earlier: earlier.as_ref().map(|(_, registration)| registration.clone()),
        };
        let identity = choose_client(server, &candidates, None, SystemTime::now(), &self.trail);
        let identity = identity.map_err(|error| match error {
            Error::ClientNeeded { sentence, .. } => self.client_needed(sentence),
            error => error,
        })?;
        let language = self.wanted.language;
        let registered = |urls: &[Url]| urls.iter().map(Place::registered).collect::<Result<Vec<_>, _>>();
        match identity.choice {
            Choice::PreRegistered(client) => {
                let places = match &redirect {
                    Some(redirect) => registered(std::slice::from_ref(redirect))?,
                    None => places_by_hand(&server.issuer),
                };
                let listener = Listener::bind(&places, language)?;
                Ok((client, Known::By(RegistrationOrigin::Entered, redirect), listener))
            }
            Choice::Document(client) => {
                let places = registered(&document_redirects(&server.issuer))?;
                let listener = Listener::bind(&places, language)?;
                Ok((client, Known::By(RegistrationOrigin::Cimd, None), listener))
            }
            Choice::Earlier(client) => {
                let known = earlier.map(|(id, registration)| (id, registration.redirect_uris));
                let places = known.iter().flat_map(|(_, uris)| uris).filter_map(|uri| Url::parse(uri).ok());
                let places = registered(&places.collect::<Vec<_>>());
                match (places.and_then(|places| Listener::bind(&places, language)), known) {
                    (Ok(listener), Some((id, _))) => {
                        // Its server may have forgotten it, and then says so to the browser alone. It is in use again
                        // once it has worked; until then whoever signs in registers anew.
                        let retired = self.sign_ins.inner.shelf.registrations.retire(id).await;
                        retired.map_err(|error| store_error(&error))?;
                        Ok((client, Known::Kept(id), listener))
                    }
                    // No answer can be received there, or its port is taken: a new registration is for another one.
                    _ => self.registered().await,
                }
            }
            Choice::Register => self.registered().await,
            Choice::Ask => Err(self.client_needed(identity.reason)),
        }
    }

    fn client_needed(&self, sentence: Sentence) -> Error {
        self.note_client_wanted();
        let own = || places_by_hand(&self.found.server.issuer).first()?.address().ok();
        Error::ClientNeeded { sentence, redirect: self.wanted.redirect.clone().or_else(own) }
    }

    async fn registered(&self) -> Result<(Client, Known, Listener), Error> {
        let server = &self.found.server;
        let shelf = &self.sign_ins.inner.shelf;
        let listener = Listener::bind(&[Place::of_issuer(&server.issuer)], self.wanted.language)?;
        let redirects = [listener.redirect_uri().clone()];
        let registration = register(&self.http, server, &redirects, &self.scopes, &self.trail).await?;
        let expires =
            registration.secret_expires.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
        let kept = NewRegistration {
            issuer: registration.issuer.clone(),
            origin: RegistrationOrigin::Dynamic,
            client_id: registration.client.id.clone(),
            method: method(registration.client.authentication).to_owned(),
            redirect: registration.redirect_uris.first().cloned(),
            expires_at_us: expires.and_then(|since| i64::try_from(since.as_micros()).ok()),
        };
        let (client, kept) = (&registration.client, &kept);
        let row = shelf.keeping(move || async move {
            let secret = shelf.seal_client(&kept.issuer, client).await?;
            Ok(shelf.registrations.save(kept, secret.as_ref()).await?)
        });
        let row = row.await?;
        Ok((registration.client, Known::Kept(row.id), listener))
    }

    /// What we registered ourselves as at this issuer.
    async fn earlier(&self) -> Result<Option<(i64, Registration)>, Error> {
        let shelf = &self.sign_ins.inner.shelf;
        let row = shelf.registrations.current(&self.found.server.issuer, RegistrationOrigin::Dynamic).await;
        let Some(row) = row.map_err(|error| store_error(&error))? else { return Ok(None) };
        let client = shelf.registered_client(&row).await?;
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

    /// Keeps how we are known here, for the next sign-in and for whoever asks.
    pub(super) async fn known(&self, client: &Client, known: Known) -> Result<Option<i64>, Error> {
        let shelf = &self.sign_ins.inner.shelf;
        let (origin, redirect) = match known {
            Known::Kept(id) => {
                let restored = shelf.registrations.restore(id).await;
                return restored.map(|()| Some(id)).map_err(|error| store_error(&error));
            }
            Known::By(origin, redirect) => (origin, redirect),
        };
        let new = NewRegistration {
            issuer: self.found.server.issuer.clone(),
            origin,
            client_id: client.id.clone(),
            method: method(client.authentication).to_owned(),
            redirect: redirect.map(Into::into),
            expires_at_us: None,
        };
        let now = shelf.registrations.current(&new.issuer, origin).await;
        if let Some(row) = now.map_err(|error| store_error(&error))?.filter(|row| row.registration == new) {
            let kept = shelf.registered_client(&row).await?.secret;
            let secret = |secret: &Option<SecretString>| {
                secret.as_ref().map(|secret| secret.expose_secret().to_owned()).map(Zeroizing::new)
            };
            if secret(&kept) == secret(&client.secret) {
                return Ok(Some(row.id));
            }
        }
        let new = &new;
        let row = shelf.keeping(move || async move {
            let secret = shelf.seal_client(&new.issuer, client).await?;
            Ok(shelf.registrations.save(new, secret.as_ref()).await?)
        });
        Ok(Some(row.await?.id))
    }
}

/// Where answers for a client are received that was registered by hand: at an address that the person could be told
/// beforehand, or at another port where that one is taken, which servers should accept (RFC 8252 §7.3).
fn places_by_hand(issuer: &str) -> Vec<Place> {
    let own = Place::of_issuer(issuer);
    REDIRECT_PORTS.iter().map(|port| own.clone().at(*port)).chain([own.clone()]).collect()
}

/// How an authentication is called (RFC 7591 §2).
fn method(authentication: ClientAuthentication) -> &'static str {
    match authentication {
        ClientAuthentication::None => "none",
        ClientAuthentication::Basic => "client_secret_basic",
        ClientAuthentication::Post => "client_secret_post",
        ClientAuthentication::PrivateKeyJwt => "private_key_jwt",
    }
}
