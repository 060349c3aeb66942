//! What real servers cost, measured in the system's own processes.

use std::time::Duration;

use mooring_host::Host;
use mooring_load::ServerLoad;
use mooring_server_state::StateName;
use tokio::time::{sleep, timeout};

use crate::support::{LIMIT, scripted, stdio, until_state, window};

async fn until_loads(host: &Host, what: &str, wanted: impl Fn(&[ServerLoad]) -> bool) -> Vec<ServerLoad> {
    let found = async {
        loop {
            let loads = host.server_loads();
            if wanted(&loads) {
                return loads;
            }
            sleep(Duration::from_millis(100)).await;
        }
    };
    timeout(LIMIT, found).await.unwrap_or_else(|_| panic!("{what}: {:?}", host.server_loads()))
}

#[tokio::test]
async fn a_running_server_has_a_load_with_what_it_started() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let plain = scripted("plain", &["ok"]);
    let program = plain.command.clone().unwrap();
    // A shell that stays and starts the server below it.
    let wrapped = stdio("wrapped", "sh", &["-c", r#""$0" ok; exit"#, &program]);
    let plain = host.add_server(plain).await.unwrap().id;
    let wrapped = host.add_server(wrapped).await.unwrap().id;
    until_state(&host, plain, StateName::Ready).await;
    until_state(&host, wrapped, StateName::Ready).await;

    let loads = until_loads(&host, "both servers", |loads| loads.len() == 2).await;
    let of = |id| loads.iter().find(|load| load.id == id).unwrap().load;
    assert_eq!(of(plain).processes, 1);
    assert_eq!(of(wrapped).processes, 2);
    assert!(
        of(wrapped).memory_bytes > of(plain).memory_bytes && of(plain).memory_bytes > 1 << 20,
        "{loads:?}"
    );
    assert_eq!(host.server_load_hour(plain).last().unwrap().load.processes, 1);

    host.stop(wrapped).await.unwrap();
    until_loads(&host, "only the one that runs", |loads| loads.iter().all(|load| load.id == plain)).await;
    assert_ne!(host.server_load_hour(wrapped), []);
    host.shutdown().await;
}
