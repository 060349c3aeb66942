//! The network settings: additional trusted certificate authorities, and conflicts between the database and
//! the settings in force.

use mooring_approvals::NetworkProblem;
use mooring_errors::HostError;
use mooring_network::{Certificate, read_certificates};
use mooring_words::Sentence;
use serde::Serialize;
use ts_rs::TS;

use crate::host::Host;

/// A certificate of an authority.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CertificateView {
    /// The authority's name.
    pub name: String,
    /// The issuer's name. It equals `name` for a self-signed certificate.
    pub issuer: String,
    /// When it expires, in milliseconds since the Unix epoch.
    pub ends_ms: i64,
    /// The SHA-256 fingerprint, in hexadecimal pairs with colons.
    pub fingerprint: String,
    /// The certificate as base64-encoded DER.
    pub der: String,
}

impl From<&Certificate> for CertificateView {
    fn from(certificate: &Certificate) -> Self {
        Self {
            name: certificate.name().to_owned(),
            issuer: certificate.issuer().to_owned(),
            ends_ms: certificate.ends_ms(),
            fingerprint: certificate.fingerprint(),
            der: certificate.encode(),
        }
    }
}

impl Host {
    /// The difference between the network settings in the database and those in force, if any.
    pub fn network_problem(&self) -> Option<NetworkProblem> {
        self.inner.network_settings.problem()
    }

    /// Resolves the problem with this hash. `take` applies the settings of the database; otherwise the
    /// settings in force overwrite them.
    pub async fn settle_network(&self, hash: &str, take: bool) -> Result<(), HostError> {
        if self.network_problem().is_some() {
            self.vault().open().await?;
        }
        Ok(self.inner.network_settings.settle(hash, take).await?)
    }

    /// The additional trusted certificates.
    pub fn certificates(&self) -> Vec<CertificateView> {
        self.inner.network_settings.in_force().certificates.iter().map(CertificateView::from).collect()
    }

    /// The certificates in a file, for review. This does not trust them.
    pub fn read_certificates(file: &[u8]) -> Result<Vec<CertificateView>, HostError> {
        let found = read_certificates(file).map_err(invalid_certificates)?;
        Ok(found.iter().map(CertificateView::from).collect())
    }

    /// Trusts these certificates from the next connection on. Each is the `der` of a view.
    pub async fn add_certificates(&self, der: &[String]) -> Result<(), HostError> {
        let added: Vec<_> = der
            .iter()
            .map(|text| Certificate::decode(text))
            .collect::<Result<_, _>>()
            .map_err(invalid_certificates)?;
        self.change_certificates(|certificates| {
            for certificate in added {
                if !certificates.contains(&certificate) {
                    certificates.push(certificate);
                }
            }
        })
        .await
    }

    /// Stops trusting a certificate from the next connection on.
    pub async fn remove_certificate(&self, fingerprint: &str) -> Result<(), HostError> {
        self.change_certificates(|certificates| {
            certificates.retain(|known| known.fingerprint() != fingerprint);
        })
        .await
    }

    async fn change_certificates(
        &self,
        change: impl FnOnce(&mut Vec<Certificate>) + Send,
    ) -> Result<(), HostError> {
        self.open_vault_to_decide().await?;
        if self.inner.network_settings.is_waiting() {
            // Changes that wait for the vault would be lost.
            self.vault().open().await?;
        }
        Ok(self.inner.network_settings.change_certificates(change).await?)
    }
}

fn invalid_certificates(message: Sentence) -> HostError {
    HostError::InvalidSetting { field: "certificates", message }
}
