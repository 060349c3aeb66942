//! Finds the issuer of an untrusted certificate, with a separate connection.

use std::time::Duration;

use mooring_network::issuer_name;
use reqwest::Method;
use reqwest::tls::TlsInfo;
use url::Url;

/// The deadline of the connection.
const LONGEST: Duration = Duration::from_secs(5);

/// Finds the issuer of the certificate at `url`, trusted or not. Sends no path or headers: the server's
/// identity is unknown.
pub async fn find_issuer(url: &Url) -> Option<String> {
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(LONGEST)
        .tls_danger_accept_invalid_certs(true)
        .tls_info(true)
        .build()
        .ok()?;
    let origin = url.join("/").ok().filter(|origin| origin.scheme() == "https")?;
    let answer = client.request(Method::HEAD, bare_url(origin)).send().await.ok()?;
    issuer_name(answer.extensions().get::<TlsInfo>()?.peer_certificate()?)
}

fn bare_url(mut url: Url) -> Url {
    let _always = (url.set_username(""), url.set_password(None));
    url
}
