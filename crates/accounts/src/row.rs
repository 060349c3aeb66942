//! Converts encrypted secrets between the store's row and the vault's blob.

use mooring_store::SecretRow;
use mooring_vault::{EncryptedBlob, Fingerprint, VaultError};

/// The store's row of an encrypted secret.
pub fn secret_row(id: String, kind: &str, purpose: String, sealed: EncryptedBlob) -> SecretRow {
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

/// The vault's blob in a row of the store. Fails with [`VaultError::Tampered`] for a version out of range.
pub fn encrypted_blob(row: &SecretRow) -> Result<EncryptedBlob, VaultError> {
    Ok(EncryptedBlob {
        version: u8::try_from(row.version).map_err(|_| VaultError::Tampered)?,
        key: Fingerprint(row.key),
        nonce: row.nonce,
        ciphertext: row.ciphertext.clone(),
    })
}
