//! Drawing on a machine without a graphics processor.

/// Turns off `WebKitGTK`'s DMA-BUF renderer on a machine without a graphics processor: emulating one makes
/// each frame several times slower than direct drawing. A variable that is already set wins. Call this
/// before anything else runs.
#[cfg(target_os = "linux")]
pub(crate) fn disable_dmabuf_without_gpu() {
    const DISABLE_DMABUF: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";

    if has_graphics_processor(std::path::Path::new("/dev/dri")) {
        return;
    }
    if let Err(error) = glib::setenv(DISABLE_DMABUF, "1", false) {
        tracing::warn!(%error, "the window draws with an emulated graphics processor");
    }
}

/// Whether the machine has a graphics processor: a node `renderD…` among the system's `devices`.
#[cfg(target_os = "linux")]
fn has_graphics_processor(devices: &std::path::Path) -> bool {
    std::fs::read_dir(devices).is_ok_and(|entries| {
        entries.flatten().any(|entry| entry.file_name().as_encoded_bytes().starts_with(b"renderD"))
    })
}

/// Nothing to do on other systems.
#[cfg(not(target_os = "linux"))]
pub(crate) fn disable_dmabuf_without_gpu() {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_graphics_processor_is_known_by_its_render_node() {
        let devices = tempfile::tempdir().unwrap();
        assert!(!has_graphics_processor(&devices.path().join("absent")));
        std::fs::write(devices.path().join("card0"), "").unwrap();
        assert!(!has_graphics_processor(devices.path()));
        std::fs::write(devices.path().join("renderD128"), "").unwrap();
        assert!(has_graphics_processor(devices.path()));
    }
}
