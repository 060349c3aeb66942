//! The canonical form of how a server is started or reached: the saved settings, and what Mooring resolved
//! them to on this computer. It contains hashes of the values of variables and headers, but only the names of
//! encrypted ones.

use std::path::Path;

use mooring_base::clock::now_us;
use mooring_base::digest::sha256;
use mooring_base::server_id::ServerId;
use mooring_definitions::NewServer;
use mooring_jsonrpc::canonical::parse;
use mooring_policy::PinKind;
use mooring_policy::definition::{apply_edit, is_same_but_issuer, saved_hash, server_item};
use mooring_store::PinRow;
use mooring_vault::VaultError;
use serde_json::{Map, Value, json};

use super::{Trust, build_pin_row};
use crate::error::TrustError;

/// Fields of a server that are not compared: they decide neither what is started or reached nor what it gets.
/// The transport follows from the other fields. All other fields are compared.
const NOT_COMPARED: [&str; 4] = ["transport", "timeoutMs", "era", "start"];

/// The hash of a server's settings. It identifies a later change as one of the person.
pub fn settings_hash(config: &NewServer) -> Result<String, serde_json::Error> {
    Ok(sha256(&parse(&Value::from(settings_form(config)?).to_string()).to_string()))
}

pub(super) fn settings_form(config: &NewServer) -> Result<Map<String, Value>, serde_json::Error> {
    let hashed = |values: &std::collections::BTreeMap<String, String>| {
        values
            .iter()
            .map(|(name, value)| (name.clone(), json!(format!("sha256:{}", sha256(value)))))
            .collect()
    };
    let (mut env, mut headers): (Map<String, Value>, Map<String, Value>) =
        (hashed(&config.env), hashed(&config.headers));
    for secret in &config.secrets {
        let values = match secret.place {
            mooring_store::SecretPlace::Env => &mut env,
            mooring_store::SecretPlace::Header => &mut headers,
        };
        values.insert(secret.name.clone(), json!("sealed"));
    }
    let mut form = config.to_members()?;
    form.retain(|name, _| !NOT_COMPARED.contains(&name.as_str()));
    form.entry("args").or_insert_with(|| json!([]));
    form.insert("env".to_owned(), Value::Object(env));
    form.insert("headers".to_owned(), Value::Object(headers));
    Ok(form)
}

impl Trust {
    /// Whether a server may be started or reached. False if anyone but the person changed its definition.
    pub async fn admit(
        &self,
        server: ServerId,
        config: &NewServer,
        program: Option<&Path>,
    ) -> Result<bool, TrustError> {
        let hash = match program {
            Some(program) => self.programs.hash_file(program).await,
            None => None,
        };
        let _turn = self.change_lock.lock().await;
        self.read_pins(server).await?;
        let known = self.pins.get(server.0, PinKind::Server.as_str(), "").await?;
        let mut form = settings_form(config).map_err(TrustError::internal)?;
        if let Some(program) = program {
            form.insert("program".to_owned(), json!(program.to_string_lossy()));
            form.insert("programSha256".to_owned(), json!(hash));
        }
        // Without a login, the last issuer is used. Signing in or out then changes nothing, but another
        // issuer does.
        let login = self.logins.chosen(server.0).await?.map(|login| login.login.issuer);
        let before = known.as_ref().and_then(|known| serde_json::from_str(&known.known_form).ok());
        let before: Map<String, Value> = before.unwrap_or_default();
        if let Some(issuer) = login.clone().map(Value::from).or_else(|| before.get("issuer").cloned()) {
            form.insert("issuer".to_owned(), issuer);
        }
        let saved = settings_hash(config).map_err(TrustError::internal)?;
        // If another program wrote what is in the tables, neither that nor what was known before is trusted.
        let checked = self.pins.is_as_saved(server.0).await?;
        if checked.is_none() && config.secrets.iter().any(|secret| secret.entered) {
            // The vault was closed after the values were read, so their origin can't be verified.
            return Err(TrustError::Vault(VaultError::Closed));
        }
        let is_as_saved = checked != Some(false);
        let is_edit = self.pins.saved_hash(server.0).await?.as_deref() == Some(&saved) && is_as_saved;
        let item = server_item(&form);
        let now = now_us();
        let (row, decided) = match known {
            None if is_as_saved => (
                PinRow { approved_at_us: is_edit.then_some(now), ..build_pin_row(&item, None, now) },
                is_edit,
            ),
            None => (PinRow { known_hash: String::new(), ..build_pin_row(&item, None, now) }, false),
            Some(known) => {
                if known.hash == item.hash && known.known_hash == item.hash {
                    return Ok(true);
                }
                let is_intact = sha256(&known.known_form) == known.known_hash;
                if !is_intact {
                    // The known form was tampered with, and is only used for comparison.
                    let row = build_pin_row(&item, Some(known), now);
                    return self.save_admission(server, row, false).await;
                }
                let edits = is_edit && saved_hash(&known.known_form).as_deref() != Some(&saved);
                let mut expected = if edits { apply_edit(&before, &form) } else { before };
                let is_first_login = login.is_some() && !expected.contains_key("issuer");
                if is_first_login && is_same_but_issuer(&expected, &form) {
                    expected.clone_from(&form);
                }
                let expected = server_item(&expected);
                let adopts = is_edit && expected.hash == item.hash && known.known_hash != item.hash;
                let known = PinRow {
                    approved_at_us: adopts.then_some(now).or(known.approved_at_us),
                    known_form: expected.form().to_owned(),
                    known_hash: expected.hash,
                    ..known
                };
                (build_pin_row(&item, Some(known), now), true)
            }
        };
        // If the definition was not compared with Mooring's own record, it is only marked as seen.
        self.save_admission(server, row, decided && checked.is_some()).await
    }

    async fn save_admission(&self, server: ServerId, row: PinRow, decided: bool) -> Result<bool, TrustError> {
        self.pins.save(server.0, std::slice::from_ref(&row), None, decided).await?;
        self.remember_pin(server, &row);
        self.notify_change(server);
        Ok(row.hash == row.known_hash)
    }

    /// The person has saved these settings. If the definition that was seen in the meantime has the same
    /// settings, it is approved.
    pub async fn approve_edit(&self, server: ServerId, config: &NewServer) -> Result<(), TrustError> {
        let _turn = self.change_lock.lock().await;
        self.read_pins(server).await?;
        let hash = settings_hash(config).map_err(TrustError::internal)?;
        let Some(row) = self.pins.get(server.0, PinKind::Server.as_str(), "").await? else { return Ok(()) };
        let is_as_saved = row.hash == row.known_hash && saved_hash(&row.form).as_deref() == Some(&hash);
        if is_as_saved && row.approved_at_us.is_none() {
            let row = PinRow { approved_at_us: Some(now_us()), ..row };
            self.pins.save(server.0, std::slice::from_ref(&row), None, true).await?;
            self.remember_pin(server, &row);
            self.notify_change(server);
        }
        Ok(())
    }
}
