//! A lighthouse above the sea, painted pixel by pixel and encoded as PNG.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When the picture is painted.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum Hour {
    /// Blue sky, no beam.
    Day,
    /// Low sun, warm sky, the lamp just lit.
    #[default]
    Dusk,
    /// Stars, moon and a full beam.
    Night,
}

type Colour = [f32; 3];

struct Palette {
    sky_top: Colour,
    sky_low: Colour,
    sea_far: Colour,
    sea_near: Colour,
    disc: Colour,
    disc_at: (f32, f32),
    beam: f32,
    stars: f32,
    light: f32,
}

impl Hour {
    fn palette(self) -> Palette {
        match self {
            Self::Day => Palette {
                sky_top: [0.29, 0.58, 0.86],
                sky_low: [0.83, 0.92, 0.97],
                sea_far: [0.36, 0.62, 0.75],
                sea_near: [0.07, 0.31, 0.45],
                disc: [1.0, 0.96, 0.78],
                disc_at: (0.24, 0.2),
                beam: 0.0,
                stars: 0.0,
                light: 1.0,
            },
            Self::Dusk => Palette {
                sky_top: [0.14, 0.17, 0.38],
                sky_low: [0.98, 0.62, 0.42],
                sea_far: [0.74, 0.44, 0.42],
                sea_near: [0.09, 0.13, 0.27],
                disc: [1.0, 0.83, 0.55],
                disc_at: (0.25, 0.58),
                beam: 0.3,
                stars: 0.25,
                light: 0.72,
            },
            Self::Night => Palette {
                sky_top: [0.02, 0.03, 0.09],
                sky_low: [0.1, 0.16, 0.3],
                sea_far: [0.09, 0.15, 0.26],
                sea_near: [0.01, 0.03, 0.08],
                disc: [0.93, 0.94, 0.88],
                disc_at: (0.2, 0.18),
                beam: 0.6,
                stars: 1.0,
                light: 0.42,
            },
        }
    }
}

/// The horizon, as a fraction of the height.
const HORIZON: f32 = 0.66;
/// The lamp of the lighthouse, in fractions of width and height.
const LAMP: (f32, f32) = (0.7, 0.27);
/// The radius of sun and moon, as a fraction of the height.
const DISC: f32 = 0.055;
/// Width divided by height.
const ASPECT: f32 = 1.6;

/// The picture as a PNG file, `width` pixels wide and five eighths as high.
pub(crate) fn lighthouse(hour: Hour, width: u16) -> Result<Vec<u8>, png::EncodingError> {
    let width = width.clamp(64, 1024);
    let height = width / 8 * 5;
    let palette = hour.palette();
    let mut pixels = Vec::with_capacity(usize::from(width) * usize::from(height) * 3);
    for row in 0..height {
        for column in 0..width {
            let at = |dx: f32, dy: f32| {
                let x = (f32::from(column) + dx) / f32::from(width);
                paint(&palette, x, (f32::from(row) + dy) / f32::from(height))
            };
            let (x, y) = (f32::from(column) / f32::from(width), f32::from(row) / f32::from(height));
            let colour = if has_edges(&palette, x, y) {
                // Four samples per pixel take the steps out of slanted edges.
                let samples = [at(0.25, 0.25), at(0.75, 0.25), at(0.25, 0.75), at(0.75, 0.75)];
                [0, 1, 2].map(|index: usize| samples.iter().map(|colour| colour[index]).sum::<f32>() / 4.0)
            } else {
                at(0.5, 0.5)
            };
            pixels.extend(colour.map(byte));
        }
    }
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, u32::from(width), u32::from(height));
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    Ok(file)
}

/// Whether something with an edge is near: the tower on its rock, or the rim of sun or moon.
fn has_edges(palette: &Palette, x: f32, y: f32) -> bool {
    let (disc_x, disc_y) = palette.disc_at;
    let rim = ((x - disc_x) * ASPECT).hypot(y - disc_y) - DISC;
    rim.abs() < 0.02 || ((x - LAMP.0).abs() < 0.22 && (0.17..0.86).contains(&y))
}

/// The colour at one point; later layers cover earlier ones.
fn paint(palette: &Palette, x: f32, y: f32) -> Colour {
    let mut colour = if y < HORIZON { sky(palette, x, y) } else { sea(palette, x, y) };
    colour = beam(palette, x, y, colour);
    // The rock below the tower.
    let rock = 0.72 + 0.05 * ((x - 0.7) * 9.0).abs().powf(1.6) + 0.006 * (x * 140.0).sin();
    if y > rock && y < 0.83 + 0.01 * (x * 40.0).sin() && (x - 0.7).abs() < 0.21 {
        let shade = 0.3 - (y - rock) * 0.9;
        colour = scale([shade, shade * 0.97, shade * 1.02], 0.5 + palette.light * 0.6);
    }
    tower(palette, x, y).unwrap_or(colour)
}

fn sky(palette: &Palette, x: f32, y: f32) -> Colour {
    let mut colour = mix(palette.sky_top, palette.sky_low, (y / HORIZON).powf(1.4));
    let (disc_x, disc_y) = palette.disc_at;
    let distance = ((x - disc_x) * ASPECT).hypot(y - disc_y);
    colour = mix(colour, palette.disc, (0.05 / (distance + 0.02)).powi(2).min(0.75) * 0.5);
    if distance < DISC {
        colour = palette.disc;
    }
    let cell = ((x * 61.0).floor(), (y * 38.0).floor());
    let noise = fraction((cell.0 * 12.9898 + cell.1 * 78.233).sin() * 43_758.547);
    if noise > 0.955 {
        let spot = (fraction(x * 61.0) - 0.5).hypot(fraction(y * 38.0) - 0.5);
        let glow = (1.0 - spot * 6.0).max(0.0) * palette.stars * (1.0 - y / HORIZON);
        colour = mix(colour, [1.0, 1.0, 0.96], glow);
    }
    colour
}

fn sea(palette: &Palette, x: f32, y: f32) -> Colour {
    let depth = (y - HORIZON) / (1.0 - HORIZON);
    let colour = mix(palette.sea_far, palette.sea_near, depth.sqrt());
    let wave = (y * y * 190.0 + (x * 17.0 + y * 30.0).sin() * 1.3).sin();
    let crest = (wave - 0.55).max(0.0) * (0.16 + 0.1 * depth);
    let (disc_x, _) = palette.disc_at;
    let path = (1.0 - ((x - disc_x) * ASPECT).abs() / (0.06 + depth * 0.16)).max(0.0);
    mix(
        mix(colour, palette.sky_low, crest),
        palette.disc,
        path * (0.16 + (wave * 0.5 + 0.5) * 0.4) * (1.0 - depth * 0.75),
    )
}

fn beam(palette: &Palette, x: f32, y: f32, colour: Colour) -> Colour {
    let (dx, dy) = ((LAMP.0 - x) * ASPECT, y - LAMP.1);
    let halo = (0.022 / (dx.hypot(dy) + 0.01)).powi(2).min(1.0) * palette.beam;
    let spread = (dy + dx * 0.16).abs();
    let cone =
        if dx > 0.0 { (1.0 - spread / (0.012 + dx * 0.1)).max(0.0) * (1.0 - dx / 1.3).max(0.0) } else { 0.0 };
    mix(colour, [1.0, 0.95, 0.75], (cone * palette.beam + halo).min(0.9))
}

fn tower(palette: &Palette, x: f32, y: f32) -> Option<Colour> {
    let across = (x - LAMP.0) * ASPECT;
    let (wide, paint) = match y {
        y if !(0.185..=0.745).contains(&y) => return None,
        // Roof, lamp room, gallery, then the striped tower.
        y if y < 0.235 => ((y - 0.185) * 0.95, [0.62, 0.13, 0.13]),
        y if y < 0.305 => {
            let bar = (across * 118.0).cos() > 0.93;
            let glass = mix([0.5, 0.55, 0.6], [1.0, 0.93, 0.66], 0.35 + palette.beam);
            (0.036, if bar { [0.2, 0.2, 0.22] } else { glass })
        }
        y if y < 0.322 => (0.06, [0.22, 0.23, 0.26]),
        y => {
            let along = (y - 0.322) / 0.423;
            let red = fraction(along * 2.5) < 0.5;
            let door = along > 0.86 && across.abs() < 0.014;
            let window = (0.3..0.36).contains(&along) && across.abs() < 0.008;
            let paint = match (door || window, red) {
                (true, _) => [0.16, 0.14, 0.16],
                (false, true) => [0.78, 0.18, 0.17],
                (false, false) => [0.96, 0.95, 0.92],
            };
            (0.042 + along * 0.03, paint)
        }
    };
    if across.abs() > wide {
        return None;
    }
    let lamp_room = (0.235..0.305).contains(&y);
    // Lit from the left, where the sun and the moon are.
    let round = 0.86 - 0.34 * (across / wide);
    let strength = if lamp_room { 1.0 } else { round * (0.28 + palette.light * 0.78) };
    Some(scale(paint, strength))
}

fn mix(from: Colour, to: Colour, share: f32) -> Colour {
    let share = share.clamp(0.0, 1.0);
    [0, 1, 2].map(|index: usize| from[index] + (to[index] - from[index]) * share)
}

fn scale(colour: Colour, factor: f32) -> Colour {
    colour.map(|channel| channel * factor)
}

fn fraction(value: f32) -> f32 {
    value - value.floor()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value is clamped to 0..=255 first"
)]
fn byte(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::{Hour, lighthouse};

    #[test]
    fn the_picture_is_a_png_of_the_size_asked_for() {
        for hour in [Hour::Day, Hour::Dusk, Hour::Night] {
            let file = lighthouse(hour, 160).unwrap();
            let reader = png::Decoder::new(std::io::Cursor::new(&file)).read_info().unwrap();
            assert_eq!((reader.info().width, reader.info().height), (160, 100));
        }
    }

    #[test]
    fn a_width_out_of_bounds_is_brought_back() {
        let file = lighthouse(Hour::Night, 1).unwrap();
        assert_eq!(&file[16..20], &64_u32.to_be_bytes());
    }
}
