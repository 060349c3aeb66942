//! A server that works normally until its tool `flood` is called.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;

use clap::{Args, ValueEnum};

use crate::echo::answer::EchoResponder;
use crate::echo::http::content_length;

/// How the server misbehaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Misbehaviour {
    /// Sends one endless line.
    Line,
    /// Sends answers of 15 MiB with as many JSON values as possible.
    Nodes,
    /// Sends arrays that are nested a million deep.
    Depth,
    /// Sends log messages as fast as possible.
    Notifications,
    /// Sends an event stream of comments, over HTTP.
    Stream,
    /// Lists tools whose schemas are large, deep and recursive.
    Schemas,
    /// Never answers.
    Hang,
    /// Writes lines of 1 KB to standard error.
    Stderr,
    /// Writes empty lines to standard error.
    StderrEmpty,
}

/// A server that misbehaves on request.
#[derive(Debug, Clone, Args)]
pub(crate) struct MisbehavingServer {
    /// How the server misbehaves.
    mode: Misbehaviour,
    /// How much it sends, in MiB.
    #[arg(long, default_value_t = 1024)]
    mebibytes: usize,
}

/// The approximate size of one write, in bytes.
const CHUNK: usize = 1 << 16;

impl MisbehavingServer {
    pub(crate) fn serve(&self) -> anyhow::Result<()> {
        if self.mode == Misbehaviour::Stream {
            return self.serve_http();
        }
        let mut answers = EchoResponder::default();
        let mut output = std::io::stdout().lock();
        let mut out = Vec::new();
        for line in std::io::stdin().lock().lines() {
            let line = line?;
            if line.contains("\"flood\"") {
                let id = crate::echo::answer::id(line.as_bytes()).unwrap_or(b"null");
                self.flood(&mut output, &String::from_utf8_lossy(id))?;
            } else if self.mode == Misbehaviour::Schemas && line.contains("\"tools/list\"") {
                let id = crate::echo::answer::id(line.as_bytes()).unwrap_or(b"null");
                writeln!(output, "{}", bombs(&String::from_utf8_lossy(id)))?;
            } else if answers.append(line.as_bytes(), &mut out) {
                out.push(b'\n');
                output.write_all(&out)?;
            }
            output.flush()?;
            out.clear();
        }
        Ok(())
    }

    /// Floods up to the limit, then answers the call.
    fn flood(&self, output: &mut impl Write, id: &str) -> anyhow::Result<()> {
        let total = self.mebibytes << 20;
        match self.mode {
            Misbehaviour::Line => {
                write!(output, "{{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":\"")?;
                repeat(output, &vec![b'a'; CHUNK], total)?;
                writeln!(output, "\"}}")?;
            }
            Misbehaviour::Nodes => {
                let values = "0,".repeat(15 << 19);
                let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":[{values}0]}}\n");
                repeat(output, answer.as_bytes(), total)?;
            }
            Misbehaviour::Depth => {
                let deep = "[".repeat(1_000_000);
                let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{deep}\n");
                repeat(output, answer.as_bytes(), total)?;
            }
            Misbehaviour::Notifications => {
                let one = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":\
                           {\"level\":\"info\",\"data\":\"the tide is coming in\"}}\n";
                repeat(output, one.repeat(CHUNK / one.len()).as_bytes(), total)?;
            }
            Misbehaviour::Stderr => {
                let line = format!("{}\n", "the tide is coming in ".repeat(45));
                repeat(&mut std::io::stderr().lock(), line.repeat(CHUNK / line.len()).as_bytes(), total)?;
            }
            Misbehaviour::StderrEmpty => repeat(&mut std::io::stderr().lock(), &vec![b'\n'; CHUNK], total)?,
            Misbehaviour::Hang => loop {
                std::thread::park();
            },
            Misbehaviour::Schemas | Misbehaviour::Stream => {}
        }
        writeln!(output, "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"content\":[]}}}}")?;
        Ok(())
    }

    /// Serves over HTTP. The first line of output is the URL.
    fn serve_http(&self) -> anyhow::Result<()> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        println!("http://{}/mcp", listener.local_addr()?);
        std::thread::scope(|scope| {
            for connection in listener.incoming().flatten() {
                // An error means that the client has closed the connection.
                scope.spawn(move || self.keep_alive(connection));
            }
        });
        Ok(())
    }

    fn keep_alive(&self, connection: TcpStream) -> anyhow::Result<()> {
        // Written as a file, because the system counts those bytes for the process.
        let mut output = File::from(OwnedFd::from(connection.try_clone()?));
        let mut input = BufReader::new(connection);
        let mut answers = EchoResponder::default();
        loop {
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                if input.read_line(&mut head)? == 0 {
                    return Ok(());
                }
            }
            let mut body = vec![0; content_length(head.as_bytes())];
            input.read_exact(&mut body)?;
            if String::from_utf8_lossy(&body).contains("\"flood\"") {
                write!(output, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")?;
                let comment = format!(": {}\n", "z".repeat(CHUNK));
                return repeat(&mut output, comment.as_bytes(), self.mebibytes << 20);
            }
            let mut answer = Vec::new();
            let status = match (head.starts_with("POST"), answers.append(&body, &mut answer)) {
                (true, true) => "200 OK\r\nContent-Type: application/json",
                (true, false) => "202 Accepted",
                (false, _) => "405 Method Not Allowed",
            };
            write!(output, "HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n", answer.len())?;
            output.write_all(&answer)?;
        }
    }
}

fn repeat(output: &mut impl Write, bytes: &[u8], total: usize) -> anyhow::Result<()> {
    for _ in 0..total.div_ceil(bytes.len()) {
        output.write_all(bytes)?;
    }
    output.flush()?;
    Ok(())
}

/// Tools with schemas that a naive reader would expand forever.
fn bombs(id: &str) -> String {
    let twice = |level: usize| {
        let before = format!("{{\"$ref\":\"#/$defs/d{}\"}}", level - 1);
        format!("\"d{level}\":{{\"anyOf\":[{before},{before}]}}")
    };
    let definitions: Vec<String> =
        std::iter::once("\"d0\":{\"type\":\"string\"}".to_owned()).chain((1..30).map(twice)).collect();
    let definitions = definitions.join(",");
    let bomb = format!(
        "{{\"type\":\"object\",\"properties\":{{\"a\":{{\"$ref\":\"#/$defs/d29\"}}}},\"$defs\":{{{definitions}}}}}"
    );
    let many: Vec<String> =
        (0..8_000).map(|number| format!("\"p{number}\":{{\"type\":\"string\"}}")).collect();
    let large = format!("{{\"type\":\"object\",\"properties\":{{{}}}}}", many.join(","));
    let tools: Vec<String> = [&bomb, &large, &bomb]
        .iter()
        .enumerate()
        .map(|(number, schema)| format!("{{\"name\":\"bomb{number}\",\"inputSchema\":{schema}}}"))
        .chain(["{\"name\":\"flood\",\"inputSchema\":{\"type\":\"object\"}}".to_owned()])
        .collect();
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"tools\":[{}]}}}}", tools.join(","))
}
