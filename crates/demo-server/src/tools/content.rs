//! Tools that return each kind of content: picture, sound, structured data, links, and a lot of text.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::{CallToolResult, ContentBlock, ErrorData, ResourceContents};
use rmcp::{tool, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::harbour::{self, GUIDE, HARBOURS, Harbour};
use crate::picture::Hour;
use crate::resources::{GUIDE_URI, guide, internal_error};
use crate::server::DemoServer;
use crate::{audio, picture};

/// Arguments of `image`.
#[derive(Debug, Deserialize, JsonSchema)]
struct Picture {
    /// The time of day in the picture.
    #[serde(default)]
    hour: Hour,
    /// Width in pixels.
    #[serde(default = "width")]
    #[schemars(range(min = 64, max = 1024))]
    width: u16,
}

fn width() -> u16 {
    480
}

/// Arguments of `audio`.
#[derive(Debug, Deserialize, JsonSchema)]
struct Sound {
    /// Pitch in hertz.
    #[serde(default = "pitch")]
    #[schemars(range(min = 60, max = 880))]
    pitch: f32,
    /// Length in seconds.
    #[serde(default = "length")]
    #[schemars(range(min = 0.2, max = 10))]
    seconds: f32,
}

fn pitch() -> f32 {
    110.0
}

fn length() -> f32 {
    1.5
}

/// Arguments of `structured`.
#[derive(Debug, Deserialize, JsonSchema)]
struct Which {
    /// Only this harbour, for example 青岛 or Rotterdam; all of them when left out.
    city: Option<String>,
    /// Only harbours with at least this many free berths.
    #[serde(default)]
    #[schemars(range(min = 0, max = 200))]
    min_free: u32,
}

/// What `structured` returns.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Berths {
    /// The harbours that match.
    harbours: Vec<Harbour>,
    /// The free berths of these harbours together.
    total_free: u32,
}

/// Arguments of `long_text`.
#[derive(Debug, Deserialize, JsonSchema)]
struct Long {
    /// How many lines of the ship's log to return.
    #[serde(default = "lines")]
    #[schemars(range(min = 1, max = 100_000))]
    lines: u32,
}

fn lines() -> u32 {
    400
}

#[tool_router(router = content_tools, vis = "pub(crate)")]
impl DemoServer {
    #[tool(
        title = "Paint a lighthouse",
        description = "Returns a PNG picture of a lighthouse, painted for this call.",
        annotations(read_only_hint = true, open_world_hint = false)
    )]
    fn image(Parameters(Picture { hour, width }): Parameters<Picture>) -> Result<CallToolResult, ErrorData> {
        let file = picture::lighthouse(hour, width).map_err(internal_error)?;
        Ok(CallToolResult::success(vec![ContentBlock::image(STANDARD.encode(file), "image/png")]))
    }

    #[tool(
        title = "Sound the fog horn",
        description = "Returns the sound of a fog horn as a WAV file.",
        annotations(read_only_hint = true, open_world_hint = false)
    )]
    fn audio(Parameters(Sound { pitch, seconds }): Parameters<Sound>) -> CallToolResult {
        let file = audio::horn(pitch.clamp(60.0, 880.0), seconds.clamp(0.2, 10.0));
        CallToolResult::success(vec![ContentBlock::audio(STANDARD.encode(file), "audio/wav")])
    }

    #[tool(
        title = "Berths per city",
        description = "Returns structured content with an output schema: the berths of each harbour.",
        annotations(read_only_hint = true, open_world_hint = false)
    )]
    fn structured(Parameters(Which { city, min_free }): Parameters<Which>) -> Result<Json<Berths>, String> {
        let chosen = match city.as_deref().map(str::trim) {
            None | Some("") => HARBOURS.to_vec(),
            Some(name) => match harbour::find(name) {
                Some(harbour) => vec![harbour.clone()],
                None => {
                    return Err(format!("no such city: {name} (known: {})", harbour::cities()));
                }
            },
        };
        let harbours = chosen.into_iter().filter(|harbour| harbour.free >= min_free).collect::<Vec<_>>();
        let total_free = harbours.iter().map(|harbour| harbour.free).sum();
        Ok(Json(Berths { harbours, total_free }))
    }

    #[tool(
        title = "Link to the guide",
        description = "Returns a link to the harbour guide, and the guide itself as an embedded resource.",
        annotations(read_only_hint = true, open_world_hint = false)
    )]
    fn link() -> CallToolResult {
        CallToolResult::success(vec![
            ContentBlock::text("The guide, first as a link and then embedded:"),
            ContentBlock::resource_link(guide()),
            ContentBlock::resource(ResourceContents::text(GUIDE, GUIDE_URI).with_mime_type("text/markdown")),
        ])
    }

    #[tool(
        title = "Long text",
        description = "Returns as many lines as you like, to see how a long result behaves.",
        annotations(read_only_hint = true, open_world_hint = false)
    )]
    fn long_text(Parameters(Long { lines }): Parameters<Long>) -> String {
        let mut text = String::new();
        for number in 1..=lines.clamp(1, 100_000) {
            let (hour, minute) = (number / 60 % 24, number % 60);
            let (knots, course) = (number * 7 % 19, number * 37 % 360);
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{hour:02}:{minute:02}  entry {number:>6}  course {course:03}°  wind {knots:>2} kn"
            );
        }
        text
    }
}
