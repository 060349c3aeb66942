//! The tray's icon: Mooring's icon with a dot that shows the state.

use tauri::image::Image;
use tauri::include_image;

use super::TrayStatus;

/// The colours of the dots, in RGB: amber and red.
const WAITING: [u8; 3] = [0xf5, 0xa5, 0x24];
const FAILED: [u8; 3] = [0xe5, 0x48, 0x4d];
/// As fractions of the icon's width: the dot's radius, and the ring around it that separates it from the
/// panel.
const DOT: f32 = 0.22;
const RING: f32 = 0.06;

/// Mooring's icon in two sizes, small first, with a dot for the state. Panels choose a size.
pub(super) fn icons(status: TrayStatus) -> [Image<'static>; 2] {
    [include_image!("../icons/32x32.png"), include_image!("../icons/64x64.png")]
        .map(|image| with_dot(&image, status))
}

fn with_dot(image: &Image<'_>, status: TrayStatus) -> Image<'static> {
    let (width, height) = (image.width(), image.height());
    let colour = match status {
        TrayStatus::Ok => return Image::new_owned(image.rgba().to_vec(), width, height),
        TrayStatus::Waiting => WAITING,
        TrayStatus::Failed => FAILED,
    };
    let size = f32::from(u16::try_from(width).unwrap_or(u16::MAX));
    let (radius, ring) = (size * DOT, size * RING);
    let centre = size - radius - ring;
    let mut rgba = image.rgba().to_vec();
    let (mut x, mut y) = (0.5_f32, 0.5_f32);
    for pixel in rgba.as_chunks_mut::<4>().0 {
        let distance = (x - centre).hypot(y - centre);
        paint(pixel, [0xff; 3], radius + ring - distance);
        paint(pixel, colour, radius - distance);
        x += 1.0;
        if x > size {
            (x, y) = (0.5, y + 1.0);
        }
    }
    Image::new_owned(rgba, width, height)
}

/// Blends a colour into a pixel. `inside` is the distance to the edge, which is one pixel wide.
fn paint(pixel: &mut [u8; 4], colour: [u8; 3], inside: f32) {
    let cover = (inside + 0.5).clamp(0.0, 1.0);
    for (channel, over) in pixel.iter_mut().zip(colour.into_iter().chain([0xff])) {
        *channel = mix(*channel, over, cover);
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between two bytes")]
fn mix(under: u8, over: u8, cover: f32) -> u8 {
    f32::from(under).mul_add(1.0 - cover, f32::from(over) * cover).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_has_a_dot_of_its_own_and_ok_has_none() {
        for size in 0..2 {
            let [ok, waiting, failed] = [TrayStatus::Ok, TrayStatus::Waiting, TrayStatus::Failed]
                .map(|status| icons(status)[size].clone());
            // A point on the diagonal, in percent of the width.
            let pixel = |image: &Image<'_>, percent: usize| {
                let width = usize::try_from(image.width()).unwrap();
                let at = width * percent / 100;
                let start = (at * width + at) * 4;
                <[u8; 4]>::try_from(&image.rgba()[start..start + 4]).unwrap()
            };
            // The middle of the dot: its radius and its ring away from the corner.
            let dot = 72;
            assert_eq!(pixel(&waiting, dot)[..3], WAITING);
            assert_eq!(pixel(&failed, dot)[..3], FAILED);
            assert_eq!((pixel(&waiting, dot)[3], pixel(&failed, dot)[3]), (0xff, 0xff));
            // The rest is unchanged.
            assert_eq!(pixel(&waiting, 25), pixel(&ok, 25));
            assert_ne!(pixel(&ok, dot), pixel(&waiting, dot));
            assert_eq!(ok.rgba().len(), failed.rgba().len());
        }
    }
}
