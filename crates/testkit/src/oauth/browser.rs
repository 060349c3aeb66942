//! A browser that opens a URL without a person.

use reqwest::header::{HeaderMap, LOCATION};
use reqwest::redirect::Policy;

/// The last page of a browser.
#[derive(Debug, Clone)]
pub struct Page {
    /// The last address.
    pub url: String,
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: String,
}

/// The redirect of a URL, without following it: as on another computer, where its target is unreachable.
pub async fn redirected(url: &str) -> Result<Option<String>, reqwest::Error> {
    let client = reqwest::Client::builder().redirect(Policy::none()).no_proxy().build()?;
    let answer = client.get(url).send().await?;
    let next = answer.headers().get(LOCATION).and_then(|location| location.to_str().ok());
    Ok(next.and_then(|location| answer.url().join(location).ok()).map(String::from))
}

/// Follows a URL by GET through at most ten redirects, as a browser does. A transport error is returned.
pub async fn follow_redirects(url: &str) -> Result<Page, reqwest::Error> {
    let client = reqwest::Client::builder().redirect(Policy::none()).no_proxy().build()?;
    let mut url = url.to_owned();
    let mut left = 10;
    loop {
        let answer = client.get(&url).send().await?;
        let next = answer.headers().get(LOCATION).and_then(|location| location.to_str().ok());
        let next = next.and_then(|location| answer.url().join(location).ok());
        match next {
            Some(next) if answer.status().is_redirection() && left > 0 => {
                url = next.into();
                left -= 1;
            }
            _ => {
                let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
                return Ok(Page { url, status, headers, body: answer.text().await? });
            }
        }
    }
}
