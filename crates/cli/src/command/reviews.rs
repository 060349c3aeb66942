//! Hints about items that no app sees because they aren't approved. Printed by `mooring apps`, `connect` and
//! `serve`.

use mooring_approvals::{ReviewCounts, ServerReview};
use mooring_host::Host;

use crate::fault::Fault;
use crate::output::{Output, escape_line, quote};

/// The largest number of servers that are named.
const MAX_NAMED: usize = 5;

/// The servers with items to review. `None` if no server is saved at all.
pub(super) async fn waiting(host: &Host) -> Result<Option<Vec<ServerReview>>, Fault> {
    let reviews = host.server_reviews().await?;
    let is_waiting =
        |it: &ServerReview| it.counts.blocked || it.counts.new + it.counts.changed > 0 || !it.listed;
    Ok((!reviews.is_empty()).then(|| reviews.into_iter().filter(is_waiting).collect()))
}

/// Prints what no app sees, and the command that changes it.
pub(super) fn say(output: Output, waiting: Option<&[ServerReview]>) {
    // The JSON result already contains it.
    if output.json {
        return;
    }
    let Some(waiting) = waiting else {
        output.note("No server is saved yet, so apps get nothing: mooring add NAME -- COMMAND");
        return;
    };
    for review in waiting.iter().take(MAX_NAMED) {
        output.note(&line(review));
    }
    if let Some(more) = waiting.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
        output.note(&format!("And {more} more servers wait for your approval: mooring list"));
    }
}

fn line(review: &ServerReview) -> String {
    let (server, word) = (escape_line(&review.server), escape_line(&quote(&review.server)).into_owned());
    let items = |count: usize| format!("{count} {}", if count == 1 { "item" } else { "items" });
    if review.counts.blocked {
        return format!("{server}: its command or URL has changed, so it doesn’t run: mooring trust {word}");
    }
    match (review.listed, review.counts) {
        (false, ReviewCounts { new: 0, changed: 0, .. }) => {
            format!(
                "{server}: it was never listed, so apps get nothing of it: mooring trust {word} --approve"
            )
        }
        (_, ReviewCounts { approved: 0, new, changed: 0, .. }) => {
            format!(
                "{server}: none of its {} is approved, so apps get nothing of it: mooring trust {word} --approve",
                items(new)
            )
        }
        (_, ReviewCounts { new, changed: 0, .. }) => {
            format!("{server}: {} not approved, so apps don’t get them: mooring trust {word}", items(new))
        }
        (_, ReviewCounts { changed, .. }) => {
            format!(
                "{server}: {} changed, so apps don’t get them until you approve them: mooring trust {word}",
                items(changed)
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_review_says_what_apps_miss_and_the_line_to_type() {
        let said = |blocked, approved, new, changed| {
            let listed = approved + new + changed > 0;
            let counts = ReviewCounts { approved, new, changed, blocked, ..ReviewCounts::default() };
            line(&ServerReview { server: "tides".to_owned(), listed, counts })
        };
        for (line, start, end) in [
            (said(true, 3, 0, 0), "tides: its command or URL has changed", "mooring trust tides"),
            (said(false, 0, 0, 0), "tides: it was never listed", "mooring trust tides --approve"),
            (said(false, 0, 7, 0), "tides: none of its 7 items", "mooring trust tides --approve"),
            (said(false, 2, 1, 0), "tides: 1 item not approved", "mooring trust tides"),
            (said(false, 2, 1, 3), "tides: 3 items changed", "mooring trust tides"),
        ] {
            assert!(line.starts_with(start) && line.ends_with(end), "{line}");
        }
    }
}
