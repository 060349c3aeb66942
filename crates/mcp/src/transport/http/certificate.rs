//! Whose certificate it is that is not trusted: asked of the server once more, without sending it anything.

use std::time::Duration;

use mooring_network::issuer_name;
use reqwest::Method;
use reqwest::tls::TlsInfo;
use url::Url;

/// How long asking may take.
const LONGEST: Duration = Duration::from_secs(5);

/// Who issued the certificate of the server at `url`, as the certificate says. Nothing of the person's is sent, neither
/// path nor headers, because nobody knows who answers.
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
