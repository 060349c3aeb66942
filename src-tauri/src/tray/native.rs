//! The tray of macOS (the menu bar) and Windows (the notification area), through Tauri.

use tauri::menu::{IsMenuItem, Menu, MenuItem, PredefinedMenuItem, Submenu};
use tauri::tray::{MouseButton, MouseButtonState, TrayIcon, TrayIconBuilder, TrayIconEvent};
use tauri::{AppHandle, Runtime};
use tokio::sync::{mpsc, watch};

use super::icon::icons;
use super::{TrayAction, TrayEntry, TrayView};
use crate::window;

/// Shows the views, and reports in `tray` that they are shown.
pub(super) async fn show<R: Runtime>(
    app: &AppHandle<R>,
    mut views: watch::Receiver<TrayView>,
    presses: mpsc::Sender<TrayAction>,
    tray: watch::Sender<bool>,
) {
    let view = views.borrow_and_update().clone();
    let (reader, opener) = (views.clone(), app.clone());
    let built = TrayIconBuilder::with_id("mooring")
        .show_menu_on_left_click(cfg!(target_os = "macos"))
        .on_menu_event(move |_app, event| {
            if let Some(action) = action_of(&reader.borrow().entries, event.id().as_ref())
                && presses.try_send(action).is_err()
            {
                tracing::warn!("too much was pressed in the tray at once");
            }
        })
        .on_tray_icon_event(move |_tray, event| {
            let is_press = matches!(
                event,
                TrayIconEvent::Click { button: MouseButton::Left, button_state: MouseButtonState::Up, .. }
            );
            if is_press && cfg!(windows) {
                window::raise(&opener);
            }
        })
        .build(app);
    let icon = match built.and_then(|icon| put(app, &icon, &view).map(|()| icon)) {
        Ok(icon) => icon,
        Err(error) => return tracing::warn!(%error, "the tray's icon can't be shown"),
    };
    tray.send_replace(true);
    while views.changed().await.is_ok() {
        let view = views.borrow_and_update().clone();
        if let Err(error) = put(app, &icon, &view) {
            tracing::warn!(%error, "the tray could not be changed");
        }
    }
}

fn put<R: Runtime>(app: &AppHandle<R>, icon: &TrayIcon<R>, view: &TrayView) -> tauri::Result<()> {
    let [_small, large] = icons(view.status);
    icon.set_icon(Some(large))?;
    icon.set_tooltip(Some(format!("Mooring – {}", view.tooltip)))?;
    let items = items(app, &view.entries, "")?;
    let items: Vec<_> = items.iter().map(AsRef::as_ref).collect();
    icon.set_menu(Some(Menu::with_items(app, &items)?))
}

/// Builds the items of a menu. An item's id is its position: `3`, or `3.0` in the submenu at `3`.
fn items<R: Runtime>(
    app: &AppHandle<R>,
    entries: &[TrayEntry],
    under: &str,
) -> tauri::Result<Vec<Box<dyn IsMenuItem<R>>>> {
    // A single ampersand marks an access key.
    let written = |label: &str| label.replace('&', "&&");
    let made = entries.iter().enumerate().map(|(at, entry)| -> tauri::Result<Box<dyn IsMenuItem<R>>> {
        let id = format!("{under}{at}");
        Ok(match entry {
            TrayEntry::Separator => Box::new(PredefinedMenuItem::separator(app)?),
            TrayEntry::Item { label, .. } => {
                Box::new(MenuItem::with_id(app, id, written(label), true, None::<&str>)?)
            }
            TrayEntry::Menu { label, entries } => {
                let inner = items(app, entries, &format!("{id}."))?;
                let inner: Vec<_> = inner.iter().map(AsRef::as_ref).collect();
                Box::new(Submenu::with_items(app, written(label), true, &inner)?)
            }
        })
    });
    made.collect()
}

/// The action of the item with this id.
fn action_of(entries: &[TrayEntry], id: &str) -> Option<TrayAction> {
    let (first, rest) = id.split_once('.').map_or((id, None), |(first, rest)| (first, Some(rest)));
    match (entries.get(first.parse::<usize>().ok()?)?, rest) {
        (TrayEntry::Item { action, .. }, None) => Some(*action),
        (TrayEntry::Menu { entries, .. }, Some(rest)) => action_of(entries, rest),
        _ => None,
    }
}
