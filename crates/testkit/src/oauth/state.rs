//! What an authorization server remembers.

use std::collections::{HashMap, HashSet};

/// Codes, tokens and the logins that they belong to.
#[derive(Default)]
pub(super) struct Grants {
    /// In every name, so that no other server's is the same.
    port: u16,
    counter: u64,
    /// Codes and tokens, whatever became of them.
    pub(super) given: Vec<String>,
    /// What codes and tokens begin with.
    marks: Vec<(String, String)>,
    pub(super) codes: HashMap<String, Code>,
    /// Clients that registered by themselves, with their redirect addresses.
    pub(super) clients: HashMap<String, Vec<String>>,
    pub(super) access: HashMap<String, Access>,
    pub(super) refresh: HashMap<String, Refresh>,
    pub(super) proofs: HashSet<String>,
    pub(super) assertions: HashSet<String>,
    pub(super) revoked: Vec<String>,
    pub(super) reused: usize,
    pub(super) refreshed: usize,
    nonce: u64,
}

/// A code that waits to be exchanged.
pub(super) struct Code {
    pub(super) challenge: String,
    pub(super) redirect: String,
    pub(super) client: String,
    pub(super) scope: String,
    pub(super) resource: Option<String>,
    pub(super) nonce: Option<String>,
    pub(super) thumbprint: Option<String>,
}

pub(super) struct Access {
    pub(super) family: u64,
    pub(super) expired: bool,
    pub(super) thumbprint: Option<String>,
}

#[derive(Clone)]
pub(super) struct Refresh {
    pub(super) family: u64,
    pub(super) used: bool,
    pub(super) scope: String,
    pub(super) thumbprint: Option<String>,
}

impl Grants {
    pub(super) fn new(port: u16, marks: Vec<(String, String)>) -> Self {
        Self { port, marks, ..Self::default() }
    }

    pub(super) fn next(&mut self, kind: &str) -> String {
        self.counter += 1;
        let mark = self.marks.iter().find(|(known, _)| known == kind).map_or(kind, |(_, mark)| mark.as_str());
        let name = format!("{mark}-{}-{}", self.port, self.counter);
        if kind != "client" {
            self.given.push(name.clone());
        }
        name
    }

    /// Another access token and refresh token, of a login that there is or of a new one.
    pub(super) fn issue(
        &mut self,
        family: Option<u64>,
        scope: &str,
        thumbprint: Option<&str>,
    ) -> (String, String) {
        let access = self.next("access");
        let family = family.unwrap_or(self.counter);
        let thumbprint = thumbprint.map(str::to_owned);
        self.access.insert(access.clone(), Access { family, expired: false, thumbprint: thumbprint.clone() });
        let refresh = self.next("refresh");
        let kept = Refresh { family, used: false, scope: scope.to_owned(), thumbprint };
        self.refresh.insert(refresh.clone(), kept);
        (access, refresh)
    }

    pub(super) fn expire(&mut self) {
        for access in self.access.values_mut() {
            access.expired = true;
        }
    }

    /// Ends a login with all its tokens.
    pub(super) fn end(&mut self, family: u64) {
        self.access.retain(|_, access| access.family != family);
        self.refresh.retain(|_, refresh| refresh.family != family);
    }

    /// The nonce that proofs need now, at the authorization server or at the one behind it.
    pub(super) fn nonce(&self, place: &str) -> String {
        format!("nonce-{place}-{}", self.nonce)
    }
}
