//! Logins: the issuer, the resource, the account and the expiry. Their tokens are encrypted secrets.

use std::sync::Arc;

use mooring_base::clock::now_us;
use mooring_disk::StoreError;
use mooring_words::Sentence;
use serde::{Serialize, Serializer};
use sqlx::Row;
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use ts_rs::TS;

use crate::database::Database;
use crate::table::registration::PRUNE;
use crate::table::secret::{self, SecretRow};

/// Facts about a set of tokens that are known without decrypting it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TokenFacts {
    /// The requested scopes.
    pub scopes_asked: Vec<String>,
    /// The granted scopes.
    pub scopes_granted: Vec<String>,
    /// `Bearer` or `DPoP`.
    pub token_type: String,
    /// When the access token expires, in microseconds since the Unix epoch, serialized in milliseconds. `None` if
    /// the authorization server did not say.
    #[serde(rename = "expiresAt", serialize_with = "serialize_optional_millis")]
    pub expires_at_us: Option<i64>,
    /// Whether there is a refresh token.
    pub refreshable: bool,
}

/// A login to save.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct NewLogin {
    /// The authorization server's issuer, exactly as it was received.
    pub issuer: String,
    /// The resource that the tokens are for, exactly as it was received.
    pub resource: String,
    /// The subject, if the authorization server has said it.
    #[serde(rename = "subject")]
    pub account: Option<String>,
    /// A name for the account, if the authorization server has said one.
    pub label: Option<String>,
    /// Our client registration at the authorization server. Saved as null if that registration was removed
    /// meanwhile.
    #[serde(skip)]
    pub registration_id: Option<i64>,
}

/// Whether a login can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoginState {
    /// As far as is known, it can be used.
    Active,
    /// It has ended. The text is the reason, a sentence as JSON.
    Ended(String),
}

/// A saved login.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LoginRow {
    /// Unique. A removed login's id is not used again.
    pub id: i64,
    /// The issuer, the resource and the account.
    #[serde(flatten)]
    pub login: NewLogin,
    /// What is known of its tokens.
    #[serde(flatten)]
    pub tokens: TokenFacts,
    /// Whether it can be used.
    #[serde(skip)]
    pub state: LoginState,
    /// The id of the encrypted tokens. `None` if the login has ended.
    #[serde(skip)]
    pub secret_id: Option<String>,
    /// Counts the changes, except those of `used_at_us`.
    #[serde(skip)]
    pub version: i64,
    /// When the person signed in, in microseconds since the Unix epoch. Serialized in
    /// milliseconds.
    #[serde(rename = "signedInAt", serialize_with = "serialize_millis")]
    pub created_at_us: i64,
    /// When the login was last changed, in microseconds since the Unix epoch. Serialized in
    /// milliseconds.
    #[serde(rename = "renewedAt", serialize_with = "serialize_millis")]
    pub updated_at_us: i64,
    /// When the login was last used, in microseconds since the Unix epoch. Serialized in
    /// milliseconds.
    #[serde(rename = "usedAt", serialize_with = "serialize_optional_millis")]
    pub used_at_us: Option<i64>,
}

/// Writes a time in microseconds as milliseconds, for a front end.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a field over as it is")]
fn serialize_millis<S: Serializer>(at_us: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_i64(at_us / 1_000)
}

/// Writes a time in microseconds as milliseconds, or as null, for a front end.
#[expect(clippy::ref_option, reason = "serde hands a field over as it is")]
fn serialize_optional_millis<S: Serializer>(at_us: &Option<i64>, serializer: S) -> Result<S::Ok, S::Error> {
    at_us.map(|at_us| at_us / 1_000).serialize(serializer)
}

/// Result of a compare-and-swap update of a login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoginUpdate {
    /// The update is on the disk. Contains the new row.
    Applied(LoginRow),
    /// Another writer changed the login first, and nothing was written. Contains the current row, or `None`
    /// if the login was removed.
    Conflict(Option<LoginRow>),
}

/// The table of logins. Every change is on disk when its method returns.
#[derive(Clone, Debug)]
pub struct Logins(pub(crate) Arc<Database>);

impl Logins {
    /// All logins, in the order of their creation.
    pub async fn list(&self) -> Result<Vec<LoginRow>, StoreError> {
        let rows = sqlx::query("SELECT * FROM login ORDER BY id").fetch_all(&self.0.lookups).await;
        self.parse_rows(rows)
    }

    /// The login `id`.
    pub async fn get(&self, id: i64) -> Result<Option<LoginRow>, StoreError> {
        let row = sqlx::query("SELECT * FROM login WHERE id = ?").bind(id);
        let row = row.fetch_optional(&self.0.lookups).await;
        row.and_then(|row| row.as_ref().map(from_row).transpose()).map_err(|error| self.0.store_error(error))
    }

    /// The logins at `issuer` for `resource`, both compared as exact strings.
    pub async fn find(&self, issuer: &str, resource: &str) -> Result<Vec<LoginRow>, StoreError> {
        let rows = sqlx::query("SELECT * FROM login WHERE issuer = ? AND resource = ? ORDER BY id");
        self.parse_rows(rows.bind(issuer).bind(resource).fetch_all(&self.0.lookups).await)
    }

    fn parse_rows(&self, rows: Result<Vec<SqliteRow>, sqlx::Error>) -> Result<Vec<LoginRow>, StoreError> {
        let rows = rows.and_then(|rows| rows.iter().map(from_row).collect());
        rows.map_err(|error| self.0.store_error(error))
    }

    /// Saves a new login with its encrypted tokens. An account has one login at an issuer for a resource.
    pub async fn insert(
        &self,
        login: &NewLogin,
        tokens: &TokenFacts,
        secret: &SecretRow,
    ) -> Result<LoginRow, StoreError> {
        const INSERT: &str =
            "INSERT INTO login (issuer, resource, account, label, registration_id, scopes_asked,
            scopes_granted, token_type, expires_at_us, refreshable, state, secret_id, version, created_at_us,
            updated_at_us) VALUES (?, ?, ?, ?, (SELECT id FROM registration WHERE id = ?), ?, ?, ?, ?, ?, 'active', ?, 1,
            ?, ?) RETURNING *";
        let now = now_us();
        let _turn = self.0.lock_writes().await?;
        let mut tx = secret::begin(&self.0).await?;
        secret::insert_secret(&self.0, &mut tx, secret, None).await?;
        let insert = sqlx::query(INSERT)
            .bind(&login.issuer)
            .bind(&login.resource)
            .bind(&login.account)
            .bind(&login.label)
            .bind(login.registration_id)
            .bind(to_json_list(&tokens.scopes_asked))
            .bind(to_json_list(&tokens.scopes_granted))
            .bind(&tokens.token_type)
            .bind(tokens.expires_at_us)
            .bind(tokens.refreshable)
            .bind(&secret.id)
            .bind(now)
            .bind(now);
        let row = match insert.fetch_one(&mut *tx).await {
            Ok(row) => from_row(&row).map_err(|error| self.0.store_error(error))?,
            Err(sqlx::Error::Database(error)) if error.is_unique_violation() => {
                return Err(StoreError::AccountTaken { account: login.account.clone().unwrap_or_default() });
            }
            Err(error) => return Err(self.0.store_error(error)),
        };
        tx.commit().await.map_err(|error| self.0.store_error(error))?;
        Ok(row)
    }

    /// Replaces the tokens of the login `id` if its version is still `version`. The old tokens are deleted with
    /// that commit. A login that had ended becomes active again.
    pub async fn replace_tokens(
        &self,
        id: i64,
        version: i64,
        tokens: &TokenFacts,
        secret: &SecretRow,
    ) -> Result<LoginUpdate, StoreError> {
        self.replace_login(id, version, None, tokens, secret).await
    }

    /// Like [`Self::replace_tokens`], after a new sign-in. Also replaces the account and the time of the
    /// sign-in.
    pub async fn replace_after_sign_in(
        &self,
        id: i64,
        version: i64,
        login: &NewLogin,
        tokens: &TokenFacts,
        secret: &SecretRow,
    ) -> Result<LoginUpdate, StoreError> {
        self.replace_login(id, version, Some(login), tokens, secret).await
    }

    async fn replace_login(
        &self,
        id: i64,
        version: i64,
        anew: Option<&NewLogin>,
        tokens: &TokenFacts,
        secret: &SecretRow,
    ) -> Result<LoginUpdate, StoreError> {
        const COMMIT: &str = "UPDATE login SET scopes_asked = ?, scopes_granted = ?, token_type = ?,
            expires_at_us = ?, refreshable = ?, state = 'active', reason = NULL, secret_id = ?,
            version = version + 1, updated_at_us = ? WHERE id = ? AND version = ? RETURNING *";
        const ANEW: &str = "UPDATE login SET account = ?, label = ?,
            registration_id = (SELECT id FROM registration WHERE id = ?), created_at_us = ?, scopes_wanted = NULL
            WHERE id = ? AND version = ?";
        let now = now_us();
        let _turn = self.0.lock_writes().await?;
        let mut tx = secret::begin(&self.0).await?;
        secret::insert_secret(&self.0, &mut tx, secret, None).await?;
        if let Some(login) = anew {
            let anew = sqlx::query(ANEW).bind(&login.account).bind(&login.label).bind(login.registration_id);
            match anew.bind(now).bind(id).bind(version).execute(&mut *tx).await {
                Ok(_) => {}
                Err(sqlx::Error::Database(error)) if error.is_unique_violation() => {
                    return Err(StoreError::AccountTaken {
                        account: login.account.clone().unwrap_or_default(),
                    });
                }
                Err(error) => return Err(self.0.store_error(error)),
            }
        }
        let commit = sqlx::query(COMMIT)
            .bind(to_json_list(&tokens.scopes_asked))
            .bind(to_json_list(&tokens.scopes_granted))
            .bind(&tokens.token_type)
            .bind(tokens.expires_at_us)
            .bind(tokens.refreshable)
            .bind(&secret.id)
            .bind(now)
            .bind(id)
            .bind(version);
        match commit.fetch_optional(&mut *tx).await {
            Ok(row) => self.finish_update(tx, id, row).await,
            Err(error) => Err(self.0.store_error(error)),
        }
    }

    /// The version of the login `id`. `None` if it does not exist or has ended. This is the cheapest way to
    /// check that nothing has changed.
    pub async fn version(&self, id: i64) -> Result<Option<i64>, StoreError> {
        let version =
            sqlx::query_scalar("SELECT version FROM login WHERE id = ? AND state = 'active'").bind(id);
        version.fetch_optional(&self.0.lookups).await.map_err(|error| self.0.store_error(error))
    }

    /// Ends the login `id` with this reason if its version is still `version`, and deletes its tokens.
    pub async fn end(&self, id: i64, version: i64, reason: &Sentence) -> Result<LoginUpdate, StoreError> {
        const END: &str = "UPDATE login SET state = 'ended', reason = ?, secret_id = NULL,
            version = version + 1, updated_at_us = ? WHERE id = ? AND version = ? RETURNING *";
        let reason = serde_json::to_string(&reason.stored());
        let reason = reason.map_err(|error| self.0.store_error(sqlx::Error::Encode(error.into())))?;
        let _turn = self.0.lock_writes().await?;
        let mut tx = secret::begin(&self.0).await?;
        let end = sqlx::query(END).bind(reason).bind(now_us()).bind(id).bind(version);
        match end.fetch_optional(&mut *tx).await {
            Ok(row) => self.finish_update(tx, id, row).await,
            Err(error) => Err(self.0.store_error(error)),
        }
    }

    /// Commits a change of the login, and returns its row. If no row was changed, rolls back and returns the
    /// current row.
    async fn finish_update(
        &self,
        mut tx: sqlx::Transaction<'static, sqlx::Sqlite>,
        id: i64,
        changed: Option<SqliteRow>,
    ) -> Result<LoginUpdate, StoreError> {
        if let Some(row) = changed {
            let row = from_row(&row).map_err(|error| self.0.store_error(error))?;
            tx.commit().await.map_err(|error| self.0.store_error(error))?;
            return Ok(LoginUpdate::Applied(row));
        }
        let found = find(&mut tx, id).await.map_err(|error| self.0.store_error(error))?;
        tx.rollback().await.map_err(|error| self.0.store_error(error))?;
        Ok(LoginUpdate::Conflict(found))
    }

    /// Sets the account of the login `id` as the authorization server has said it, if its version is still
    /// `version`.
    pub async fn set_account(
        &self,
        id: i64,
        version: i64,
        account: Option<&str>,
        label: Option<&str>,
    ) -> Result<LoginUpdate, StoreError> {
        const IDENTIFY: &str =
            "UPDATE login SET account = ?, label = ?, version = version + 1, updated_at_us = ?
            WHERE id = ? AND version = ? RETURNING *";
        let _turn = self.0.lock_writes().await?;
        let mut tx = secret::begin(&self.0).await?;
        let identify = sqlx::query(IDENTIFY).bind(account).bind(label).bind(now_us()).bind(id).bind(version);
        match identify.fetch_optional(&mut *tx).await {
            Ok(row) => self.finish_update(tx, id, row).await,
            Err(sqlx::Error::Database(error)) if error.is_unique_violation() => {
                Err(StoreError::AccountTaken { account: account.unwrap_or_default().to_owned() })
            }
            Err(error) => Err(self.0.store_error(error)),
        }
    }

    /// Saves the additional scopes that a server requires, for the next sign-in to the login `id`.
    pub async fn set_requested_scopes(&self, id: i64, scopes: &[String]) -> Result<(), StoreError> {
        let want = sqlx::query("UPDATE login SET scopes_wanted = ? WHERE id = ?")
            .bind(to_json_list(scopes))
            .bind(id);
        self.0.execute(want).await.map(drop)
    }

    /// The additional scopes that were saved for the login `id` since its last sign-in.
    pub async fn requested_scopes(&self, id: i64) -> Result<Vec<String>, StoreError> {
        let wanted = sqlx::query("SELECT COALESCE(scopes_wanted, '[]') AS wanted FROM login WHERE id = ?");
        let row = wanted.bind(id).fetch_optional(&self.0.lookups).await;
        let scopes = row.and_then(|row| row.map_or(Ok(Vec::new()), |row| parse_json_list(&row, "wanted")));
        scopes.map_err(|error| self.0.store_error(error))
    }

    /// Saves that the login `id` is used now.
    pub async fn mark_used(&self, id: i64) -> Result<(), StoreError> {
        let used = sqlx::query("UPDATE login SET used_at_us = ? WHERE id = ?").bind(now_us()).bind(id);
        self.0.execute(used).await.map(drop)
    }

    /// Removes the login `id` with its tokens, and from its servers. False if it does not exist.
    pub async fn remove(&self, id: i64) -> Result<bool, StoreError> {
        let fault = |error| self.0.store_error(error);
        let _turn = self.0.lock_writes().await?;
        let mut tx = secret::begin(&self.0).await?;
        let removed = sqlx::query("DELETE FROM login WHERE id = ?").bind(id);
        let removed = removed.execute(&mut *tx).await.map_err(fault)?.rows_affected() == 1;
        sqlx::query(PRUNE).execute(&mut *tx).await.map_err(fault)?;
        tx.commit().await.map_err(fault)?;
        Ok(removed)
    }
}

async fn find(tx: &mut SqliteConnection, id: i64) -> Result<Option<LoginRow>, sqlx::Error> {
    let row = sqlx::query("SELECT * FROM login WHERE id = ?").bind(id).fetch_optional(tx).await?;
    row.as_ref().map(from_row).transpose()
}

fn to_json_list(values: &[String]) -> String {
    serde_json::Value::from(values).to_string()
}

fn parse_json_list(row: &SqliteRow, column: &str) -> Result<Vec<String>, sqlx::Error> {
    serde_json::from_str(row.try_get(column)?)
        .map_err(|error| sqlx::Error::ColumnDecode { index: column.to_owned(), source: Box::new(error) })
}

pub(crate) fn from_row(row: &SqliteRow) -> Result<LoginRow, sqlx::Error> {
    let reason: Option<String> = row.try_get("reason")?;
    Ok(LoginRow {
        id: row.try_get("id")?,
        login: NewLogin {
            issuer: row.try_get("issuer")?,
            resource: row.try_get("resource")?,
            account: row.try_get("account")?,
            label: row.try_get("label")?,
            registration_id: row.try_get("registration_id")?,
        },
        tokens: TokenFacts {
            scopes_asked: parse_json_list(row, "scopes_asked")?,
            scopes_granted: parse_json_list(row, "scopes_granted")?,
            token_type: row.try_get("token_type")?,
            expires_at_us: row.try_get("expires_at_us")?,
            refreshable: row.try_get("refreshable")?,
        },
        // The table has a reason if and only if the login has ended.
        state: reason.map_or(LoginState::Active, LoginState::Ended),
        secret_id: row.try_get("secret_id")?,
        version: row.try_get("version")?,
        created_at_us: row.try_get("created_at_us")?,
        updated_at_us: row.try_get("updated_at_us")?,
        used_at_us: row.try_get("used_at_us")?,
    })
}
