//! How long a healthy server's calls take while another server hangs or floods.

use tokio::task::JoinSet;

use super::GatewayArguments;
use super::front::{Front, OpenFront};
use super::report::{Comparison, Measured};
use super::served::ServedFolder;
use super::subjects::SERVER;

pub(crate) const HANGING: &str = "hanging";
pub(crate) const FLOODING: &str = "flooding";
/// How many calls are made to the server that hangs.
const HANGING_CALLS: usize = 32;
/// The limit for the p99, as a multiple of the p99 of an idle neighbour.
const MAX_TIMES_IDLE: f64 = 3.0;

/// The arguments of a server that misbehaves when called with a certain text.
pub(crate) fn words(mode: &str) -> Vec<String> {
    ["reliability-part", "evil", mode, "--mebibytes", "4096"].map(str::to_owned).into()
}

/// A call that makes the server hang or flood.
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
    // Neither can be stopped, so all idle rounds come first.
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

/// The call isn't answered before the measurement ends.
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
