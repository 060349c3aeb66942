//! The output that `cargo xtask bench` reads.

use crate::command_line::{CommandLineUser, scripted};

#[test]
fn the_bench_prints_its_figures() {
    let person = CommandLineUser::new();
    for extra in [&[][..], &["--no-journal"]] {
        let mut words = vec!["bench", "--json", "--calls", "200", "--concurrency", "8"];
        words.extend(extra);
        words.extend(["--tool", "echo", "--args", r#"{"text": "x"}"#, "--"]);
        let scripted = scripted();
        words.push(&scripted);
        let ran = person.run(&words);
        assert_eq!(ran.code, 0, "{ran}");
        for figure in ["calls", "errors", "p50_us", "p99_us", "rps", "cpu_us_per_call", "rss_kb"] {
            assert!(ran.json["result"][figure].is_number(), "{figure}: {ran}");
        }
        assert_eq!(
            (ran.json["result"]["calls"].as_u64(), ran.json["result"]["errors"].as_u64()),
            (Some(200), Some(0))
        );
    }
}
