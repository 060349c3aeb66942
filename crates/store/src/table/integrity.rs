//! The `integrity` table: documents of [`mooring_base::integrity`]. Each is written in the transaction that
//! changes the rows that it protects.

use super::secret::{begin, read_bytes};
use crate::database::Database;
use mooring_base::integrity::{
    DEFINITION_ENTRY, DocumentEncryptor, DocumentKey, DocumentState, EncryptedDocument, EntryChange,
    INDEX_SCOPE, IntegrityDocument, MAX_PENDING, RULES_REVIEWED_ENTRY, RULES_SCOPE, SAVED_ENTRY,
    SETTINGS_SCOPE, pin_entry, pin_value, server_scope,
};
use mooring_disk::StoreError;
use sha2::{Digest, Sha256};
use sqlx::Row;
use sqlx::sqlite::SqliteConnection;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::Ordering;

/// Reads and verifies a document, in the transaction that reads its rows.
pub(crate) async fn read_document(
    database: &Database,
    tx: &mut SqliteConnection,
    scope: &str,
) -> Result<DocumentState, StoreError> {
    let Some((key, mine)) = database.integrity.key() else { return Ok(DocumentState::Unchecked) };
    if read_active_key(database, tx).await? != Some(mine.to_vec()) {
        return Err(StoreError::WrongKey);
    }
    let all = read_index(database, tx, &**key).await?;
    let document = read_unverified_document(database, tx, &**key, scope).await?;
    let named = all.entries.get(scope);
    Ok(match document.filter(|document| named == Some(&document.generation.to_string())) {
        Some(document) => DocumentState::Verified(document),
        None => DocumentState::Missing,
    })
}

/// The index document. If it is older than the one that this process has read, another program put it there,
/// and it counts as empty.
async fn read_index(
    database: &Database,
    tx: &mut SqliteConnection,
    key: &dyn DocumentKey,
) -> Result<IntegrityDocument, StoreError> {
    let all = read_unverified_document(database, tx, key, INDEX_SCOPE).await?.unwrap_or_default();
    let newest = database.integrity.newest.fetch_max(all.generation, Ordering::SeqCst);
    if all.generation < newest {
        return Ok(IntegrityDocument { generation: newest, entries: BTreeMap::new() });
    }
    Ok(all)
}

/// The fingerprint of the vault's current key, or `None` if there is no vault or no key yet.
pub(crate) async fn read_active_key(
    database: &Database,
    tx: &mut SqliteConnection,
) -> Result<Option<Vec<u8>>, StoreError> {
    let key = sqlx::query_scalar::<_, Option<Vec<u8>>>("SELECT key FROM vault").fetch_optional(tx).await;
    key.map(Option::flatten).map_err(|error| database.store_error(error))
}

async fn read_unverified_document(
    database: &Database,
    tx: &mut SqliteConnection,
    key: &dyn DocumentKey,
    scope: &str,
) -> Result<Option<IntegrityDocument>, StoreError> {
    let row = sqlx::query("SELECT * FROM integrity WHERE scope = ?").bind(scope).fetch_optional(tx).await;
    let Some(row) = row.map_err(|error| database.store_error(error))? else { return Ok(None) };
    // A document that can't be read was not written by Mooring.
    let sealed = document_from_row(&row).ok();
    let text = sealed.and_then(|sealed| key.decrypt(scope, &sealed));
    Ok(text.and_then(|text| serde_json::from_slice(&text).ok()))
}

fn document_from_row(row: &sqlx::sqlite::SqliteRow) -> Result<EncryptedDocument, sqlx::Error> {
    Ok(EncryptedDocument {
        version: row.try_get("version")?,
        key: read_bytes(row, "key")?,
        nonce: read_bytes(row, "nonce")?,
        ciphertext: row.try_get("ciphertext")?,
    })
}

/// Writes changes into the document of a scope, in the transaction that changes its rows. Without the key,
/// the changes wait in memory.
pub(crate) async fn record_changes(
    database: &Database,
    tx: &mut SqliteConnection,
    scope: &str,
    changes: Vec<(String, EntryChange)>,
) -> Result<(), StoreError> {
    let Some(current) = read_active_key(database, tx).await? else { return Ok(()) };
    let of_scope = changes.into_iter().map(|(entry, change)| ((scope.to_owned(), entry), change));
    match database.integrity.key() {
        Some((key, mine)) if mine.as_slice() == current => {
            let now: BTreeMap<_, _> = of_scope.collect();
            // Drops waiting changes of the same entries, which are older.
            database.integrity.pending().retain(|entry, _| !now.contains_key(entry));
            write_changes(database, tx, &**key, now).await?;
        }
        _ => {
            let mut pending = database.integrity.pending();
            if pending.len() < MAX_PENDING {
                pending.extend(of_scope);
            }
        }
    }
    Ok(())
}

async fn write_changes(
    database: &Database,
    tx: &mut SqliteConnection,
    key: &dyn DocumentKey,
    changes: BTreeMap<(String, String), EntryChange>,
) -> Result<(), StoreError> {
    let mut all = read_index(database, tx, key).await?;
    let mut documents: BTreeMap<String, Option<IntegrityDocument>> = BTreeMap::new();
    for ((scope, entry), change) in changes {
        if !documents.contains_key(&scope) {
            let named = all.entries.get(&scope);
            let found = read_unverified_document(database, tx, key, &scope).await?;
            let found = found.filter(|found| named == Some(&found.generation.to_string()));
            documents.insert(scope.clone(), found);
        }
        let Some(document) = documents.get_mut(&scope) else { continue };
        match change {
            EntryChange::Set(_)
                if document.is_none() && scope == RULES_SCOPE && entry != RULES_REVIEWED_ENTRY => {}
            EntryChange::Set(value) => {
                document.get_or_insert_default().entries.insert(entry, value);
            }
            // `Seen` never creates a document: a missing document was removed by another program, and stays
            // missing until the person has reviewed it.
            EntryChange::Seen(value) => {
                if let Some(document) = document {
                    document.entries.entry(entry).or_insert(value);
                }
            }
            EntryChange::Remove => {
                if let Some(document) = document {
                    document.entries.remove(&entry);
                }
            }
        }
    }
    all.generation += 1;
    for (scope, document) in documents {
        let Some(mut document) = document else { continue };
        document.generation = all.generation;
        all.entries.insert(scope.clone(), document.generation.to_string());
        encrypt_and_store_document(database, tx, &scope, &document, &|scope, text| key.encrypt(scope, text))
            .await?;
    }
    encrypt_and_store_document(database, tx, INDEX_SCOPE, &all, &|scope, text| key.encrypt(scope, text)).await
}

async fn encrypt_and_store_document(
    database: &Database,
    tx: &mut SqliteConnection,
    scope: &str,
    document: &IntegrityDocument,
    seal: &DocumentEncryptor<'_>,
) -> Result<(), StoreError> {
    let encode = |error: serde_json::Error| database.store_error(sqlx::Error::Encode(error.into()));
    let text = serde_json::to_vec(document).map_err(encode)?;
    let Some(sealed) = seal(scope, &text) else { return Err(StoreError::WrongKey) };
    store_encrypted_document(tx, scope, &sealed).await.map_err(|error| database.store_error(error))
}

async fn store_encrypted_document(
    tx: &mut SqliteConnection,
    scope: &str,
    sealed: &EncryptedDocument,
) -> Result<(), sqlx::Error> {
    const PUT: &str = "INSERT INTO integrity (scope, version, key, nonce, ciphertext) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET version = excluded.version, key = excluded.key, nonce = excluded.nonce,
        ciphertext = excluded.ciphertext";
    let put = sqlx::query(PUT).bind(scope).bind(sealed.version).bind(sealed.key.as_slice());
    put.bind(sealed.nonce.as_slice()).bind(&sealed.ciphertext).execute(tx).await.map(|_| ())
}

/// Writes the changes that waited for the key.
pub(crate) async fn write_pending_changes(database: &Database) -> Result<(), StoreError> {
    let pending = database.integrity.pending().clone();
    let Some((key, mine)) = database.integrity.key().filter(|_| !pending.is_empty()) else { return Ok(()) };
    let _turn = database.lock_writes().await?;
    let mut tx = begin(database).await?;
    if read_active_key(database, &mut tx).await? != Some(mine.to_vec()) {
        return Ok(());
    }
    write_changes(database, &mut tx, &**key, pending.clone()).await?;
    tx.commit().await.map_err(|error| database.store_error(error))?;
    database.integrity.pending().retain(|entry, change| pending.get(entry) != Some(change));
    Ok(())
}

/// Builds every document from the tables, for a key that has no documents yet.
pub(crate) async fn rebuild_documents(
    database: &Database,
    tx: &mut SqliteConnection,
    seal: &DocumentEncryptor<'_>,
) -> Result<(), StoreError> {
    const PINS: &str =
        "SELECT kind, name, known_hash, approved_at_us IS NOT NULL FROM pin WHERE server_id = ?";
    const LEFT: &str = "DELETE FROM integrity";
    let fault = |error| database.store_error(error);
    sqlx::query(LEFT).execute(&mut *tx).await.map_err(fault)?;
    // Newer than the index that this process has read under the key before.
    let generation = database.integrity.newest.load(Ordering::SeqCst) + 1;
    let mut all = IntegrityDocument { generation, entries: BTreeMap::new() };
    let rules = super::rule::list_rows(&mut *tx).await.map_err(fault)?;
    let mut entries: BTreeMap<String, String> =
        rules.iter().map(|row| (row.id.to_string(), row.to_document_entry())).collect();
    entries.extend(super::app::read_document_entries(&mut *tx).await.map_err(fault)?);
    let mut documents = vec![(RULES_SCOPE.to_owned(), IntegrityDocument { generation, entries })];
    let entries = super::setting::read_document_entries(&mut *tx).await.map_err(fault)?;
    documents.push((SETTINGS_SCOPE.to_owned(), IntegrityDocument { generation, entries }));
    let servers: Vec<i64> =
        sqlx::query_scalar("SELECT id FROM server").fetch_all(&mut *tx).await.map_err(fault)?;
    for id in servers {
        let pins: Vec<(String, String, String, bool)> =
            sqlx::query_as(PINS).bind(id).fetch_all(&mut *tx).await.map_err(fault)?;
        let pins = pins
            .into_iter()
            .map(|(kind, name, hash, approved)| (pin_entry(&kind, &name), pin_value(&hash, approved)));
        let mut entries: BTreeMap<String, String> = pins.collect();
        entries.extend(
            hash_definition(tx, id).await.map_err(fault)?.map(|hash| (DEFINITION_ENTRY.to_owned(), hash)),
        );
        let edit = sqlx::query_scalar("SELECT hash FROM server_edit WHERE server_id = ?").bind(id);
        let edit: Option<String> = edit.fetch_optional(&mut *tx).await.map_err(fault)?;
        entries.extend(edit.map(|hash| (SAVED_ENTRY.to_owned(), hash)));
        documents.push((server_scope(id), IntegrityDocument { generation, entries }));
    }
    for (scope, document) in documents {
        all.entries.insert(scope.clone(), generation.to_string());
        encrypt_and_store_document(database, tx, &scope, &document, seal).await?;
    }
    encrypt_and_store_document(database, tx, INDEX_SCOPE, &all, seal).await
}

/// Adds the document of the settings that decide where secrets are sent, for a key of a version that
/// authenticated everything but them. The index document records that this was done. If the index can't be
/// read, another program removed it, and nothing is added.
pub(crate) async fn adopt_settings(
    database: &Database,
    tx: &mut SqliteConnection,
    key: &dyn DocumentKey,
) -> Result<(), StoreError> {
    let Some(mut all) = read_unverified_document(database, tx, key, INDEX_SCOPE).await? else {
        return Ok(());
    };
    if all.entries.contains_key(SETTINGS_SCOPE) {
        return Ok(());
    }
    let entries =
        super::setting::read_document_entries(tx).await.map_err(|error| database.store_error(error))?;
    all.generation += 1;
    let settings = IntegrityDocument { generation: all.generation, entries };
    all.entries.insert(SETTINGS_SCOPE.to_owned(), settings.generation.to_string());
    let seal = |scope: &str, text: &[u8]| key.encrypt(scope, text);
    encrypt_and_store_document(database, tx, SETTINGS_SCOPE, &settings, &seal).await?;
    encrypt_and_store_document(database, tx, INDEX_SCOPE, &all, &seal).await
}

pub(crate) async fn has_no_documents(tx: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar("SELECT NOT EXISTS (SELECT 1 FROM integrity)").fetch_one(tx).await
}

/// Encrypts every document with another key. A document that can't be decrypted is removed, and counts as
/// missing from then on.
pub(crate) async fn reencrypt_documents(
    tx: &mut SqliteConnection,
    reseal: &(dyn Fn(&str, &EncryptedDocument) -> Option<EncryptedDocument> + Send + Sync),
) -> Result<(), sqlx::Error> {
    let rows = sqlx::query("SELECT * FROM integrity").fetch_all(&mut *tx).await?;
    for row in rows {
        let scope: String = row.try_get("scope")?;
        if let Some(sealed) = document_from_row(&row).ok().and_then(|sealed| reseal(&scope, &sealed)) {
            store_encrypted_document(tx, &scope, &sealed).await?;
        } else {
            let gone = sqlx::query("DELETE FROM integrity WHERE scope = ?").bind(&scope);
            gone.execute(&mut *tx).await?;
        }
    }
    Ok(())
}

/// A hash of how a server is started or reached, and of where its secrets are. It covers every member of the
/// definition but `timeoutMs` and `era`. Members that format 30 had as columns are hashed in the order of
/// those columns, so that earlier hashes remain valid.
async fn hash_definition(tx: &mut SqliteConnection, server_id: i64) -> Result<Option<String>, sqlx::Error> {
    const TEXT: &str = "WITH part AS (SELECT definition AS it,
            json_remove(definition, '$.transport', '$.command', '$.args', '$.env', '$.cwd', '$.url', '$.headers',
                '$.timeoutMs', '$.era') AS newer,
            (SELECT json_group_array(json_array(place, name, secret_id)) FROM
                (SELECT * FROM server_secret WHERE server_id = server.id ORDER BY place, name)) AS secrets
            FROM server WHERE id = ?),
        text AS (SELECT newer, json_array(it ->> '$.transport', it ->> '$.command',
            coalesce(it ->> '$.args', '[]'), coalesce(it ->> '$.env', '{}'), it ->> '$.cwd', it ->> '$.url',
            coalesce(it ->> '$.headers', '{}'), json(secrets)) AS it FROM part)
        SELECT CASE newer WHEN '{}' THEN it ELSE json_insert(it, '$[#]', newer) END FROM text";
    let text: Option<String> = sqlx::query_scalar(TEXT).bind(server_id).fetch_optional(tx).await?;
    Ok(text.map(|text| to_hex(&Sha256::digest(text))))
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string can't fail.
        let _always = write!(text, "{byte:02x}");
        text
    })
}

/// The hash of a server's current definition, as a change of its document.
pub(crate) async fn definition_now(
    tx: &mut SqliteConnection,
    server_id: i64,
) -> Result<Vec<(String, EntryChange)>, sqlx::Error> {
    let hash = hash_definition(tx, server_id).await?;
    Ok(hash.map(|hash| (DEFINITION_ENTRY.to_owned(), EntryChange::Set(hash))).into_iter().collect())
}

/// Whether the server's definition is the one that Mooring last wrote. `None` if that is not known, because
/// the document can't be checked now.
pub(crate) async fn is_as_saved(database: &Database, server_id: i64) -> Result<Option<bool>, StoreError> {
    let fault = |error| database.store_error(error);
    let mut tx = database.lookups.begin().await.map_err(fault)?;
    Ok(match read_document(database, &mut tx, &server_scope(server_id)).await? {
        DocumentState::Unchecked => None,
        DocumentState::Missing => Some(false),
        DocumentState::Verified(document) => {
            let now = hash_definition(&mut tx, server_id).await.map_err(fault)?;
            Some(now.is_some() && now.as_ref() == document.entries.get(DEFINITION_ENTRY))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlx::Connection;

    async fn put(db: &mut SqliteConnection, statement: &str) {
        sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(db).await.unwrap();
    }

    async fn text(db: &mut SqliteConnection, statement: &str) -> String {
        sqlx::query_scalar(sqlx::AssertSqlSafe(statement)).fetch_one(db).await.unwrap()
    }

    #[tokio::test]
    async fn definitions_keep_their_hash_of_when_they_were_columns() {
        const COLUMNS: &str = "SELECT json_array(transport, command, args, env, cwd, url, headers, (SELECT
            json_group_array(json_array(place, name, secret_id)) FROM (SELECT * FROM server_secret
            WHERE server_id = server.id ORDER BY place, name))) FROM server WHERE id = ?";
        let mut db = SqliteConnection::connect(":memory:").await.unwrap();
        let mut old = sqlx::migrate!("../../migrations");
        old.migrations.to_mut().retain(|migration| migration.version < 31);
        old.run_direct(None, &mut db, false).await.unwrap();
        let odd = "a \u{1}\u{7f}\u{2028}\"\\/é日本🙂\n";
        let servers = [
            (
                "stdio",
                Some("npx"),
                vec!["-y", odd, ""],
                vec![("B", odd), ("A", "")],
                Some("/tmp/ü"),
                None,
                vec![],
            ),
            ("http", None, vec![], vec![], None, Some("https://a/?q=\"1\""), vec![("X-É", odd)]),
            ("stdio", Some(odd), vec![], vec![], None, None, vec![]),
        ];
        let mut hashes = Vec::new();
        for (id, (transport, command, args, env, cwd, url, headers)) in (1_i64..).zip(servers) {
            let map = |pairs: Vec<(&str, &str)>| {
                let pairs: BTreeMap<_, _> = pairs.into_iter().collect();
                serde_json::to_string(&pairs).unwrap()
            };
            let insert = sqlx::query(
                "INSERT INTO server VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 7, 1, 2, NULL,
                'auto', 0, 'automatic', 0, 0)",
            );
            let insert = insert.bind(id).bind(id.to_string()).bind(transport).bind(command);
            let insert =
                insert.bind(serde_json::to_string(&args).unwrap()).bind(map(env)).bind(cwd).bind(url);
            insert.bind(map(headers)).execute(&mut db).await.unwrap();
            let secret = "INSERT INTO server_secret (server_id, place, name) VALUES (?, 'env', 'S')";
            sqlx::query(secret).bind(id).execute(&mut db).await.unwrap();
            let before: String = sqlx::query_scalar(COLUMNS).bind(id).fetch_one(&mut db).await.unwrap();
            hashes.push(to_hex(&Sha256::digest(before)));
        }
        sqlx::migrate!("../../migrations").run_direct(None, &mut db, false).await.unwrap();
        for (id, hash) in (1_i64..).zip(&hashes) {
            assert_eq!(hash_definition(&mut db, id).await.unwrap().as_ref(), Some(hash), "{id}");
        }
        // Members with their default values may be missing. `timeoutMs` and `era` don't count.
        put(
            &mut db,
            "UPDATE server SET definition = json_remove(definition, '$.args', '$.env', '$.headers', '$.cwd',
            '$.url', '$.era', '$.timeoutMs') WHERE id = 3",
        )
        .await;
        assert_eq!(hash_definition(&mut db, 3).await.unwrap(), hashes.get(2).cloned());
        // Every other member counts, even a second member of the same name.
        let whole = text(&mut db, "SELECT definition FROM server WHERE id = 3").await;
        for other in [
            whole.replace('}', ",\"new\":1}"),
            whole.replace('}', ",\"command\":\"evil\"}"),
            "[]".to_owned(),
            "{}".to_owned(),
        ] {
            sqlx::query("UPDATE server SET definition = ? WHERE id = 3")
                .bind(&other)
                .execute(&mut db)
                .await
                .unwrap();
            assert_ne!(hash_definition(&mut db, 3).await.unwrap(), hashes.get(2).cloned(), "{other}");
        }
    }
}
