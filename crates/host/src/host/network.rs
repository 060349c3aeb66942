//! Certificates of authorities that are trusted besides the system's.

use mooring_network::{Certificate, Network, ProxyChoice, read_certificates};
use mooring_store::Store;
use mooring_words::{Sentence, say};
use serde::Serialize;
use ts_rs::TS;

use crate::error::HostError;
use crate::event::HostEvent;
use crate::host::{Host, send_event};

/// The key of the certificates in the settings table: a JSON array of texts.
const CERTIFICATES: &str = "certificates";
/// Most certificates that are trusted besides the system's.
const MAX_CERTIFICATES: usize = 100;

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
    /// The certificates that are trusted besides the system's.
    pub async fn certificates(&self) -> Vec<CertificateView> {
        self.inner.certificates.lock().await.iter().map(CertificateView::from).collect()
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
        let mut now = self.inner.certificates.lock().await;
        let mut changed = now.clone();
        change(&mut changed);
        if changed == *now {
            return Ok(());
        }
        if changed.len() > MAX_CERTIFICATES {
            return Err(invalid(say!("there can be at most {most} certificates", most = MAX_CERTIFICATES)));
        }
        let proxy = self.settings().proxy;
        apply(&self.inner.network, &proxy, &changed)?;
        let texts: Vec<_> = changed.iter().map(Certificate::encode).collect();
        let saved =
            self.inner.store.settings().set(CERTIFICATES, &serde_json::json!(texts).to_string()).await;
        if let Err(error) = saved {
            apply(&self.inner.network, &proxy, &now)?;
            return Err(error.into());
        }
        *now = changed;
        send_event(&self.inner.events, HostEvent::SettingsChanged);
        Ok(())
    }
}

/// Has requests follow the saved settings. Saved certificates that can't be read are left out and stay saved.
pub(super) async fn load(
    store: &Store,
    network: &Network,
    proxy: &ProxyChoice,
) -> Result<Vec<Certificate>, HostError> {
    let saved = store.settings().get(CERTIFICATES).await?;
    let texts: Vec<String> = match saved.as_deref().map(serde_json::from_str) {
        None => Vec::new(),
        Some(Ok(texts)) => texts,
        Some(Err(error)) => {
            tracing::warn!(%error, "the certificates of authorities can’t be read: only the system’s are trusted");
            Vec::new()
        }
    };
    let mut certificates = Vec::new();
    for text in texts {
        match Certificate::decode(&text) {
            Ok(certificate) => certificates.push(certificate),
            Err(error) => tracing::warn!(%error, "a saved certificate of an authority is left out"),
        }
    }
    apply(network, proxy, &certificates)?;
    Ok(certificates)
}

pub(super) fn apply(
    network: &Network,
    proxy: &ProxyChoice,
    certificates: &[Certificate],
) -> Result<(), HostError> {
    let unusable = |error: reqwest::Error| invalid(Sentence::quoted(error.to_string()));
    network.set(proxy, certificates).map_err(unusable)
}

fn invalid(message: Sentence) -> HostError {
    HostError::InvalidSetting { field: "certificates", message }
}
