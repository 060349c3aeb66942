//! The tray of Linux desktops: a `StatusNotifierItem` on the session bus. It needs no library. Without a
//! bus, or a panel that shows such items, there is no tray. See
//! <https://www.freedesktop.org/wiki/Specifications/StatusNotifierItem/>.

use std::time::Duration;

use futures_util::StreamExt as _;
use ksni::menu::{StandardItem, SubMenu};
use ksni::{Category, Handle, Icon, MenuItem, Status, ToolTip, Tray, TrayMethods as _};
use tauri::image::Image;
use tauri::{AppHandle, Runtime};
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use zbus::proxy::CacheProperties;
use zbus::{Connection, Proxy};

use super::icon::icons;
use super::{TrayAction, TrayEntry, TrayStatus, TrayView};

/// The service that registers items and the panels that show them.
const WATCHER: &str = "org.kde.StatusNotifierWatcher";
const WATCHER_PATH: &str = "/StatusNotifierWatcher";
/// How long the watcher may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// Shows the views while a panel is present, and reports in `tray` whether one is.
pub(super) async fn show<R: Runtime>(
    _app: &AppHandle<R>,
    views: watch::Receiver<TrayView>,
    presses: mpsc::Sender<TrayAction>,
    tray: watch::Sender<bool>,
) {
    if let Err(error) = follow_panels(views, presses, &tray).await {
        tracing::debug!(%error, "there is no tray");
    }
    tray.send_replace(false);
}

/// Returns when the bus or the views are gone.
async fn follow_panels(
    mut views: watch::Receiver<TrayView>,
    presses: mpsc::Sender<TrayAction>,
    tray: &watch::Sender<bool>,
) -> zbus::Result<()> {
    let bus = Connection::session().await?;
    let watcher: Proxy<'_> = zbus::proxy::Builder::new(&bus)
        .destination(WATCHER)?
        .path(WATCHER_PATH)?
        .interface(WATCHER)?
        .cache_properties(CacheProperties::No)
        .build()
        .await?;
    let mut owners = watcher.receive_owner_changed().await?;
    let mut panels = watcher.receive_signal("StatusNotifierHostRegistered").await?;
    let mut gone = watcher.receive_signal("StatusNotifierHostUnregistered").await?;
    let mut item: Option<Handle<Item>> = None;
    loop {
        let view = views.borrow_and_update().clone();
        let shown = has_panel(&watcher).await;
        item = match item {
            None if shown => match (Item { view, presses: presses.clone() }).spawn().await {
                Ok(handle) => Some(handle),
                Err(error) => {
                    tracing::warn!(%error, "the tray's icon can't be shown");
                    None
                }
            },
            Some(handle) if !shown => {
                handle.shutdown().await;
                None
            }
            other => other,
        };
        tray.send_replace(item.is_some());
        loop {
            tokio::select! {
                changed = views.changed() => {
                    if changed.is_err() {
                        return Ok(());
                    }
                    let view = views.borrow_and_update().clone();
                    if let Some(item) = &item {
                        item.update(|item| item.view = view).await;
                    }
                }
                owner = owners.next() => match owner {
                    Some(_) => break,
                    None => return Ok(()),
                },
                Some(_) = panels.next() => break,
                Some(_) = gone.next() => break,
            }
        }
    }
}

/// Whether a panel shows items.
async fn has_panel(watcher: &Proxy<'_>) -> bool {
    match timeout(ANSWER_TIMEOUT, watcher.get_property("IsStatusNotifierHostRegistered")).await {
        Ok(Ok(registered)) => registered,
        Ok(Err(error)) => {
            tracing::debug!(%error, "nothing watches for tray icons");
            false
        }
        Err(_) => false,
    }
}

/// The item that panels read.
struct Item {
    view: TrayView,
    presses: mpsc::Sender<TrayAction>,
}

impl Item {
    fn press(&self, action: TrayAction) {
        if self.presses.try_send(action).is_err() {
            tracing::warn!("too much was pressed in the tray at once");
        }
    }
}

impl Tray for Item {
    fn id(&self) -> String {
        "mooring".to_owned()
    }

    fn title(&self) -> String {
        "Mooring".to_owned()
    }

    fn category(&self) -> Category {
        Category::ApplicationStatus
    }

    fn status(&self) -> Status {
        if self.view.status == TrayStatus::Waiting { Status::NeedsAttention } else { Status::Active }
    }

    fn icon_pixmap(&self) -> Vec<Icon> {
        icons(self.view.status).iter().map(pixmap).collect()
    }

    fn attention_icon_pixmap(&self) -> Vec<Icon> {
        self.icon_pixmap()
    }

    fn tool_tip(&self) -> ToolTip {
        let description = self.view.tooltip.clone();
        ToolTip { title: self.title(), description, ..ToolTip::default() }
    }

    fn activate(&mut self, _x: i32, _y: i32) {
        self.press(TrayAction::Open);
    }

    fn menu(&self) -> Vec<MenuItem<Self>> {
        menu(&self.view.entries)
    }
}

fn menu(entries: &[TrayEntry]) -> Vec<MenuItem<Item>> {
    // A single underscore marks an access key.
    let written = |label: &str| label.replace('_', "__");
    let made = |entry: &TrayEntry| match entry {
        TrayEntry::Separator => MenuItem::Separator,
        TrayEntry::Menu { label, entries } => {
            SubMenu { label: written(label), submenu: menu(entries), ..SubMenu::default() }.into()
        }
        TrayEntry::Item { label, action } => {
            let action = *action;
            let activate = Box::new(move |item: &mut Item| item.press(action));
            StandardItem { label: written(label), activate, ..StandardItem::default() }.into()
        }
    };
    entries.iter().map(made).collect()
}

/// Converts the image to the specification's format: ARGB.
fn pixmap(image: &Image<'_>) -> Icon {
    let argb =
        image.rgba().as_chunks().0.iter().flat_map(|&[red, green, blue, alpha]| [alpha, red, green, blue]);
    let side = |pixels: u32| i32::try_from(pixels).unwrap_or(i32::MAX);
    Icon { width: side(image.width()), height: side(image.height()), data: argb.collect() }
}
