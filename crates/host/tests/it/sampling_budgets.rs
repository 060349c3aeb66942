//! The daily budgets of servers for models.

use mooring_answers::{PresetAnswers, SamplingAnswers};
use mooring_inbox::Remember;
use mooring_models::{Budget, Dollars, ProviderKind, SamplingPolicy};
use mooring_store::SamplingUsageRow;
use mooring_testkit::models::{EVENTS, FakeProvider, ProviderReply};

use crate::sampling::{asker, asks, fixture, host, provider, question};
use crate::sampling_gates::{SamplingWindow, paris, priced, refused};
use crate::support::connect;

// Requirements: SAMP-15.
#[tokio::test]
async fn tokens_and_dollars_of_a_day_end_a_loop_that_nobody_watches() {
    let home = tempfile::tempdir().unwrap();
    // Each answer uses 14 tokens. The budget must also cover its maximum length.
    let frugal = String::from_utf8(fixture("openai/answer.sse")).unwrap();
    let frugal = frugal.replace(
        r#""prompt_tokens":25,"completion_tokens":15"#,
        r#""prompt_tokens":10,"completion_tokens":4"#,
    );
    let fake = FakeProvider::new(&[ProviderReply::Stream(EVENTS, frugal.into_bytes())]).await;
    let tokens = Budget { tokens_per_day: Some(100), ..Budget::default() };
    let window = SamplingWindow::new(home.path(), Some(tokens)).await;
    window.host.save_provider(None, priced(&fake.url)).await.unwrap();
    let deciding = async {
        let (id, review) = window.review().await;
        assert_eq!(review.budget.unwrap().tokens, Some(100));
        window.accept(id, None, Remember::Always).await;
        let (id, _) = window.spoken().await;
        window.accept(id, None, Remember::Always).await;
    };
    let (answer, ()) = tokio::join!(window.asks(question()), deciding);
    assert!(answer["result"].is_object(), "{answer}");
    let until_refused = async || loop {
        let answer = window.asks(question()).await;
        let Some(message) = answer["error"]["message"].as_str() else { continue };
        // The fake model ignores the length limit. Its answer is refused, but counted.
        if !message.contains("wrote 4 tokens") {
            return message.to_owned();
        }
    };
    let refusal = until_refused().await;
    let used = window.host.models().await.unwrap().servers[0].clone();
    assert!(refusal.contains("100 tokens a day"), "{refusal}");
    assert!(used.tokens_today <= 100 && used.requests_today >= 5, "{used:?}");
    // No answer was allowed to be longer than the remaining budget.
    let most: Vec<u64> =
        fake.requests().iter().map(|asked| asked.body["max_tokens"].as_u64().unwrap()).collect();
    assert!(most.windows(2).all(|pair| pair[1] < pair[0]), "{most:?}");

    let spent = used.cost_today.micros();
    let dollars = Budget { cost_per_day: Some(Dollars::from_micros(spent + 120)), ..Budget::default() };
    window.allow(dollars).await;
    let refusal = until_refused().await;
    assert!(refusal.contains("dollars a day"), "{refusal}");
    let used = window.host.models().await.unwrap().servers[0].clone();
    assert!(used.cost_today.micros() <= spent + 120, "{used:?}");
    window.host.shutdown().await;
}

// Requirements: SAMP-15.
#[tokio::test]
async fn usage_counts_until_midnight_across_restarts() {
    let home = tempfile::tempdir().unwrap();
    let fake = FakeProvider::new(&[paris()]).await;
    // An answer uses forty tokens. The rest is too little even for the question.
    let tokens = Budget { tokens_per_day: Some(45), ..Budget::default() };
    let window = SamplingWindow::new(home.path(), Some(tokens)).await;
    window.host.save_provider(None, priced(&fake.url)).await.unwrap();
    let deciding = async {
        let (id, _) = window.review().await;
        window.accept(id, None, Remember::Always).await;
        let (id, _) = window.spoken().await;
        window.accept(id, None, Remember::Always).await;
    };
    let (answer, ()) = tokio::join!(window.asks(question()), deciding);
    assert!(answer["result"].is_object(), "{answer}");
    let used = window.host.models().await.unwrap().servers[0].clone();
    assert_eq!((used.tokens_today, used.requests_today), (40, 1));
    window.host.shutdown().await;

    let window = window.again(home.path()).await;
    let refusal = window.asks(question()).await;
    assert!(refused(&refusal).contains("45 tokens a day"), "{refusal}");
    let again = window.host.models().await.unwrap().servers[0].clone();
    assert_eq!((again.tokens_today, again.cost_today), (used.tokens_today, used.cost_today));
    window.host.shutdown().await;

    // Move the usage to the day before.
    let store = mooring_store::Store::open(home.path()).await.unwrap();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let about = i64::try_from(now.as_secs() / 86_400).unwrap();
    // The person's day may be one before or after that of UTC.
    let mut found = None;
    for today in about - 1..=about + 1 {
        let row = store.sampling().usage(window.server.0, today).await.unwrap();
        if row.requests > 0 {
            assert!(found.replace((today, row)).is_none());
        }
    }
    let (today, row) = found.unwrap();
    let less = SamplingUsageRow { requests: -row.requests, tokens: -row.tokens, cost: -row.cost };
    store.sampling().add_usage(window.server.0, today, less).await.unwrap();
    store.sampling().add_usage(window.server.0, today - 1, row).await.unwrap();
    store.close().await;
    let window = window.again(home.path()).await;
    assert_eq!(window.host.models().await.unwrap().servers[0].tokens_today, 0);
    let answer = window.asks(question()).await;
    assert!(answer["result"].is_object(), "{answer}");
    assert_eq!(fake.requests().len(), 2);
    window.host.shutdown().await;
}

// Requirements: SAMP-15, SAMP-16.
#[tokio::test]
async fn enabling_sampling_without_limits_sets_default_limits() {
    let home = tempfile::tempdir().unwrap();
    let window = SamplingWindow::new(home.path(), None).await;
    let set = async |enabled, budget| {
        window.host.set_sampling(window.server, SamplingPolicy { enabled, budget }).await.unwrap();
        window.host.models().await.unwrap().servers[0].policy
    };
    let few = Budget { requests_per_minute: Some(2), ..Budget::default() };
    assert_eq!(set(false, Budget::default()).await.budget, Budget::default());
    assert_eq!(set(true, Budget::default()).await.budget, Budget::DEFAULT_LIMITS);
    assert_eq!(set(true, Budget::default()).await.budget, Budget::default());
    assert_eq!(set(false, few).await.budget, few);
    assert_eq!(set(true, few).await.budget, few);
    assert_eq!(set(false, Budget::default()).await.budget, Budget::default());
    assert_eq!(set(true, Budget::default()).await.budget, Budget::DEFAULT_LIMITS);
    window.host.shutdown().await;
}

fn by(provider: ProviderKind) -> PresetAnswers {
    PresetAnswers {
        sampling: Some(SamplingAnswers::Model(provider.as_str().to_owned())),
        ..PresetAnswers::default()
    }
}

// Requirements: SAMP-15.
#[tokio::test]
async fn provider_named_on_the_command_line_obeys_the_server_budget() {
    let home = tempfile::tempdir().unwrap();
    let fake = FakeProvider::new(&[paris()]).await;
    let host = host(home.path()).await;
    host.save_provider(None, priced(&fake.url)).await.unwrap();
    host.set_preset_answers(by(ProviderKind::Openai));
    // An answer uses forty tokens. The rest is too little even for the question.
    let connection = asker(&host, Budget { tokens_per_day: Some(45), ..Budget::default() }).await;
    let answer = asks(&connection, &question()).await;
    assert!(answer["result"].is_object(), "{answer}");
    let refusal = asks(&connection, &question()).await;
    assert!(refused(&refusal).contains("45 tokens a day"), "{refusal}");
    let used = host.models().await.unwrap().servers[0].clone();
    let counted = (used.requests_today, used.tokens_today, used.cost_today);
    assert_eq!(counted, (1, 40, Dollars::from_micros(55)));
    assert_eq!(fake.requests().len(), 1);
    connection.close().await;
    host.shutdown().await;
}

// Requirements: SAMP-15.
#[tokio::test]
async fn unsaved_server_gets_the_default_budget() {
    let home = tempfile::tempdir().unwrap();
    let fake = FakeProvider::new(&[paris()]).await;
    let host = host(home.path()).await;
    host.save_provider(None, provider(ProviderKind::Openai, &fake.url, "m")).await.unwrap();
    host.set_preset_answers(by(ProviderKind::Openai));
    let connection = connect(&host, &["ok"]).await.unwrap();
    // The question exceeds the daily tokens, however short the answer is.
    let mut long = question();
    long["messages"][0]["content"]["text"] = "word ".repeat(200_000).into();
    let refusal = asks(&connection, &long).await;
    assert!(refused(&refusal).contains("200000 tokens a day"), "{refusal}");
    for _ in 0..9 {
        let answer = asks(&connection, &question()).await;
        assert!(answer["result"].is_object(), "{answer}");
    }
    let refusal = asks(&connection, &question()).await;
    assert!(refused(&refusal).contains("10 times within a minute"), "{refusal}");
    assert_eq!(fake.requests().len(), 9);
    connection.close().await;
    host.shutdown().await;
}
