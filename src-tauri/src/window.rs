//! The window, and what its page may not do.

use std::fs::DirBuilder;
use std::path::Path;
use std::time::Duration;

use tauri::utils::config::WindowConfig;
use tauri::webview::{Color, NewWindowResponse, PageLoadEvent};
use tauri::{AppHandle, Manager as _, Runtime, Theme, Url, WebviewWindowBuilder};

use crate::placement::{self, Area};
use crate::state::AppState;
use crate::timings;

/// The label that the capability names.
pub(crate) const LABEL: &str = "main";

/// Opens the window where it was. The page can't navigate to other origins, open windows or download files.
/// The webview saves its data in the data folder `home`, or in the platform's folder if that fails. A
/// `hidden` window is shown once the person opens it.
pub(crate) fn open<R: Runtime>(app: &AppHandle<R>, home: Option<&Path>, hidden: bool) -> tauri::Result<()> {
    let config = window_config(app)?;
    let own = PageOrigins::from_app(app);
    let remembered = home.map(placement::read).unwrap_or_default();
    let mut builder = WebviewWindowBuilder::from_config(app, &config)?;
    let storage = home.map(|home| home.join("webview"));
    if let Some(storage) = storage.filter(|storage| make_private(storage)) {
        builder = builder.data_directory(storage);
    }
    if let Some(place) = remembered.place {
        let screens: Vec<_> = app.available_monitors()?.iter().map(Area::from_monitor).collect();
        let least = (config.min_width.unwrap_or(0.0), config.min_height.unwrap_or(0.0));
        if let Some(place) = place.fit_to(&screens, least) {
            builder = builder.position(place.x, place.y).inner_size(place.width, place.height);
        }
    }
    if let Some(dark) = remembered.dark {
        builder = builder.background_color(background_color(dark));
    }
    let window = builder
        .maximized(remembered.maximized)
        .visible(!hidden)
        .on_navigation(move |url| {
            let allowed = own.contains(url);
            if !allowed {
                tracing::warn!(%url, "refused to leave the application's page");
            }
            allowed
        })
        .on_new_window(|url, _features| {
            tracing::warn!(%url, "refused to open another window");
            NewWindowResponse::Deny
        })
        .on_download(|_webview, _event| false)
        // Shows the number of waiting questions in window lists too.
        .on_document_title_changed(|window, title| {
            if let Err(error) = window.set_title(&title) {
                tracing::debug!(%error, "the window's title could not be changed");
            }
        })
        .on_page_load(|window, payload| {
            if payload.event() == PageLoadEvent::Started {
                timings::report("page", Duration::ZERO);
                window.state::<AppState>().end_page();
            }
        })
        .build()?;
    app.state::<AppState>().background.set_hidden(hidden);
    if let Some(percent) = remembered.zoom {
        zoom(app, percent);
    }
    if remembered.dark.is_none() {
        window.set_background_color(Some(background_color(window.theme()? == Theme::Dark)))?;
    }
    Ok(())
}

/// The window's colour until the page is drawn: the colour of its canvas, so that it doesn't flash.
fn background_color(dark: bool) -> Color {
    if dark { Color(0x0e, 0x13, 0x15, 0xff) } else { Color(0xf3, 0xf4, 0xf4, 0xff) }
}

/// Brings the window to the front.
pub(crate) fn raise<R: Runtime>(app: &AppHandle<R>) {
    app.state::<AppState>().background.set_hidden(false);
    if let Some(window) = app.get_webview_window(LABEL) {
        let raised = window.unminimize().and_then(|()| window.show()).and_then(|()| window.set_focus());
        if let Err(error) = raised {
            tracing::warn!(%error, "the window could not be brought to the front");
        }
    }
}

/// Sets the zoom of the page, in percent.
pub(crate) fn zoom<R: Runtime>(app: &AppHandle<R>, percent: u32) {
    if let Some(window) = app.get_webview_window(LABEL)
        && let Err(error) = window.set_zoom(f64::from(percent) / 100.0)
    {
        tracing::warn!(%error, percent, "the page could not be zoomed");
    }
}

/// Creates a folder that only the person can read. Returns false if that fails.
fn make_private(folder: &Path) -> bool {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let made = builder.create(folder);
    if let Err(error) = &made {
        tracing::warn!(%error, folder = %folder.display(), "the webview's folder cannot be made");
    }
    made.is_ok()
}

fn window_config<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<WindowConfig> {
    app.config()
        .app
        .windows
        .iter()
        .find(|window| window.label == LABEL)
        .cloned()
        .ok_or(tauri::Error::WindowNotFound)
}

/// The origins of the application's pages.
#[derive(Clone)]
struct PageOrigins {
    development: Option<Url>,
}

impl PageOrigins {
    fn from_app<R: Runtime>(app: &AppHandle<R>) -> Self {
        Self { development: app.config().build.dev_url.clone().filter(|_| tauri::is_dev()) }
    }

    fn contains(&self, url: &Url) -> bool {
        let bundled = if cfg!(windows) {
            url.scheme() == "http" && url.host_str() == Some("tauri.localhost") && url.port().is_none()
        } else {
            url.scheme() == "tauri" && url.host_str() == Some("localhost") && url.port().is_none()
        };
        bundled || self.development.as_ref().is_some_and(|own| own.origin() == url.origin())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_may_only_go_to_the_applications_own_pages() {
        let released = PageOrigins { development: None };
        let developing = PageOrigins { development: Some(Url::parse("http://localhost:5173").unwrap()) };
        let own =
            if cfg!(windows) { "http://tauri.localhost/activity" } else { "tauri://localhost/activity" };
        assert!(released.contains(&Url::parse(own).unwrap()));
        assert!(developing.contains(&Url::parse("http://localhost:5173/activity").unwrap()));
        for foreign in [
            "http://localhost:5173/",
            "https://example.com/",
            "http://localhost/",
            "tauri://other/",
            "tauri://localhost.example.com/",
            "ipc://localhost/",
            "file:///etc/passwd",
            "data:text/html,hello",
            "about:blank",
            "blob:tauri://localhost/5d1f",
            "javascript:alert(1)",
        ] {
            assert!(!released.contains(&Url::parse(foreign).unwrap()), "{foreign}");
        }
        assert!(!developing.contains(&Url::parse("http://localhost:5174/").unwrap()));
    }
}
