//! The bridge: what an app starts as its MCP server. It passes lines between the app and the gateway.

use std::path::Path;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;

use crate::GatewayError;
use crate::hello::{Hello, Welcome};
use crate::message::{self, Message, code, error_response};
use crate::socket;

/// Carries an app's messages to the gateway of a data folder and back, until one of them goes. `server`: the app sees
/// that server alone.
///
/// Where nobody listens or the app is refused, its first request is answered with the reason: apps show that, and not
/// what is printed.
pub async fn bridge(
    home: &Path,
    app: &str,
    server: Option<&str>,
    from_app: impl AsyncRead + Unpin,
    mut to_app: impl AsyncWrite + Unpin,
) -> Result<(), GatewayError> {
    let mut from_app = BufReader::new(from_app);
    let stream = match connect(home, Hello::new(app, server)).await {
        Ok(stream) => stream,
        Err(error) => {
            let mut line = String::new();
            let read = from_app.read_line(&mut line).await;
            if read.is_ok()
                && let Ok(Message::Request { id, .. }) = message::parse(&line)
            {
                let refused = error_response(Some(&id), code::INTERNAL_ERROR, &error.to_string(), None);
                to_app.write_all(format!("{refused}\n").as_bytes()).await.map_err(GatewayError::App)?;
                to_app.flush().await.map_err(GatewayError::App)?;
            }
            return Err(error);
        }
    };
    let (mut from_gateway, mut to_gateway) = stream.into_inner().into_split();
    let up = async {
        let copied = tokio::io::copy_buf(&mut from_app, &mut to_gateway).await;
        // The gateway answers what it can still answer, and closes its end.
        copied.and(to_gateway.shutdown().await)
    };
    let down = tokio::io::copy(&mut from_gateway, &mut to_app);
    tokio::pin!(up, down);
    let mut app_has_gone = false;
    loop {
        tokio::select! {
            sent = &mut up, if !app_has_gone => {
                sent.map_err(GatewayError::App)?;
                app_has_gone = true;
            }
            received = &mut down => {
                received.map_err(GatewayError::App)?;
                return if app_has_gone { Ok(()) } else { Err(GatewayError::Ended) };
            }
        }
    }
}

/// Connects and says who it is.
async fn connect(home: &Path, hello: Hello) -> Result<BufReader<UnixStream>, GatewayError> {
    let path = socket::path(home);
    let stream = UnixStream::connect(&path).await.map_err(|_| GatewayError::NotRunning)?;
    if !socket::is_own(&stream) {
        return Err(GatewayError::OfAnotherUser(path));
    }
    let mut stream = BufReader::new(stream);
    let lost = |_| GatewayError::NotRunning;
    let line = serde_json::to_string(&hello).map_err(|error| GatewayError::App(error.into()))?;
    stream.write_all(format!("{line}\n").as_bytes()).await.map_err(lost)?;
    let mut answer = String::new();
    stream.read_line(&mut answer).await.map_err(lost)?;
    let welcome: Welcome = serde_json::from_str(&answer).map_err(|_| GatewayError::NotRunning)?;
    match welcome.refused {
        Some(reason) => Err(GatewayError::Refused(reason)),
        None => Ok(stream),
    }
}
