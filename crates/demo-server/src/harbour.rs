//! The make-believe world the server talks about: harbours, their berths and the rules of the port.

use schemars::JsonSchema;
use serde::Serialize;

/// One harbour and its berths.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Harbour {
    /// Name of the city, in its own spelling.
    pub(crate) city: &'static str,
    /// The same name in Latin letters without marks, as templates and addresses use it.
    pub(crate) slug: &'static str,
    /// Country, as an ISO 3166-1 code of two letters.
    pub(crate) country: &'static str,
    /// Number of berths.
    #[schemars(range(min = 0))]
    pub(crate) berths: u32,
    /// How many of them are free.
    #[schemars(range(min = 0))]
    pub(crate) free: u32,
    /// Deepest draught that can enter, in metres.
    pub(crate) depth_metres: f32,
    /// Whether the harbour stays open at night.
    pub(crate) open_at_night: bool,
}

/// Every harbour the server knows.
pub(crate) const HARBOURS: [Harbour; 6] = [
    harbour("青岛", "qingdao", "CN", 72, 11, 17.5, true),
    harbour("Rotterdam", "rotterdam", "NL", 120, 9, 24.0, true),
    harbour("Valparaíso", "valparaiso", "CL", 18, 4, 14.0, true),
    harbour("Tromsø", "tromso", "NO", 14, 6, 11.0, false),
    harbour("Mombasa", "mombasa", "KE", 22, 0, 15.0, true),
    harbour("Πειραιάς", "piraeus", "GR", 41, 13, 18.0, false),
];

const fn harbour(
    city: &'static str,
    slug: &'static str,
    country: &'static str,
    berths: u32,
    free: u32,
    depth_metres: f32,
    open_at_night: bool,
) -> Harbour {
    Harbour { city, slug, country, berths, free, depth_metres, open_at_night }
}

/// The harbour with this city name or slug, in any case.
pub(crate) fn find(name: &str) -> Option<&'static Harbour> {
    let name = name.trim().to_lowercase();
    HARBOURS.iter().find(|harbour| harbour.slug == name || harbour.city.to_lowercase() == name)
}

/// The city names, for a message that has to say what would have worked.
pub(crate) fn cities() -> String {
    HARBOURS.map(|harbour| harbour.city).join(", ")
}

/// The guide to the harbour, as Markdown.
pub(crate) const GUIDE: &str = "# Harbour guide

Welcome. This page is a **Markdown resource** of the demo server.

## Before you arrive

1. Call on channel 12.
2. Have your lines and fenders ready on *both* sides.
3. Slow down to three knots inside the breakwater.

| Signal | Meaning |
|--------|---------|
| one long | I am leaving my berth |
| three short | my engines go astern |
| five short | I do not understand you |

> A ship in harbour is safe, but that is not what ships are built for.

```text
   _|_
  / | \\
 /__|__\\
~~~~~~~~~
```
";

/// Today's notice, as plain text.
pub(crate) const NOTICE: &str = "NOTICE TO MARINERS
Light on the north mole is dark until further notice.
Fog expected before sunrise; the horn sounds every 30 seconds.
Last revised by the harbour master.
";
