//! One call on the shared runtime.

use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use futures::StreamExt;
use genai::chat::{ChatOptions, ChatRequest, ChatStreamEvent, StreamEnd};
use genai::{Client, ModelIden};
use pintle::CancelToken;
use tokio::runtime::{Builder, Runtime};

use crate::model::Delta;

/// How long a cancelled call may go unnoticed.
const CANCEL_POLL: Duration = Duration::from_millis(20);

/// What is sent.
pub(super) struct Call {
    pub(super) model: ModelIden,
    pub(super) chat: ChatRequest,
    pub(super) options: ChatOptions,
}

/// A whole reply as it was streamed.
#[derive(Debug)]
pub(super) struct Streamed {
    pub(super) text: String,
    pub(super) end: StreamEnd,
}

/// Why a call gave no reply.
#[derive(Debug)]
pub(super) enum CallError {
    Cancelled,
    /// The runtime could not be started.
    Runtime(String),
    /// The stream ended before the reply did.
    CutShort,
    Provider(Box<genai::Error>),
}

enum Step {
    Text(String),
    Done(Result<Box<StreamEnd>, CallError>),
}

/// Makes a call and waits for its end, telling `on` of the text.
///
/// The connection lives on the shared runtime, so that callers may be threads of any runtime or none.
pub(super) fn run(
    client: Client,
    call: Call,
    on: &mut dyn FnMut(Delta),
    cancel: &CancelToken,
) -> Result<Streamed, CallError> {
    let (steps, arriving) = channel();
    let task = runtime()?.spawn(async move {
        let outcome = stream(client, call, &steps).await;
        // Nobody listens any more when the caller has cancelled.
        let _ = steps.send(Step::Done(outcome));
    });
    let streamed = receive(&arriving, on, cancel);
    task.abort();
    streamed
}

fn receive(arriving: &Receiver<Step>, on: &mut dyn FnMut(Delta), cancel: &CancelToken) -> Result<Streamed, CallError> {
    let mut text = String::new();
    loop {
        if cancel.is_cancelled() {
            return Err(CallError::Cancelled);
        }
        match arriving.recv_timeout(CANCEL_POLL) {
            Ok(Step::Text(piece)) => {
                text.push_str(&piece);
                on(Delta::Text(piece));
            }
            Ok(Step::Done(outcome)) => return outcome.map(|end| Streamed { text, end: *end }),
            Err(RecvTimeoutError::Timeout) => {}
            // The task died without a word, which only a panic inside it can do.
            Err(RecvTimeoutError::Disconnected) => return Err(CallError::CutShort),
        }
    }
}

async fn stream(client: Client, call: Call, steps: &Sender<Step>) -> Result<Box<StreamEnd>, CallError> {
    let provider = |error| CallError::Provider(Box::new(error));
    let response = client.exec_chat_stream(call.model, call.chat, Some(&call.options)).await.map_err(provider)?;
    let mut events = response.stream;
    while let Some(event) = events.next().await {
        match event.map_err(provider)? {
            ChatStreamEvent::Chunk(chunk) => {
                let _ = steps.send(Step::Text(chunk.content));
            }
            ChatStreamEvent::End(end) => return Ok(Box::new(end)),
            _ => {}
        }
    }
    Err(CallError::CutShort)
}

/// The one runtime of all models of the process: one thread that moves bytes.
fn runtime() -> Result<&'static Runtime, CallError> {
    static RUNTIME: OnceLock<Result<Runtime, String>> = OnceLock::new();
    let started = RUNTIME.get_or_init(|| {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(1).thread_name("pintle-model").enable_all();
        builder.build().map_err(|error| error.to_string())
    });
    started.as_ref().map_err(|error| CallError::Runtime(error.clone()))
}
