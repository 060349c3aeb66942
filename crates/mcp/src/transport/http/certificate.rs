//! Finds out who issued an untrusted certificate, with another connection that sends nothing.

use std::time::Duration;

use mooring_network::issuer_name;
use reqwest::Method;
use reqwest::tls::TlsInfo;
use url::Url;

/// Deadline of the connection.
const LONGEST: Duration = Duration::from_secs(5);

/// The issuer of the certificate of the server at `url`, as the certificate says. Neither the path nor
/// headers are sent, because it is unknown who responds.
pub(crate) async fn issuer(url: &Url) -> Option<String> {
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(LONGEST)
        .tls_danger_accept_invalid_certs(true)
        .tls_info(true)
        .build()
        .ok()?;
    let origin = url.join("/").ok().filter(|origin| origin.scheme() == "https")?;
    let answer = client.request(Method::HEAD, bare(origin)).send().await.ok()?;
    issuer_name(answer.extensions().get::<TlsInfo>()?.peer_certificate()?)
}

fn bare(mut url: Url) -> Url {
    let _always = (url.set_username(""), url.set_password(None));
    url
}
