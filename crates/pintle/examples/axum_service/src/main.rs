//! A service that answers whether an event is allowed: `POST /fire/tool.pre` with the event's payload.
//!
//! Run it with an address (`127.0.0.1:8080`) to serve until it is stopped. Without one it sends itself two requests.

#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use std::net::SocketAddr;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::post;
use pintle::{Event, Hook, Runtime};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// Fires an event, and returns the decision with the payload as hooks left it.
async fn fire(
    State(runtime): State<Runtime>,
    Path(name): Path<String>,
    Json(payload): Json<Value>,
) -> (StatusCode, Json<Value>) {
    // A payload that does not fit its event is the caller's mistake, and no reason to allow anything.
    let event = match Event::named(&name, payload) {
        Ok(event) => event,
        Err(error) => return (StatusCode::UNPROCESSABLE_ENTITY, Json(json!({"error": error.to_string()}))),
    };
    let outcome = runtime.fire_async(event).await;
    let decision = if outcome.is_allowed() { "allow" } else { "deny" };
    let answer = json!({"decision": decision, "reason": outcome.reason(), "payload": outcome.payload()});
    (StatusCode::OK, Json(answer))
}

async fn request(address: SocketAddr, tool: &str) -> std::io::Result<String> {
    let body = json!({"id": "1", "name": tool, "args": {}}).to_string();
    let mut stream = TcpStream::connect(address).await?;
    let head = "POST /fire/tool.pre HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json";
    stream.write_all(format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).await?;
    let mut response = String::new();
    stream.read_to_string(&mut response).await?;
    Ok(response.lines().last().unwrap_or_default().to_owned())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let guard = Hook::deny_tools(["exec_*"], "exec is gated").named("no_exec");
    let runtime = Runtime::builder().hook(guard).build()?;
    let service = axum::Router::new().route("/fire/{event}", post(fire)).with_state(runtime);
    let given = std::env::args().nth(1);
    let listener = TcpListener::bind(given.as_deref().unwrap_or("127.0.0.1:0")).await?;
    let address = listener.local_addr()?;
    let serving = tokio::spawn(async move { axum::serve(listener, service).await });
    if given.is_some() {
        return Ok(serving.await??);
    }
    for (tool, expected) in [("exec_ls", r#""decision":"deny""#), ("read_file", r#""decision":"allow""#)] {
        let answer = request(address, tool).await?;
        println!("{tool}: {answer}");
        assert!(answer.contains(expected), "{answer}");
    }
    Ok(())
}
