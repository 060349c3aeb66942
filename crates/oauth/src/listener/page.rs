//! The final pages in the browser. They are static and independent of the request.
//!
//! There are three pages, and only the verdict selects one of them: the response was accepted, the response
//! was rejected, or the request is unknown.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{Response, StatusCode};
use hyper::body::{Body, Frame, SizeHint};
use sha2::{Digest as _, Sha256};
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The language of the page. The front end that starts the sign-in chooses it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Simplified Chinese.
    Chinese,
}

/// The content of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageKind {
    Success,
    Failure,
}

struct PageText {
    lang: &'static str,
    title: &'static str,
    text: &'static str,
}

fn page_text(verdict: PageKind, language: Language) -> PageText {
    let (lang, title, text) = match (language, verdict) {
        (Language::English, PageKind::Success) => (
            "en",
            "Back to Mooring",
            "Your answer has arrived. Mooring goes on by itself; you may close this page.",
        ),
        (Language::English, PageKind::Failure) => (
            "en",
            "Not signed in",
            "Mooring says what happened and what to do next. You may close this page.",
        ),
        (Language::Chinese, PageKind::Success) => {
            ("zh-CN", "请回到 Mooring", "已收到你的答复，Mooring 会自行继续。可以关闭此页面。")
        }
        (Language::Chinese, PageKind::Failure) => {
            ("zh-CN", "未登录", "Mooring 会说明发生了什么以及下一步该做什么。可以关闭此页面。")
        }
    };
    PageText { lang, title, text }
}

const STYLE: &str = "\
:root{color-scheme:light dark;--paper:#f3f4f4;--sheet:#ffffff;--ink:#12191c;--soft:#475459;--line:#e2e5e6;--mark:#0b6e75}\
@media(prefers-color-scheme:dark){:root{--paper:#0e1315;--sheet:#151b1e;--ink:#e8eef0;--soft:#a9b6bb;--line:#262f33;--mark:#4cc3c4}}\
html,body{height:100%;margin:0}\
body{display:grid;place-items:center;background:var(--paper);color:var(--ink);\
font:15px/1.6 system-ui,-apple-system,\"Segoe UI\",\"Noto Sans\",\"Noto Sans CJK SC\",sans-serif}\
main{background:var(--sheet);max-width:26rem;margin:1.5rem;padding:2rem 2.25rem;border:1px solid var(--line);border-radius:10px}\
h1{margin:.75rem 0 .5rem;font-size:1.15rem;font-weight:600}\
p{margin:0;color:var(--soft)}\
svg{display:block;color:var(--mark)}";

/// The anchor of the application's icon, as a line drawing.
const ANCHOR: &str = r#"<svg width="28" height="28" viewBox="0 0 28 28" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true"><circle cx="14" cy="7" r="3"/><path d="M14 10v14M10 14h8M5 17c.5 4.5 4 7 9 7s8.5-2.5 9-7"/></svg>"#;

/// The page of a verdict.
pub(super) fn result_page(verdict: PageKind, language: Language) -> Response<PageBody> {
    let PageText { lang, title, text } = page_text(verdict, language);
    let html = format!(
        "<!doctype html><html lang=\"{lang}\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><meta name=\"referrer\" content=\"no-referrer\">\
         <title>{title}</title><style>{STYLE}</style></head>\
         <body><main>{ANCHOR}<h1>{title}</h1><p>{text}</p></main></body></html>"
    );
    let hash = STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    with_security_headers(StatusCode::OK, "text/html; charset=utf-8", &policy, Bytes::from(html))
}

/// The response to any other request.
pub(super) fn error_page(status: StatusCode) -> Response<PageBody> {
    let text = Bytes::from_static(b"Nothing to see here.\n");
    with_security_headers(
        status,
        "text/plain; charset=utf-8",
        "default-src 'none'; frame-ancestors 'none'",
        text,
    )
}

fn with_security_headers(
    status: StatusCode,
    kind: &'static str,
    policy: &str,
    body: Bytes,
) -> Response<PageBody> {
    let mut response = Response::new(PageBody(Some(body)));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    if let Ok(policy) = HeaderValue::from_str(policy) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    );
    headers.insert(
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    );
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// A body that is in memory.
#[derive(Debug)]
pub(super) struct PageBody(Option<Bytes>);

impl Body for PageBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.as_ref().map_or(0, |bytes| bytes.len() as u64))
    }
}
