//! Codes, pages and patterns of the log's rows.

use super::*;

#[test]
fn every_kind_direction_and_status_is_read_back_as_itself() {
    use LogKind::{Auth, Diagnostic, Frame, Gap, State, Stderr, Verdict};
    for kind in [Frame, Stderr, Verdict, State, Gap, Diagnostic, Auth] {
        assert_eq!(LogKind::from_code(kind as i64), Some(kind));
    }
    use Direction::{FromApp, In, Out, ToApp};
    for direction in [Direction::None, Out, In, FromApp, ToApp] {
        assert_eq!(Direction::from_code(direction as i64), Some(direction));
    }
    use LogStatus::{Cancelled, Error, None, Ok, TimedOut};
    for status in [None, Ok, Error, Cancelled, TimedOut] {
        assert_eq!(LogStatus::from_code(status as i64), Some(status));
    }
    assert_eq!(LogKind::from_code(99), Option::None);
}

#[tokio::test]
async fn a_page_is_a_walk_along_an_index_and_never_sorted() {
    let home = tempfile::tempdir().unwrap();
    let store = crate::Store::open(home.path()).await.unwrap();
    let log = store.log();
    let check = async |query: LogQuery, expect: &str| {
        for (before, after) in [(None, None), (Some(5), None), (None, Some(5))] {
            let query = LogQuery { before, after, limit: 100, ..query.clone() };
            let statement = build_page_statement(&query, after.is_some());
            let sql = format!("EXPLAIN QUERY PLAN {}", statement.sql().as_str());
            let steps: Vec<(i64, i64, i64, String)> =
                sqlx::query_as(sqlx::AssertSqlSafe(sql)).fetch_all(&log.0.readers).await.unwrap();
            // The query looks up in another table whether a row's body is in a file.
            let looked_up = steps.iter().position(|step| step.3.contains("log_body"));
            assert_eq!(looked_up.is_some(), query.text.is_some(), "{query:?}: {steps:?}");
            let walk = looked_up.map_or(steps.as_slice(), |at| &steps[..at]);
            assert_eq!(walk.len(), 1, "{query:?}: {steps:?}");
            assert!(steps[0].3.contains(expect), "{query:?}: {steps:?}");
        }
    };
    let source = Some("a".to_owned());
    let method = Some("b".to_owned());
    let any = LogQuery::default();
    let text = Some("c".to_owned());
    check(LogQuery { text, direction: Some(Direction::In), ..any.clone() }, "log").await;
    let statuses = vec![LogStatus::Error];
    check(LogQuery { statuses, min_duration_us: Some(1), ..any.clone() }, "log").await;
    check(LogQuery { source: source.clone(), ..any.clone() }, "USING INDEX log_source").await;
    check(LogQuery { method: method.clone(), ..any.clone() }, "USING INDEX log_method").await;
    let app = Some("d".to_owned());
    check(LogQuery { app: app.clone(), ..any.clone() }, "USING INDEX log_app").await;
    check(LogQuery { call: Some(7), ..any.clone() }, "USING INDEX log_app_call").await;
    let kinds = vec![LogKind::Verdict];
    check(LogQuery { app, kinds, source: source.clone(), ..any.clone() }, "USING INDEX log_").await;
    let kinds = vec![LogKind::Verdict, LogKind::Gap];
    check(LogQuery { kinds: kinds.clone(), ..any.clone() }, "USING INDEX log_notable").await;
    check(LogQuery { source, kinds, method, ..any }, "USING INDEX log_").await;
}

#[test]
fn the_signs_of_a_pattern_stand_for_themselves() {
    assert_eq!(build_like_pattern(r"100%_\"), r"%100\%\_\\%");
    assert_eq!(build_like_pattern("日本"), "%日本%");
}
