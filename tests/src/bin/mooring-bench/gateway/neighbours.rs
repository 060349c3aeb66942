//! How long calls of a good server take while another server hangs, and while another floods.

use tokio::task::JoinSet;

use super::GatewayArguments;
use super::front::{Front, OpenFront};
use super::report::{Comparison, Measured};
use super::served::ServedFolder;
use super::subjects::SERVER;

pub(crate) const HANGING: &str = "hanging";
pub(crate) const FLOODING: &str = "flooding";
/// Calls of the server that hangs.
const HANGING_CALLS: usize = 32;
/// How many times as long they may take.
const MAX_TIMES_IDLE: f64 = 3.0;

/// What starts a server that does so when it is called with the right text.
pub(crate) fn words(mode: &str) -> Vec<String> {
    ["reliability-part", "evil", mode, "--mebibytes", "4096"].map(str::to_owned).into()
}

/// A call after which it hangs or floods.
fn provoke(number: usize) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{number},\"method\":\"tools/call\",\"params\":{{\"name\":\"echo\",\"arguments\":{{\"text\":\"flood\"}}}}}}"
    )
}

pub(crate) async fn measure(
    served: &ServedFolder,
    wanted: &GatewayArguments,
    measured: &mut Measured,
) -> anyhow::Result<()> {
    let mut good = OpenFront::stdio(served.bridge("Good app", SERVER).await?).await?;
    // Neither can be undone, so that all rounds of the idle server come first.
    let idle = p99s(&mut good, wanted).await?;
    for (server, calls, what) in [(HANGING, HANGING_CALLS, "hangs"), (FLOODING, 1, "floods")] {
        let other = OpenFront::stdio(served.bridge("Other app", server).await?).await?;
        let mut provoking = JoinSet::new();
        for number in 1..=calls {
            provoking.spawn(provoke_one(other.front.clone(), 9_000_000 + number));
        }
        let busy = p99s(&mut good, wanted).await?;
        let ratios = busy.iter().zip(&idle).map(|(busy, idle)| busy / idle).collect();
        let what = format!("p99 of calls while another server {what}, over the idle p99");
        measured.comparisons.push(Comparison::ours(what, MAX_TIMES_IDLE, ratios));
        provoking.abort_all();
    }
    Ok(())
}

/// It is not answered before the measurement has ended.
async fn provoke_one(front: Front, number: usize) {
    let _unanswered = front.call(number, provoke(number)).await;
}

async fn p99s(good: &mut OpenFront, wanted: &GatewayArguments) -> anyhow::Result<Vec<f64>> {
    let mut figures = Vec::new();
    for _ in 0..wanted.rounds.max(1) {
        let row = good.measure(wanted.calls, 1).await?;
        anyhow::ensure!(row.errors == 0, "{} calls of a good server failed", row.errors);
        figures.push(row.p99_us);
    }
    Ok(figures)
}
