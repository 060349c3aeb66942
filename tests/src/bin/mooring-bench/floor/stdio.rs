//! The minimal client over stdio: a table of waiting callers, one task that writes, and one that reads.

use std::collections::HashMap;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, bail};
use bytes::{Buf as _, Bytes, BytesMut};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use crate::echo::answer::{id, number};
use crate::figures::Row;
use crate::load::{INITIALIZE, INITIALIZED, Load};
use crate::workers;

/// Measures the load.
pub(crate) fn measure(load: &Load) -> anyhow::Result<Row> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(run(load))
}

/// A connection with its tasks and its process.
pub(crate) struct FloorConnection {
    client: FloorClient,
    tasks: JoinSet<anyhow::Result<()>>,
    child: Child,
}

impl FloorConnection {
    pub(crate) fn client(&self) -> FloorClient {
        self.client.clone()
    }

    /// The server's process id. `None` if it has ended.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.child.id()
    }
}

/// A command that starts an echo server.
pub(crate) fn echo(program: &Path) -> Command {
    #[expect(clippy::disallowed_methods, reason = "the floor must not use the code it is the floor of")]
    let mut command = Command::new(program);
    command.arg("echo-stdio");
    command
}

/// Starts a server and initializes the session.
pub(crate) async fn connect(mut command: Command) -> anyhow::Result<FloorConnection> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let input = child.stdin.take().context("the pipe is there")?;
    let output = child.stdout.take().context("the pipe is there")?;
    let (outbox, messages) = mpsc::channel(256);
    let table = Arc::new(Mutex::new(HashMap::new()));
    let mut tasks = JoinSet::new();
    tasks.spawn(write(input, messages));
    tasks.spawn(read(output, Arc::clone(&table)));
    let client = FloorClient { outbox, table };
    client.call(0, Bytes::from_static(INITIALIZE.as_bytes())).await?;
    client.outbox.send(Bytes::from_static(INITIALIZED.as_bytes())).await?;
    Ok(FloorConnection { client, tasks, child })
}

async fn run(load: &Load) -> anyhow::Result<Row> {
    let FloorConnection { client, mut tasks, mut child } = connect(echo(&std::env::current_exe()?)).await?;
    let request = load.request();
    let row = workers::measure(load, move |number| {
        let (client, request) = (client.clone(), request.clone());
        async move {
            let message = Bytes::from(format!("{}{number}{}", request.0, request.1));
            client.call(number, message).await.is_ok()
        }
    })
    .await?;
    tasks.shutdown().await;
    child.wait().await?;
    Ok(row)
}

type PendingCalls = Arc<Mutex<HashMap<usize, oneshot::Sender<Bytes>>>>;

#[derive(Clone)]
pub(crate) struct FloorClient {
    outbox: mpsc::Sender<Bytes>,
    table: PendingCalls,
}

impl FloorClient {
    pub(crate) async fn call(&self, number: usize, message: Bytes) -> anyhow::Result<Bytes> {
        let (answer, answered) = oneshot::channel();
        self.table.lock().unwrap_or_else(PoisonError::into_inner).insert(number, answer);
        self.outbox.send(message).await?;
        Ok(answered.await?)
    }
}

/// Writes queued messages in batches.
async fn write(mut input: ChildStdin, mut messages: mpsc::Receiver<Bytes>) -> anyhow::Result<()> {
    let (mut waiting, mut out) = (Vec::new(), Vec::new());
    while messages.recv_many(&mut waiting, 64).await > 0 {
        for message in waiting.drain(..) {
            out.extend_from_slice(&message);
            out.push(b'\n');
        }
        input.write_all(&out).await?;
        out.clear();
    }
    Ok(())
}

/// Passes each line to the caller that waits for its id. At the end, clears the table, so that no caller
/// waits forever.
async fn read(mut output: ChildStdout, table: PendingCalls) -> anyhow::Result<()> {
    let ended = read_all(&mut output, &table).await;
    table.lock().unwrap_or_else(PoisonError::into_inner).clear();
    ended
}

async fn read_all(output: &mut ChildStdout, table: &PendingCalls) -> anyhow::Result<()> {
    let mut buffer = BytesMut::with_capacity(64 * 1024);
    let mut searched = 0;
    loop {
        buffer.reserve(64 * 1024);
        if output.read_buf(&mut buffer).await? == 0 {
            bail!("the echo server ended");
        }
        while let Some(found) = memchr::memchr(b'\n', buffer.get(searched..).unwrap_or_default()) {
            let line = buffer.split_to(searched + found).freeze();
            buffer.advance(1);
            searched = 0;
            // A proxy in front of the echo server may send other messages too.
            let Some(number) = id(&line).map(number) else { continue };
            let waiting = table.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
            // A caller that is gone has already ended the measurement.
            let _gone = waiting.map(|waiting| waiting.send(line));
        }
        searched = buffer.len();
    }
}
