//! Programs that run to their end while somebody reads what they print.

use crate::test_dir::{AMPLE, TestDir, all_end, is_alive};
use mooring_process::{ProcessExit, RunEnd, run_program};
use std::future::{pending, ready};
use tokio::sync::watch;
use tokio::time::timeout;

/// What a script ends with and what is left of its output.
async fn run(script: &str) -> (RunEnd, String) {
    let output = watch::Sender::<String>::default();
    let end = timeout(AMPLE, run_program(&TestDir::new().shell(script), &output, pending())).await;
    let text = output.borrow().clone();
    (end.unwrap().unwrap(), text)
}

#[tokio::test]
async fn output_of_both_streams_is_read_until_the_end() {
    let (end, text) = run("cat; echo one; echo two >&2; printf three; exit 3").await;
    assert_eq!(end, RunEnd::Exited(ProcessExit { code: Some(3), signal: None }));
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["one", "three", "two"]);
}

#[tokio::test]
async fn escape_sequences_and_overwritten_progress_are_removed() {
    let script = r"printf '\033[1;31mred\033[0m \033]0;title\007\001x\r\n 10%%\r 99%%\r100%%\nlast\377\0\n'";
    assert_eq!(run(script).await.1, "red  x\n100%\nlast\u{fffd}\n");
}

#[tokio::test]
async fn of_a_flood_only_the_end_is_kept() {
    let script = "i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done; \
                  head -c 1000000 /dev/zero | tr '\\0' x; echo; echo done";
    let (_, text) = run(script).await;
    assert!(text.len() <= 64 << 10, "{}", text.len());
    assert!(text.contains("line 19999\nxxxx") && text.ends_with("x\ndone\n"));
    assert!(text.starts_with("line "), "{}", &text[..20]);
}

#[tokio::test]
async fn cancelled_program_ends_with_its_whole_tree() {
    let place = TestDir::new();
    let options =
        place.shell("trap '' TERM; sleep 1000 & (trap '' TERM; sleep 1000) & echo $! $$; wait; wait");
    let output = watch::Sender::<String>::default();
    let mut printed = output.subscribe();
    let cancelled = async move {
        printed.wait_for(|text| text.ends_with('\n')).await.unwrap();
    };
    let end = timeout(AMPLE, run_program(&options, &output, cancelled)).await.unwrap().unwrap();
    assert_eq!(end, RunEnd::Cancelled);
    let pids: Vec<u32> = output.borrow().split_whitespace().map(|pid| pid.parse().unwrap()).collect();
    assert!(pids.len() == 2 && !pids.iter().any(|pid| is_alive(*pid)), "{pids:?}");
}

#[tokio::test]
async fn dropped_run_and_what_a_program_leaves_behind_end() {
    let place = TestDir::new();
    let output = watch::Sender::<String>::default();
    let left = place.shell("sleep 1000 & echo $!");
    let end = timeout(AMPLE, run_program(&left, &output, pending())).await.unwrap().unwrap();
    assert!(matches!(end, RunEnd::Exited(exit) if exit.success()), "{end:?}");
    let endless = place.shell("echo $$; sleep 1000");
    let mut printed = output.subscribe();
    tokio::select! {
        end = run_program(&endless, &output, pending()) => panic!("{end:?}"),
        _ = printed.wait_for(|text| text.lines().count() == 2) => {}
    }
    let pids: Vec<u32> = output.borrow().split_whitespace().map(|pid| pid.parse().unwrap()).collect();
    all_end(&pids).await;
}

#[tokio::test]
async fn one_that_cannot_start_is_an_error() {
    let missing = TestDir::new().path().join("missing");
    let output = watch::Sender::<String>::default();
    let error = run_program(&TestDir::new().program(&missing, &[]), &output, ready(())).await.unwrap_err();
    assert!(error.to_string().starts_with("the program doesn’t exist"), "{error}");
}
