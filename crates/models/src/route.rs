//! Chooses a model: first by the person's rules, then by the server's hints in their order, then by its
//! priorities (SAMP-06). The same request and the same models always lead to the same choice.

use mooring_base::server_id::ServerId;
use mooring_words::{Sentence, say};

use crate::provider::{Model, Provider, ProviderKind, RouteRule};
use crate::request::{ChosenModel, ModelNeeds, SamplingRequest};

/// A model that could be used. Without a provider, it is the practice model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate<'a> {
    /// The provider. `None` for the practice model.
    pub provider: Option<&'a Provider>,
    /// The model.
    pub model: Option<&'a Model>,
}

impl<'a> Candidate<'a> {
    /// The practice model.
    pub const PRACTICE: Self = Self { provider: None, model: None };

    /// The provider's name for the model.
    pub fn id(&self) -> &'a str {
        self.model.map(|model| model.id.as_str()).unwrap_or_default()
    }

    /// Converts the candidate to a [`ChosenModel`].
    pub fn to_chosen(&self) -> ChosenModel {
        ChosenModel { provider: self.provider.map(|provider| provider.id), model: self.id().to_owned() }
    }

    fn is_same_model(&self, provider: Option<i64>, model: &str) -> bool {
        self.provider.map(|provider| provider.id) == provider && self.id() == model
    }
}

/// All models of the providers that support a request, in the person's order. The practice model is not among
/// them.
pub fn capable_models(providers: &[Provider], needs: ModelNeeds) -> Vec<Candidate<'_>> {
    let all = providers.iter().flat_map(|provider| {
        provider.models.iter().map(move |model| Candidate { provider: Some(provider), model: Some(model) })
    });
    all.filter(|candidate| {
        candidate.provider.zip(candidate.model).is_some_and(|(p, m)| is_capable(p, m, needs))
    })
    .collect()
}

fn is_capable(provider: &Provider, model: &Model, needs: ModelNeeds) -> bool {
    let audio = matches!(provider.kind, ProviderKind::Openai | ProviderKind::Gemini);
    (model.images || !needs.images)
        && (model.audio && audio || !needs.audio)
        && (model.tools || !needs.tools)
        // Ollama can't require a model to use a tool.
        && (provider.kind != ProviderKind::Ollama || !needs.required)
}

/// Chooses the model for a request, with the reason. `None` if there are models, but none of them supports
/// the request.
pub fn choose_model<'a>(
    routes: &[RouteRule],
    providers: &'a [Provider],
    server: Option<ServerId>,
    request: &SamplingRequest,
) -> Option<(Candidate<'a>, Sentence)> {
    let able = capable_models(providers, request.needs());
    for (line, route) in (1_usize..).zip(routes) {
        if route.server.is_some() && route.server != server {
            continue;
        }
        let hint = route.hint.as_deref().filter(|hint| !hint.is_empty());
        if hint.is_some_and(|hint| !request.hints.iter().any(|asked| contains_ignore_case(asked, hint))) {
            continue;
        }
        let found = match route.provider {
            None => Some(Candidate::PRACTICE),
            provider => {
                able.iter().find(|candidate| candidate.is_same_model(provider, &route.model)).copied()
            }
        };
        if let Some(found) = found {
            return Some((found, say!("rule {line} of your routing rules", line)));
        }
    }
    if providers.iter().all(|provider| provider.models.is_empty()) {
        return Some((Candidate::PRACTICE, say!("no model is set up")));
    }
    for hint in &request.hints {
        if let Some(found) = able.iter().find(|candidate| contains_ignore_case(candidate.id(), hint)) {
            return Some((*found, say!("the server asks for a model like: {hint}", hint)));
        }
    }
    for hint in &request.hints {
        let kin = find_similar_models(hint);
        if let Some(found) = kin
            .iter()
            .find_map(|words| able.iter().find(|candidate| contains_all_ignore_case(candidate.id(), words)))
        {
            return Some((*found, say!("the nearest to what the server asks for: {hint}", hint)));
        }
    }
    choose_by_priorities(&able, request)
}

fn contains_ignore_case(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}

fn contains_all_ignore_case(id: &str, words: &[&str]) -> bool {
    words.iter().all(|word| contains_ignore_case(id, word))
}

/// Finds models that are similar to a hint, the nearest first: models of the same family and size, then
/// models of the same size in other families, then models of the same family.
fn find_similar_models(hint: &str) -> Vec<&'static [&'static str]> {
    const SMALL: [&[&str]; 4] =
        [&["claude", "haiku"], &["gpt", "mini"], &["gemini", "flash"], &["gpt", "nano"]];
    const LARGE: [&[&str]; 5] =
        [&["claude", "sonnet"], &["claude", "opus"], &["gpt-4o"], &["gpt-5"], &["gemini", "pro"]];
    const FAMILIES: [&[&str]; 8] =
        [&["claude"], &["gpt"], &["gemini"], &["llama"], &["mistral"], &["qwen"], &["deepseek"], &["gemma"]];
    let is_small = ["haiku", "mini", "flash", "nano"].iter().any(|word| {
        // "gemini" contains "mini".
        contains_ignore_case(&hint.to_lowercase().replace("gemini", ""), word)
    });
    let is_large = !is_small
        && ["sonnet", "opus", "gpt-4", "gpt-5", "pro"].iter().any(|word| contains_ignore_case(hint, word));
    let size: &[&'static [&'static str]] = if is_small {
        &SMALL
    } else if is_large {
        &LARGE
    } else {
        &[]
    };
    let mut near: Vec<_> =
        size.iter().copied().filter(|words| contains_all_ignore_case(hint, words)).collect();
    near.extend(size.iter().copied().filter(|words| {
        !contains_all_ignore_case(hint, words)
            && words.first().is_some_and(|family| contains_ignore_case(hint, family))
    }));
    near.extend(
        size.iter()
            .copied()
            .filter(|words| words.first().is_some_and(|family| !contains_ignore_case(hint, family))),
    );
    near.extend(FAMILIES.iter().copied().filter(|words| contains_all_ignore_case(hint, words)));
    near
}

fn choose_by_priorities<'a>(
    able: &[Candidate<'a>],
    request: &SamplingRequest,
) -> Option<(Candidate<'a>, Sentence)> {
    let wants = request.priorities;
    let score = |candidate: &Candidate<'_>| {
        candidate.model.map_or(0.0, |model| {
            wants.cost * f64::from(model.cheap)
                + wants.speed * f64::from(model.fast)
                + wants.intelligence * f64::from(model.capable)
        })
    };
    let mut best = *able.first()?;
    let mut is_better = false;
    for candidate in able {
        if score(candidate) > score(&best) {
            best = *candidate;
            is_better = true;
        }
    }
    if is_better || score(&best) > 0.0 {
        return Some((best, say!("it best matches the server’s priorities")));
    }
    Some((best, say!("your first model that can handle it")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::value::RawValue;
    use serde_json::{Value, json};

    fn model(id: &str, flags: &str, [cheap, fast, capable]: [u8; 3]) -> Model {
        let has = |flag| flags.contains(flag);
        Model {
            images: has('i'),
            audio: has('a'),
            tools: has('t'),
            cheap,
            fast,
            capable,
            ..Model::with_id(id)
        }
    }

    fn provider(id: i64, kind: ProviderKind, models: Vec<Model>) -> Provider {
        Provider {
            id,
            name: kind.as_str().to_owned(),
            kind,
            base_url: "https://a.example".to_owned(),
            has_key: true,
            models,
            answered_ms: None,
            problem: None,
        }
    }

    fn all() -> Vec<Provider> {
        vec![
            provider(
                1,
                ProviderKind::Anthropic,
                vec![
                    model("claude-sonnet-4-5", "it", [30, 50, 90]),
                    model("claude-haiku-4-5", "it", [80, 90, 50]),
                ],
            ),
            provider(2, ProviderKind::Openai, vec![model("gpt-4o-audio", "iat", [20, 40, 80])]),
            provider(3, ProviderKind::Ollama, vec![model("llama3.2:3b", "t", [100, 60, 20])]),
            provider(4, ProviderKind::Gemini, vec![model("gemini-2.5-flash", "iat", [90, 95, 60])]),
        ]
    }

    fn route(server: Option<i64>, hint: Option<&str>, provider: Option<i64>, model: &str) -> RouteRule {
        RouteRule {
            server: server.map(ServerId),
            hint: hint.map(str::to_owned),
            provider,
            model: model.to_owned(),
        }
    }

    /// A request with these hints, these priorities for cost, speed and intelligence, and this content.
    fn asked(hints: &[&str], [cost, speed, intelligence]: [f64; 3], content: &[&str]) -> SamplingRequest {
        let hints: Vec<Value> = hints.iter().map(|hint| json!({ "name": hint })).collect();
        let blocks: Vec<Value> = content
            .iter()
            .map(|kind| match *kind {
                "image" => json!({ "type": "image", "data": "", "mimeType": "image/png" }),
                "audio" => json!({ "type": "audio", "data": "", "mimeType": "audio/wav" }),
                _ => json!({ "type": "text", "text": "x" }),
            })
            .collect();
        let tools = content.iter().any(|kind| kind.starts_with("tools"));
        let mode = if content.contains(&"tools required") { "required" } else { "auto" };
        let params = json!({
            "messages": [{ "role": "user", "content": blocks }],
            "tools": if tools { json!([{ "name": "t", "inputSchema": {} }]) } else { Value::Null },
            "toolChoice": { "mode": mode },
            "modelPreferences": {
                "hints": hints, "costPriority": cost, "speedPriority": speed, "intelligencePriority": intelligence,
            },
        });
        SamplingRequest::read(&RawValue::from_string(params.to_string()).unwrap()).unwrap()
    }

    /// Rules, the server, hints, priorities and content, and then the expected model and a part of the
    /// reason.
    type Case<'a> = (&'a [RouteRule], i64, &'a [&'a str], [f64; 3], &'a [&'a str], Option<&'a str>, &'a str);

    // Requirements: SAMP-06.
    #[test]
    fn routes_beat_hints_and_hints_beat_priorities() {
        let none = [0.0; 3];
        let text = &["text"][..];
        let nothing = &[][..];
        let table = &[
            route(Some(9), Some("special"), Some(3), "llama3.2:3b"),
            route(None, Some("offline"), None, ""),
            route(Some(8), None, Some(4), "gemini-2.5-flash"),
        ][..];
        let gone = &[route(None, None, Some(77), "gone"), route(None, None, Some(3), "llama3.2:3b")][..];
        let both = &[route(None, None, Some(3), "llama3.2:3b"), route(None, Some(""), None, "")][..];
        let cases: &[Case<'_>] = &[
            (nothing, 1, &[], none, text, Some("claude-sonnet-4-5"), "your first model"),
            (nothing, 1, &["haiku"], none, text, Some("claude-haiku-4-5"), "a model like"),
            (nothing, 1, &["HAIKU"], none, text, Some("claude-haiku-4-5"), "a model like"),
            (nothing, 1, &["gpt-4o", "claude"], none, text, Some("gpt-4o-audio"), "a model like"),
            (nothing, 1, &["claude", "gpt-4o"], none, text, Some("claude-sonnet-4-5"), "a model like"),
            (nothing, 1, &["unknown", "llama"], none, text, Some("llama3.2:3b"), "a model like"),
            // A hint outranks every priority.
            (nothing, 1, &["sonnet"], [1.0, 1.0, 0.0], text, Some("claude-sonnet-4-5"), "a model like"),
            // Models that are similar to the hint.
            (nothing, 1, &["claude-3-5-sonnet"], none, text, Some("claude-sonnet-4-5"), "the nearest"),
            (nothing, 1, &["claude-3-haiku-20240307"], none, text, Some("claude-haiku-4-5"), "the nearest"),
            (nothing, 1, &["gpt-4o-mini"], none, text, Some("claude-haiku-4-5"), "the nearest"),
            (nothing, 1, &["gemini-1.5-flash"], none, text, Some("gemini-2.5-flash"), "the nearest"),
            (nothing, 1, &["gemini-1.5-pro"], none, text, Some("claude-sonnet-4-5"), "the nearest"),
            (nothing, 1, &["llama-3-70b"], none, text, Some("llama3.2:3b"), "the nearest"),
            // An exact match of a later hint comes before a similar model.
            (nothing, 1, &["gpt-4o-mini", "llama"], none, text, Some("llama3.2:3b"), "a model like"),
            (nothing, 1, &["nobody-knows"], none, text, Some("claude-sonnet-4-5"), "your first model"),
            // Priorities.
            (nothing, 1, &[], [1.0, 0.0, 0.0], text, Some("llama3.2:3b"), "best matches"),
            (nothing, 1, &[], [0.0, 1.0, 0.0], text, Some("gemini-2.5-flash"), "best matches"),
            (nothing, 1, &[], [0.0, 0.0, 1.0], text, Some("claude-sonnet-4-5"), "best matches"),
            (nothing, 1, &[], [0.5, 0.5, 0.2], text, Some("gemini-2.5-flash"), "best matches"),
            // A model that does not support the request is not chosen.
            (nothing, 1, &["claude"], none, &["audio"], Some("gpt-4o-audio"), "your first model"),
            (nothing, 1, &["llama"], none, &["image"], Some("claude-sonnet-4-5"), "your first model"),
            (nothing, 1, &["llama"], none, &["tools"], Some("llama3.2:3b"), "a model like"),
            (
                nothing,
                1,
                &["llama"],
                none,
                &["tools required"],
                Some("claude-sonnet-4-5"),
                "your first model",
            ),
            // The routing table.
            (table, 9, &["special"], none, text, Some("llama3.2:3b"), "rule"),
            (table, 9, &["very special one", "gpt-4o"], none, text, Some("llama3.2:3b"), "rule"),
            (table, 7, &["special"], none, text, Some("claude-sonnet-4-5"), "your first model"),
            (table, 7, &["offline"], none, text, None, "rule"),
            (table, 8, &["gpt-4o"], [0.0, 0.0, 1.0], text, Some("gemini-2.5-flash"), "rule"),
            (table, 9, &["special"], none, &["image"], Some("claude-sonnet-4-5"), "your first model"),
            (gone, 1, &[], none, text, Some("llama3.2:3b"), "rule"),
            // The first matching rule decides. The case of a hint doesn't matter. A rule without a server is
            // for all servers.
            (table, 9, &["SPECIAL"], none, text, Some("llama3.2:3b"), "rule 1"),
            (table, 8, &["offline"], [0.0, 0.0, 1.0], text, None, "rule 2"),
            (table, 8, &[], none, &["audio"], Some("gemini-2.5-flash"), "rule 3"),
            // A rule is skipped if its model doesn't support the request. A rule for the practice model is
            // never skipped.
            (both, 1, &[], none, &["audio"], None, "rule 2"),
            (both, 1, &[], none, text, Some("llama3.2:3b"), "rule 1"),
            // If models are equal, the first one in the person's order is chosen. A priority of 0 has no
            // effect.
            (
                nothing,
                1,
                &["claude", "claude"],
                [1.0, 1.0, 1.0],
                text,
                Some("claude-sonnet-4-5"),
                "a model like",
            ),
            (nothing, 1, &[], [0.0, 0.0, 0.0], &["audio"], Some("gpt-4o-audio"), "your first model"),
            (nothing, 1, &[], [0.3, 0.3, 0.3], &["image"], Some("gemini-2.5-flash"), "best matches"),
            // An empty hint is ignored.
            (nothing, 1, &["", " ", "haiku"], none, text, Some("claude-haiku-4-5"), "a model like"),
        ];
        let providers = all();
        for (routes, server, hints, priorities, content, model, reason) in cases {
            let request = asked(hints, *priorities, content);
            let (found, why) = choose_model(routes, &providers, Some(ServerId(*server)), &request).unwrap();
            let case = format!("{hints:?} {priorities:?} {content:?}");
            assert_eq!(found.model.map(|model| model.id.as_str()), *model, "{case}");
            assert!(why.contains(reason), "{case}: {why}");
        }
    }

    #[test]
    fn practice_model_answers_only_when_there_are_no_models() {
        let request = asked(&["claude"], [0.0; 3], &["audio"]);
        let (found, why) = choose_model(&[], &[], None, &request).unwrap();
        assert_eq!((found, why.as_str()), (Candidate::PRACTICE, "no model is set up"));
        let deaf = vec![provider(3, ProviderKind::Ollama, vec![model("llama3.2:3b", "at", [0; 3])])];
        assert_eq!(choose_model(&[], &deaf, None, &request), None);
    }
}
