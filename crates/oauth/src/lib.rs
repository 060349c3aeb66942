//! Signing in to servers: discovery → client identity → browser → exchange → refresh → revocation.
//!
//! Knows neither a database nor a keychain nor the engine of the protocol: what is kept is handed out and taken in, and
//! a challenge comes as what it said. Every request goes through [`Http`], and every step is told to a [`Trail`].

mod address;
mod client;
mod discovery;
mod document;
mod assertion;
mod authorization;
mod dpop;
mod error;
mod grant;
mod http;
mod identity;
mod lists;
mod metadata;
mod names;
mod reach;
mod registration;
mod resource;
mod scopes;
mod listener;
mod profile;
mod revocation;
mod server;
mod token;
mod trail;
mod well_known;

pub use address::check_address;
pub use client::{Client, ClientAuthentication};
pub use discovery::{Discovery, discover};
pub use document::{
    About, REDIRECT_PATHS, REDIRECT_PORTS, check_document_url, client_document, redirect_uris,
};
pub use assertion::{AssertionFile, AssertionFuture, Assertions, GivenAssertion};
pub use authorization::{AuthorizationUrl, Browser, BrowserFuture, Flow, Pending};
pub use dpop::Dpop;
pub use error::Error;
pub use grant::{EnterpriseManaged, For, SubjectToken};
pub use http::{Http, Purpose, Request, Response};
pub use identity::{
    Candidates, Choice, Identity, PreRegistered, authentication_for, choose_client, document_redirects,
};
pub use metadata::server_metadata;
pub use listener::{Language, Listener, Place};
pub use profile::Profile;
pub use reach::Reach;
pub use registration::{Registration, register};
pub use resource::{Challenge, ProtectedResource};
pub use scopes::{first_scopes, more_scopes, split_scopes};
pub use server::AuthorizationServer;
pub use token::{Clock, TokenEndpoint, TokenSet, TokenType};
pub use trail::{Asked, Step, Trail};
