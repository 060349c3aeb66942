//! The network settings: certificates of authorities that are trusted besides the system's, and what counts of what the
//! database says.

use mooring_approvals::NetworkProblem;
use mooring_network::{Certificate, read_certificates};
use mooring_words::Sentence;
use serde::Serialize;
use ts_rs::TS;

use crate::error::HostError;
use crate::host::Host;

/// The certificate of an authority.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CertificateView {
    /// The authority's name.
    pub name: String,
    /// Who issued it: the same name where the authority did.
    pub issuer: String,
    /// Until when it is valid, in milliseconds since the Unix epoch.
    pub ends_ms: i64,
    /// The SHA-256 of the certificate, in hexadecimal pairs with colons.
    pub fingerprint: String,
    /// The certificate itself: DER in base64.
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
    /// That the database says something else of the network than what counts.
    pub fn network_problem(&self) -> Option<NetworkProblem> {
        self.inner.network_settings.problem()
    }

    /// Ends that: `take` what the database says, as the problem of this hash showed it, or have it say what counts.
    pub async fn settle_network(&self, hash: &str, take: bool) -> Result<(), HostError> {
        if self.network_problem().is_some() {
            self.vault().open().await?;
        }
        Ok(self.inner.network_settings.settle(hash, take).await?)
    }

    /// The certificates that are trusted besides the system's.
    pub fn certificates(&self) -> Vec<CertificateView> {
        self.inner.network_settings.in_force().certificates.iter().map(CertificateView::from).collect()
    }

    /// The certificates in a file, for the user to look at. Nothing is trusted by it.
    pub fn read_certificates(file: &[u8]) -> Result<Vec<CertificateView>, HostError> {
        let found = read_certificates(file).map_err(invalid)?;
        Ok(found.iter().map(CertificateView::from).collect())
    }

    /// Trusts these certificates, each the `der` of a view, from the next connection on.
    pub async fn add_certificates(&self, der: &[String]) -> Result<(), HostError> {
        let added: Vec<_> =
            der.iter().map(|text| Certificate::decode(text)).collect::<Result<_, _>>().map_err(invalid)?;
        self.change_certificates(|certificates| {
            for certificate in added {
                if !certificates.contains(&certificate) {
                    certificates.push(certificate);
                }
            }
        })
        .await
    }

    /// Trusts a certificate no longer, from the next connection on.
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
            // Those that wait for the vault would be lost.
            self.vault().open().await?;
        }
        Ok(self.inner.network_settings.change_certificates(change).await?)
    }
}

fn invalid(message: Sentence) -> HostError {
    HostError::InvalidSetting { field: "certificates", message }
}
