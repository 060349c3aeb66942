//! Reads and replaces the tokens of logins, for the broker.

use std::time::{SystemTime, UNIX_EPOCH};

use mooring_oauth::{Error, LoginId, Renewal, StoredLogin, TokenSet, TokenStore};
use mooring_store::{LoginRow, LoginUpdate, RegistrationOrigin, TokenFacts};
use mooring_words::Sentence;

use super::{LoginDraft, LoginStore, serialize_draft, store_error};
use crate::purpose;

impl TokenStore for LoginStore {
    async fn load(&self, login: &LoginId) -> Result<Option<StoredLogin>, Error> {
        let Some(row) = self.find_active_row(login).await? else { return Ok(None) };
        Ok(self.load_draft(&row).await?.map(|draft| draft.login))
    }

    async fn commit(&self, login: &LoginId, tokens: &TokenSet, replaces: u64) -> Result<Option<u64>, Error> {
        let Some(row) = self.find_active_row(login).await? else { return Ok(None) };
        let version = i64::try_from(replaces).unwrap_or(i64::MAX);
        if row.version != version {
            return Ok(None);
        }
        let Some(mut draft) = self.load_draft(&row).await? else { return Ok(None) };
        draft.login.tokens = tokens.clone();
        let (id, text, facts) = (row.id, &serialize_draft(&draft)?, &token_facts(&draft, tokens));
        let whose = &row.login;
        let committed = self.save_with_retry(move || async move {
            let purpose = purpose::of_login(&whose.issuer, &whose.resource);
            let secret = self.encrypt_row(purpose::LOGIN, purpose, text).await?;
            Ok(self.logins.replace_tokens(id, version, facts, &secret).await?)
        });
        match committed.await? {
            LoginUpdate::Applied(row) => Ok(Some(version_of(&row))),
            LoginUpdate::Conflict(_) => Ok(None),
        }
    }

    async fn forget(&self, login: &LoginId, version: u64, why: &Sentence) -> Result<(), Error> {
        let Some(row) = self.find_active_row(login).await? else { return Ok(()) };
        let version = i64::try_from(version).unwrap_or(i64::MAX);
        let ended = self.logins.end(row.id, version, why).await;
        ended.map(|_| ()).map_err(|error| store_error(&error))
    }

    async fn retire_client(&self, login: &LoginId) -> Result<(), Error> {
        let row = self.find_active_row(login).await?;
        let Some(id) = row.and_then(|row| row.login.registration_id) else { return Ok(()) };
        let registration = self.registrations.get(id).await.map_err(|error| store_error(&error))?;
        // Only the person may change a client that the person entered.
        match registration.filter(|row| row.registration.origin == RegistrationOrigin::Dynamic) {
            Some(row) => self.registrations.retire(row.id).await.map_err(|error| store_error(&error)),
            None => Ok(()),
        }
    }
}

pub(super) fn version_of(row: &LoginRow) -> u64 {
    u64::try_from(row.version).unwrap_or_default()
}

pub(super) fn token_facts(draft: &LoginDraft, tokens: &TokenSet) -> TokenFacts {
    let asked = &draft.login.scopes;
    let micros = |time: SystemTime| {
        let since = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros());
        i64::try_from(since).unwrap_or(i64::MAX)
    };
    TokenFacts {
        scopes_asked: asked.clone(),
        // The requested scopes, if the server does not name any (RFC 6749 §5.1).
        scopes_granted: tokens.scopes.clone().unwrap_or_else(|| asked.clone()),
        token_type: tokens.token_type.scheme().to_owned(),
        expires_at_us: tokens.expires_at.map(micros),
        refreshable: tokens.refresh.is_some() || !matches!(draft.login.renewal, Renewal::Refresh),
    }
}
