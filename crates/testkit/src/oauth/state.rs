//! The state of an authorization server.

use std::collections::{HashMap, HashSet};

/// Codes, tokens and their logins.
#[derive(Default)]
pub(super) struct IssuedTokens {
    /// Part of every name, so that different servers have different names.
    port: u16,
    counter: u64,
    /// Every code and token issued so far.
    pub(super) issued: Vec<String>,
    /// Prefixes of codes and tokens.
    prefixes: Vec<(String, String)>,
    pub(super) codes: HashMap<String, PendingCode>,
    /// Dynamically registered clients, with their redirect URLs.
    pub(super) clients: HashMap<String, Vec<String>>,
    pub(super) access: HashMap<String, AccessToken>,
    pub(super) refresh: HashMap<String, RefreshToken>,
    pub(super) proofs: HashSet<String>,
    pub(super) assertions: HashSet<String>,
    pub(super) revoked: Vec<String>,
    pub(super) reused: usize,
    pub(super) refreshed: usize,
    nonce: u64,
}

/// A code that waits to be exchanged.
pub(super) struct PendingCode {
    pub(super) challenge: String,
    pub(super) redirect: String,
    pub(super) client: String,
    pub(super) scope: String,
    pub(super) resource: Option<String>,
    pub(super) nonce: Option<String>,
    pub(super) thumbprint: Option<String>,
}

pub(super) struct AccessToken {
    pub(super) family: u64,
    pub(super) expired: bool,
    pub(super) thumbprint: Option<String>,
}

#[derive(Clone)]
pub(super) struct RefreshToken {
    pub(super) family: u64,
    pub(super) used: bool,
    pub(super) scope: String,
    pub(super) thumbprint: Option<String>,
}

impl IssuedTokens {
    pub(super) fn new(port: u16, marks: Vec<(String, String)>) -> Self {
        Self { port, prefixes: marks, ..Self::default() }
    }

    pub(super) fn new_token(&mut self, kind: &str) -> String {
        self.counter += 1;
        let mark =
            self.prefixes.iter().find(|(known, _)| known == kind).map_or(kind, |(_, mark)| mark.as_str());
        let name = format!("{mark}-{}-{}", self.port, self.counter);
        if kind != "client" {
            self.issued.push(name.clone());
        }
        name
    }

    /// Issues another access token and refresh token, for an existing login or a new one.
    pub(super) fn issue(
        &mut self,
        family: Option<u64>,
        scope: &str,
        thumbprint: Option<&str>,
    ) -> (String, String) {
        let access = self.new_token("access");
        let family = family.unwrap_or(self.counter);
        let thumbprint = thumbprint.map(str::to_owned);
        self.access
            .insert(access.clone(), AccessToken { family, expired: false, thumbprint: thumbprint.clone() });
        let refresh = self.new_token("refresh");
        let token = RefreshToken { family, used: false, scope: scope.to_owned(), thumbprint };
        self.refresh.insert(refresh.clone(), token);
        (access, refresh)
    }

    pub(super) fn expire(&mut self) {
        for access in self.access.values_mut() {
            access.expired = true;
        }
    }

    /// Ends a login and all of its tokens.
    pub(super) fn revoke_family(&mut self, family: u64) {
        self.access.retain(|_, access| access.family != family);
        self.refresh.retain(|_, refresh| refresh.family != family);
    }

    /// The nonce that proofs need now, at the authorization server or at the one behind it.
    pub(super) fn nonce(&self, place: &str) -> String {
        format!("nonce-{place}-{}", self.nonce)
    }
}
