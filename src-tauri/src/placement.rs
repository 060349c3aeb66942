//! Saves the window's position and look when it closes, and restores them at the next start.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use mooring_settings::Theme;
use serde::{Deserialize, Serialize};
use tauri::{AppHandle, Manager as _, Monitor, Runtime, WebviewWindow};

use crate::state::AppState;

/// The file's name in the data folder.
const FILE: &str = "window.json";
/// How much of a restored window must be on a screen: enough to grab its title bar and move it.
const MIN_VISIBLE: (f64, f64) = (120.0, 40.0);

/// The saved state of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct WindowState {
    /// The window's position and size when it is not maximised.
    pub(crate) place: Option<Area>,
    pub(crate) maximized: bool,
    /// Whether the person chose dark colours. `None` if they follow the system.
    pub(crate) dark: Option<bool>,
    /// The zoom of the page, in percent.
    pub(crate) zoom: Option<u32>,
}

/// An area of the desktop, in logical pixels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Area {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Area {
    /// The area of a monitor.
    pub(crate) fn from_monitor(monitor: &Monitor) -> Self {
        let scale = monitor.scale_factor();
        let (position, size) = (monitor.position().to_logical(scale), monitor.size().to_logical(scale));
        Self { x: position.x, y: position.y, width: size.width, height: size.height }
    }

    /// The width and height of the part that lies on `screen`.
    fn overlap(&self, screen: &Self) -> (f64, f64) {
        let across = (self.x + self.width).min(screen.x + screen.width) - self.x.max(screen.x);
        let down = (self.y + self.height).min(screen.y + screen.height) - self.y.max(screen.y);
        (across.max(0.0), down.max(0.0))
    }

    /// The nearest area of at least the size `least` on one of the `screens`. `None` if it was on a screen
    /// that no longer exists.
    pub(crate) fn fit_to(&self, screens: &[Self], least: (f64, f64)) -> Option<Self> {
        let sound = [self.x, self.y, self.width, self.height].iter().all(|number| number.is_finite());
        let area = |screen: &&Self| {
            let (across, down) = self.overlap(screen);
            across * down
        };
        let screen = screens.iter().max_by(|a, b| area(a).total_cmp(&area(b))).filter(|_| sound)?;
        let (across, down) = self.overlap(screen);
        if across < MIN_VISIBLE.0 || down < MIN_VISIBLE.1 {
            return None;
        }
        let width = self.width.min(screen.width).max(least.0);
        let height = self.height.min(screen.height).max(least.1);
        Some(Self {
            x: self.x.min(screen.x + screen.width - width).max(screen.x),
            y: self.y.min(screen.y + screen.height - height).max(screen.y),
            width,
            height,
        })
    }
}

/// Reads the saved state from the data folder `home`. Uses the default if it can't be read.
pub(crate) fn read(home: &Path) -> WindowState {
    let text = match fs::read(home.join(FILE)) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return WindowState::default(),
        Err(error) => {
            tracing::warn!(%error, "the window's place could not be read");
            return WindowState::default();
        }
    };
    serde_json::from_slice(&text).unwrap_or_else(|error| {
        tracing::warn!(%error, "the window's place is not understood");
        WindowState::default()
    })
}

/// Saves the window's current state for the next start.
pub(crate) fn save<R: Runtime>(app: &AppHandle<R>) {
    let state = app.state::<AppState>();
    let Some(home) = state.home() else { return };
    for window in app.webview_windows().values() {
        let settings = state.settings();
        let dark = settings.as_ref().and_then(|settings| match settings.theme {
            Theme::Dark => Some(true),
            Theme::Light => Some(false),
            Theme::System => None,
        });
        let zoom = settings.map(|settings| settings.zoom_percent);
        let saved = current_state(window, read(home).place)
            .map_err(anyhow::Error::from)
            .and_then(|seen| Ok(write(home, &WindowState { dark, zoom, ..seen })?));
        if let Err(error) = saved {
            tracing::warn!(%error, "the window's place could not be remembered");
        }
    }
}

/// The window's area, or the `last` one if the window is maximised or minimised.
fn current_state<R: Runtime>(window: &WebviewWindow<R>, last: Option<Area>) -> tauri::Result<WindowState> {
    let maximized = window.is_maximized()?;
    if maximized || window.is_minimized()? || window.is_fullscreen()? {
        return Ok(WindowState { place: last, maximized, ..WindowState::default() });
    }
    let scale = window.scale_factor()?;
    let (position, size) =
        (window.outer_position()?.to_logical(scale), window.inner_size()?.to_logical(scale));
    let place = Area { x: position.x, y: position.y, width: size.width, height: size.height };
    Ok(WindowState { place: Some(place), maximized, ..WindowState::default() })
}

/// Writes the file atomically.
fn write(home: &Path, remembered: &WindowState) -> std::io::Result<()> {
    let partial: PathBuf = home.join(format!("{FILE}.new"));
    // A leftover file could have wider permissions.
    let _none_was_left = fs::remove_file(&partial);
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&partial)?.write_all(&serde_json::to_vec(remembered)?)?;
    fs::rename(&partial, home.join(FILE))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIN_SIZE: (f64, f64) = (900.0, 600.0);

    fn area(x: f64, y: f64, width: f64, height: f64) -> Area {
        Area { x, y, width, height }
    }

    #[test]
    fn a_window_opens_where_it_was() {
        let screens = [area(0.0, 0.0, 1920.0, 1080.0), area(1920.0, 0.0, 2560.0, 1440.0)];
        for place in [area(100.0, 50.0, 1280.0, 800.0), area(2000.0, 300.0, 1500.0, 1000.0)] {
            assert_eq!(place.fit_to(&screens, MIN_SIZE), Some(place));
        }
    }

    #[test]
    fn window_beyond_an_edge_is_moved_and_resized_to_fit() {
        let screens = [area(0.0, 0.0, 1366.0, 768.0)];
        assert_eq!(
            area(1000.0, -30.0, 1280.0, 700.0).fit_to(&screens, MIN_SIZE),
            Some(area(86.0, 0.0, 1280.0, 700.0))
        );
        assert_eq!(
            area(-20.0, 10.0, 3000.0, 2000.0).fit_to(&screens, MIN_SIZE),
            Some(area(0.0, 0.0, 1366.0, 768.0))
        );
        // Never smaller than the minimum size, even on a smaller screen.
        let small = [area(0.0, 0.0, 800.0, 480.0)];
        assert_eq!(area(5.0, 5.0, 10.0, 10.0).fit_to(&small, MIN_SIZE), None);
        assert_eq!(area(5.0, 5.0, 950.0, 700.0).fit_to(&small, MIN_SIZE), Some(area(0.0, 0.0, 900.0, 600.0)));
    }

    #[test]
    fn a_window_on_a_screen_that_is_gone_is_placed_by_the_system() {
        let screens = [area(0.0, 0.0, 1920.0, 1080.0)];
        assert_eq!(area(2000.0, 100.0, 1280.0, 800.0).fit_to(&screens, MIN_SIZE), None);
        assert_eq!(area(1850.0, 100.0, 1280.0, 800.0).fit_to(&screens, MIN_SIZE), None);
        assert_eq!(area(f64::NAN, 100.0, 1280.0, 800.0).fit_to(&screens, MIN_SIZE), None);
        assert_eq!(area(0.0, 0.0, 1280.0, 800.0).fit_to(&[], MIN_SIZE), None);
    }

    #[test]
    fn what_was_written_is_read_and_what_is_damaged_is_forgotten() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(read(home.path()), WindowState::default());
        let place = Some(area(10.5, -4.0, 1000.0, 700.0));
        let remembered = WindowState { place, maximized: true, dark: Some(true), zoom: Some(120) };
        write(home.path(), &remembered).unwrap();
        assert_eq!(read(home.path()), remembered);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode =
                |name: &str| fs::metadata(home.path().join(name)).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(FILE), 0o600);
            let partial = home.path().join("window.json.new");
            fs::write(&partial, "left behind").unwrap();
            fs::set_permissions(&partial, fs::Permissions::from_mode(0o666)).unwrap();
            write(home.path(), &remembered).unwrap();
            assert_eq!(mode(FILE), 0o600);
        }
        fs::write(home.path().join(FILE), "{\"place\": 7").unwrap();
        assert_eq!(read(home.path()), WindowState::default());
        fs::write(home.path().join(FILE), "{}").unwrap();
        assert_eq!(read(home.path()), WindowState::default());
    }
}
