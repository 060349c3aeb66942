//! Sealed secrets as the store keeps them and as the vault opens them.

use mooring_store::SecretRow;
use mooring_vault::{Fingerprint, Sealed, VaultError};

/// As the store keeps it.
pub fn secret_row(id: String, kind: &str, purpose: String, sealed: Sealed) -> SecretRow {
    SecretRow {
        id,
        kind: kind.to_owned(),
        purpose,
        version: i64::from(sealed.version),
        key: sealed.key.0,
        nonce: sealed.nonce,
        ciphertext: sealed.ciphertext,
    }
}

/// As the vault opens it.
pub fn sealed(row: &SecretRow) -> Result<Sealed, VaultError> {
    Ok(Sealed {
        version: u8::try_from(row.version).map_err(|_| VaultError::Tampered)?,
        key: Fingerprint(row.key),
        nonce: row.nonce,
        ciphertext: row.ciphertext.clone(),
    })
}
