//! The echo server over HTTP/1.1: one thread for all connections, kept alive, JSON answers.

use std::cell::RefCell;
use std::rc::Rc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::answer::{EchoResponder, number};

/// Serves until the process is killed. The first line of output is the URL.
pub(crate) fn serve(port: u16) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, async {
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        println!("http://{}/mcp", listener.local_addr()?);
        let answers = Rc::new(RefCell::new(EchoResponder::default()));
        let mut connections = tokio::task::JoinSet::new();
        loop {
            let (connection, _) = listener.accept().await?;
            connection.set_nodelay(true)?;
            connections.spawn_local(keep_alive(connection, Rc::clone(&answers)));
            while connections.try_join_next().is_some() {}
        }
    })
}

async fn keep_alive(mut connection: TcpStream, answers: Rc<RefCell<EchoResponder>>) {
    let mut buffer = Vec::with_capacity(64 * 1024);
    let mut body = Vec::new();
    let mut out = Vec::new();
    loop {
        match connection.read_buf(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        while let Some((post, start, end)) = complete(&buffer) {
            body.clear();
            let message = buffer.get(start..end).unwrap_or_default();
            let answered = post && answers.borrow_mut().append(message, &mut body);
            let status = match (post, answered) {
                (true, true) => "200 OK\r\nContent-Type: application/json",
                (true, false) => "202 Accepted",
                (false, _) => "405 Method Not Allowed\r\nAllow: POST",
            };
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n", body.len());
            out.extend_from_slice(head.as_bytes());
            out.extend_from_slice(&body);
            buffer.drain(..end);
        }
        if connection.write_all(&out).await.is_err() {
            return;
        }
        out.clear();
    }
}

/// Parses a complete request: whether it is a POST, and where its body begins and ends. `None` if it is
/// incomplete.
fn complete(buffer: &[u8]) -> Option<(bool, usize, usize)> {
    let start = memchr::memmem::find(buffer, b"\r\n\r\n")? + 4;
    let head = buffer.get(..start)?;
    let length = content_length(head);
    (buffer.len() >= start + length).then(|| (head.starts_with(b"POST"), start, start + length))
}

/// The value of `Content-Length`, case-insensitively. 0 if there is none.
pub(crate) fn content_length(head: &[u8]) -> usize {
    const NAME: &[u8] = b"content-length:";
    head.split(|byte| *byte == b'\n')
        .find_map(|line| {
            let (name, value) = line.split_at_checked(NAME.len())?;
            name.eq_ignore_ascii_case(NAME).then(|| number(value.trim_ascii_start()))
        })
        .unwrap_or_default()
}
