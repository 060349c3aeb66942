//! Signing in to servers: discovery → client identity → browser → exchange → refresh → revocation.
//!
//! The crate is independent of databases, keychains and MCP: logins are loaded and saved through a trait, and
//! challenges are passed in as parsed fields. Every request goes through [`Http`], and every step is reported
//! to an observer.

mod address;
mod assertion;
mod authorization;
mod broker;
mod client;
mod client_choice;
mod clock;
mod discovery;
mod document;
mod dpop;
mod error;
mod grant;
mod http;
mod json_fields;
mod listener;
mod metadata;
mod random;
mod reach;
mod registration;
mod resolver;
mod resource;
mod revocation;
mod scopes;
mod server;
mod steps;
mod token;
mod user_info;
mod well_known;

pub use address::check_address;
pub use assertion::{AssertionFile, AssertionFuture, AssertionSource, StaticAssertion};
pub use authorization::{
    AuthorizationCodeFlow, AuthorizationUrl, Browser, BrowserFuture, PendingAuthorization,
};
pub use broker::{
    AccessToken, LoginId, Renewal, SignInReason, StoredLogin, TokenBroker, TokenStore, TokenUnavailable,
};
pub use client::{Client, ClientAuthentication, authentication_for};
pub use client_choice::{
    ChosenClient, ClientCandidates, ClientChoice, PreRegistered, choose_client, document_redirects,
};
pub use clock::Clock;
pub use discovery::{Discovery, discover};
pub use document::{
    ClientInfo, REDIRECT_PATHS, REDIRECT_PORTS, check_document_url, client_document, redirect_uris,
};
pub use dpop::DpopKey;
pub use error::{Error, ServerMessage};
pub use grant::{EnterpriseManaged, RequestedAccess, SubjectToken};
pub use http::{Http, Request, Response};
pub use listener::{CallbackListener, Language, RedirectAddress};
pub use metadata::server_metadata;
pub use reach::NetworkReach;
pub use registration::{Registration, register};
pub use resource::{Challenge, ProtectedResource};
pub use scopes::{initial_scopes, split_scopes, step_up_scopes};
pub use server::AuthorizationServer;
pub use steps::{PendingStep, Purpose, Step, StepObserver};
pub use token::{TokenEndpoint, TokenSet, TokenType};
pub use user_info::UserInfo;
