//! Signing in to servers: discovery → client identity → browser → exchange → refresh → revocation.
//!
//! Knows neither a database nor a keychain nor the engine of the protocol: what is kept is handed out and taken in, and
//! a challenge comes as what it said. Every request goes through [`Http`], and every step is told to a [`Trail`].

mod address;
mod assertion;
mod authorization;
mod broker;
mod client;
mod clock;
mod discovery;
mod document;
mod dpop;
mod error;
mod grant;
mod http;
mod identity;
mod listener;
mod lists;
mod metadata;
mod names;
mod profile;
mod random;
mod reach;
mod registration;
mod resource;
mod revocation;
mod scopes;
mod server;
mod token;
mod trail;
mod well_known;

pub use address::check_address;
pub use assertion::{AssertionFile, AssertionFuture, Assertions, GivenAssertion};
pub use authorization::{AuthorizationUrl, Browser, BrowserFuture, Flow, Pending};
pub use broker::{Access, Broker, Keep, Kept, Login, Needs, Reason, Renewal};
pub use client::{Client, ClientAuthentication, authentication_for};
pub use clock::Clock;
pub use discovery::{Discovery, discover};
pub use document::{
    About, REDIRECT_PATHS, REDIRECT_PORTS, check_document_url, client_document, redirect_uris,
};
pub use dpop::Dpop;
pub use error::{Error, Said};
pub use grant::{EnterpriseManaged, For, SubjectToken};
pub use http::{Http, Request, Response};
pub use identity::{Candidates, Choice, Identity, PreRegistered, choose_client, document_redirects};
pub use listener::{Language, Listener, Place};
pub use metadata::server_metadata;
pub use profile::Profile;
pub use reach::Reach;
pub use registration::{Registration, register};
pub use resource::{Challenge, ProtectedResource};
pub use scopes::{first_scopes, more_scopes, split_scopes};
pub use server::AuthorizationServer;
pub use token::{TokenEndpoint, TokenSet, TokenType};
pub use trail::{Asked, Purpose, Step, Trail};
