//! `book_berth`: one argument of every kind, so that a form shows all it can do.

use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::{tool, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::harbour;
use crate::server::DemoServer;

/// Arguments of `book_berth`.
#[derive(Debug, Deserialize, JsonSchema)]
struct Booking {
    /// Name of the ship, as painted on her stern.
    #[schemars(length(min = 2, max = 40), example = "Fair Wind")]
    ship: String,
    /// The harbour to book in.
    #[serde(default = "qingdao")]
    #[schemars(extend("enum" = ["青岛", "Rotterdam", "Valparaíso", "Tromsø", "Mombasa", "Πειραιάς"]))]
    city: String,
    /// What kind of ship she is.
    #[serde(default)]
    kind: Kind,
    /// Day of arrival.
    #[schemars(extend("format" = "date"), example = "2026-05-17")]
    arrival: String,
    /// How many nights she stays.
    #[serde(default = "nights")]
    #[schemars(range(min = 1, max = 30))]
    nights: u32,
    /// Length over all, in metres.
    #[serde(default = "length")]
    #[schemars(range(min = 3, max = 400), extend("multipleOf" = 0.5))]
    length_metres: f64,
    /// Whether she needs electricity from the quay.
    #[serde(default = "yes")]
    shore_power: bool,
    /// Services wanted on arrival.
    #[serde(default)]
    #[schemars(length(max = 4), extend("uniqueItems" = true))]
    services: Vec<Service>,
    /// Names of the crew, the skipper first.
    #[serde(default)]
    #[schemars(length(max = 20), inner(length(min = 1, max = 60)))]
    crew: Vec<String>,
    /// Whom the harbour master may call.
    contact: Contact,
    /// Anything else the harbour master should know.
    #[schemars(length(max = 2000))]
    remarks: Option<String>,
}

fn qingdao() -> String {
    "青岛".to_owned()
}

fn nights() -> u32 {
    2
}

fn length() -> f64 {
    12.5
}

fn yes() -> bool {
    true
}

/// Kinds of ship.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Kind {
    #[default]
    Sailing,
    Motor,
    Fishing,
    Cargo,
}

/// Services on arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Service {
    Pilot,
    Water,
    Fuel,
    Laundry,
}

/// Whom to call.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
struct Contact {
    /// Name of the skipper.
    #[schemars(length(min = 1, max = 60))]
    name: String,
    /// Electronic mail address for the confirmation.
    #[schemars(extend("format" = "email"))]
    email: Option<String>,
    /// Radio channel on which she listens.
    #[serde(default = "channel")]
    #[schemars(range(min = 1, max = 88))]
    vhf_channel: u8,
}

fn channel() -> u8 {
    12
}

/// A booking that the harbour master accepted.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Confirmation {
    /// Number of the booking.
    number: String,
    /// Name of the ship.
    ship: String,
    /// City of the harbour.
    city: String,
    /// The berth she got.
    berth: u32,
    /// Day of arrival.
    arrival: String,
    /// Nights.
    nights: u32,
    /// What it costs, in whole coins of a currency that does not exist.
    price: u32,
    /// The services that will be ready.
    services: Vec<Service>,
    /// Whom the harbour master will call.
    contact: Contact,
    /// What the harbour master adds.
    notes: Vec<String>,
}

#[tool_router(router = form_tools, vis = "pub(crate)")]
impl DemoServer {
    #[tool(
        title = "Book a berth",
        description = "Books a berth in a harbour that does not exist. It has an argument of every kind: text, choice, date, whole and decimal numbers with limits, a switch, lists, and a nested object.",
        annotations(
            read_only_hint = false,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    fn book_berth(Parameters(booking): Parameters<Booking>) -> Result<Json<Confirmation>, String> {
        let harbour = harbour::find(&booking.city)
            .ok_or_else(|| format!("no such city: {} (known: {})", booking.city, harbour::cities()))?;
        if harbour.free == 0 {
            return Err(format!("no berth is free in {}", harbour.city));
        }
        if !(1..=30).contains(&booking.nights) {
            return Err(format!("nights must lie between 1 and 30: {}", booking.nights));
        }
        let mut notes = Vec::new();
        if !harbour.open_at_night {
            notes.push("The harbour closes at dusk; arrive by daylight.".to_owned());
        }
        if booking.shore_power {
            notes.push("Shore power is 230 V, 16 A, at the head of the berth.".to_owned());
        }
        if let Some(skipper) = booking.crew.first() {
            notes.push(format!("Welcome, {skipper}."));
        }
        if let Some(remarks) = booking.remarks.filter(|text| !text.trim().is_empty()) {
            notes.push(format!("Passed on: {remarks}"));
        }
        let rate = match booking.kind {
            Kind::Sailing => 2,
            Kind::Motor => 3,
            Kind::Fishing => 1,
            Kind::Cargo => 9,
        };
        let berth = berth(&booking.ship, harbour.berths);
        Ok(Json(Confirmation {
            number: format!("{}-{berth:03}", harbour.country),
            price: booking.nights * rate * metres(booking.length_metres),
            ship: booking.ship,
            city: harbour.city.to_owned(),
            berth,
            arrival: booking.arrival,
            nights: booking.nights,
            services: booking.services,
            contact: booking.contact,
            notes,
        }))
    }
}

/// A berth that only depends on the ship's name, so that a call can be repeated.
pub(super) fn berth(ship: &str, berths: u32) -> u32 {
    let sum = ship.chars().fold(17_u32, |sum, letter| sum.wrapping_mul(31).wrapping_add(u32::from(letter)));
    sum % berths.max(1) + 1
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a length is clamped to 3..=400 first"
)]
fn metres(length: f64) -> u32 {
    length.clamp(3.0, 400.0).ceil() as u32
}
