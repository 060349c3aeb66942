//! Proves that a process has the vault's key.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use secrecy::ExposeSecret as _;

use super::Vault;
use crate::encryption::{EncryptedBlob, VERSION};
use crate::error::VaultError;

/// The scope of an encrypted challenge. No document has this scope.
const SCOPE: &str = "proof";

impl Vault {
    /// Proves to another process that this process has the key. `challenge` is a random text of the other
    /// process.
    pub fn prove(&self, challenge: &str) -> Result<String, VaultError> {
        let EncryptedBlob { nonce, ciphertext, .. } = self.encrypt_document(SCOPE, challenge.as_bytes())?;
        Ok(STANDARD_NO_PAD.encode([&nonce[..], &ciphertext].concat()))
    }

    /// Whether this proof was made with the key that is in memory here.
    pub fn is_proof(&self, challenge: &str, proof: &str) -> bool {
        let Some(key) = self.key_fingerprint() else { return false };
        let Ok(bytes) = STANDARD_NO_PAD.decode(proof) else { return false };
        let Some((nonce, ciphertext)) = bytes.split_first_chunk() else { return false };
        let sealed = EncryptedBlob { version: VERSION, key, nonce: *nonce, ciphertext: ciphertext.to_vec() };
        let opened = self.decrypt_document(SCOPE, &sealed);
        opened.is_ok_and(|opened| opened.expose_secret() == challenge.as_bytes())
    }
}
