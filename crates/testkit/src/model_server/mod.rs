//! A small model server on loopback that implements the providers' wire formats.
//!
//! The requested path selects the format: `…/chat/completions` is OpenAI's chat format, `…/responses` its newer one,
//! `…/messages` Anthropic's, `…:streamGenerateContent` Gemini's. So one list of answers serves them all. A request
//! without streaming gets the reply as one body.

pub mod script;

mod request;
mod wire;

use std::io::{self, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use wire::WireFormat;

/// A running server, which stops with the process.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<ReceivedRequest>>>,
}

/// A request that the server received.
#[derive(Debug, Clone, PartialEq)]
pub struct ReceivedRequest {
    /// The method, such as `POST`.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body; null if it is not JSON.
    pub body: Value,
}

impl ReceivedRequest {
    /// The value of a header, by its name in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// How the server answers a request.
#[derive(Debug, Clone)]
pub enum ServerAnswer {
    /// Sends a reply: as a stream, or as one body if the request asks for no stream.
    Reply(ScriptedReply),
    /// Sends this body.
    Body(Value),
    /// Sends this text.
    Text(&'static str),
    /// Streams the beginning of a reply and closes the connection.
    CutShort(ScriptedReply),
    /// Streams the beginning of a reply and ends as if it were complete.
    EndEarly(ScriptedReply),
    /// Streams the beginning of a reply, then an error event of this type, such as `overloaded_error`.
    BreakOff(ScriptedReply, &'static str),
    /// Sends an error with this status and message.
    Refuse(u16, &'static str),
    /// Redirects the caller.
    Redirect(String),
    /// Sends nothing and keeps the connection open.
    Silent,
}

/// A model's reply.
#[derive(Debug, Clone, Default)]
pub struct ScriptedReply {
    /// The text, streamed word by word.
    pub text: String,
    /// Tool calls: id, name and the arguments' text. Gemini sends no ids.
    pub calls: Vec<(&'static str, &'static str, &'static str)>,
    /// Input and output tokens.
    pub usage: (u64, u64),
    /// Whether the reply was cut off at the token limit.
    pub is_truncated: bool,
}

impl ScriptedReply {
    /// Creates a reply of text only.
    #[must_use]
    pub fn from_text(text: impl Into<String>) -> Self {
        Self { text: text.into(), usage: (10, 5), ..Self::default() }
    }
}

impl ModelServer {
    /// Starts a server that sends these answers, one per request, and then fails with status 500.
    ///
    /// # Errors
    /// When no port is available.
    pub fn start(answers: Vec<ServerAnswer>) -> io::Result<Self> {
        let left = Mutex::new(answers.into_iter());
        Self::start_with(move |_| {
            let next = left.lock().unwrap_or_else(PoisonError::into_inner).next();
            next.unwrap_or(ServerAnswer::Refuse(500, "no answer is left"))
        })
    }

    /// Starts a server that plays these turns to a complete agent: see [`script`].
    ///
    /// # Errors
    /// When no port is available.
    pub fn play(turns: Vec<ScriptedReply>) -> io::Result<Self> {
        Self::start_with(script::play_turns(turns))
    }

    /// Starts a server that calls a closure for each answer.
    ///
    /// # Errors
    /// When no port is available.
    pub fn start_with(answer: impl Fn(&ReceivedRequest) -> ServerAnswer + Send + Sync + 'static) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let server = Self { address: listener.local_addr()?, requests: Arc::default() };
        let (seen, answer) = (Arc::clone(&server.requests), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
                // A caller that disconnects in the middle is not an error.
                std::thread::spawn(move || drop(serve(stream, &seen, answer.as_ref())));
            }
        });
        Ok(server)
    }

    /// The server's address with a path, such as `/v1`.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// All requests so far.
    #[must_use]
    pub fn requests(&self) -> Vec<ReceivedRequest> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn serve(
    stream: TcpStream,
    seen: &Mutex<Vec<ReceivedRequest>>,
    answer: &dyn Fn(&ReceivedRequest) -> ServerAnswer,
) -> io::Result<()> {
    let mut out = stream.try_clone()?;
    let mut reader = BufReader::new(stream);
    let request = request::read_request(&mut reader)?;
    seen.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
    let format = WireFormat::from_path_or_chat(&request.path);
    match answer(&request) {
        ServerAnswer::Reply(reply) if request.is_non_streaming() => send_body(&mut out, 200, &(format.to_body)(&reply)),
        ServerAnswer::Reply(reply) => {
            start_chunked(&mut out)?;
            for event in (format.to_events)(&reply) {
                send_chunk(&mut out, &event)?;
            }
            out.write_all(b"0\r\n\r\n")
        }
        ServerAnswer::Body(value) => send_body(&mut out, 200, &value),
        ServerAnswer::Text(text) => send_response(&mut out, 200, "content-type: text/plain\r\n", text),
        ServerAnswer::CutShort(reply) => send_first_half(&mut out, format, &reply),
        ServerAnswer::EndEarly(reply) => {
            send_first_half(&mut out, format, &reply)?;
            out.write_all(b"0\r\n\r\n")
        }
        ServerAnswer::BreakOff(reply, kind) => {
            send_first_half(&mut out, format, &reply)?;
            send_chunk(&mut out, &format.error_event(kind))?;
            out.write_all(b"0\r\n\r\n")
        }
        ServerAnswer::Refuse(status, words) => {
            send_body(&mut out, status, &json!({"error": {"message": words, "type": "refused"}}))
        }
        ServerAnswer::Redirect(location) => send_response(&mut out, 307, &format!("location: {location}\r\n"), ""),
        // Until the caller disconnects.
        ServerAnswer::Silent => reader.read_to_end(&mut Vec::new()).map(drop),
    }
}

fn send_first_half(out: &mut TcpStream, format: &WireFormat, reply: &ScriptedReply) -> io::Result<()> {
    start_chunked(out)?;
    let events = (format.to_events)(reply);
    events.iter().take(events.len() / 2).try_for_each(|event| send_chunk(out, event))
}

fn start_chunked(out: &mut TcpStream) -> io::Result<()> {
    out.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n")
}

fn send_chunk(out: &mut TcpStream, event: &str) -> io::Result<()> {
    write!(out, "{:x}\r\n{event}\r\n", event.len())?;
    out.flush()
}

fn send_body(out: &mut TcpStream, status: u16, value: &Value) -> io::Result<()> {
    send_response(out, status, "content-type: application/json\r\n", &value.to_string())
}

fn send_response(out: &mut TcpStream, status: u16, headers: &str, body: &str) -> io::Result<()> {
    let length = body.len();
    write!(out, "HTTP/1.1 {status} Answer\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}")
}
