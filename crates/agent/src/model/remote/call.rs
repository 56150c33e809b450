//! Runs one model call on the shared runtime.

use futures::StreamExt;
use genai::chat::{ChatOptions, ChatRequest, ChatStreamEvent, StreamEnd};
use genai::{Client, ModelIden};
use pintle_host::CancelToken;
use pintle_host::async_runtime::runtime_handle;
use pintle_host::contract::{CancelReceiver, CancelSender, ReceiveError};

use crate::model::message::ReplyDelta;

pub(super) struct ProviderCall {
    pub(super) model: ModelIden,
    pub(super) chat: ChatRequest,
    pub(super) options: ChatOptions,
}

/// A complete reply, as it was streamed.
#[derive(Debug)]
pub(super) struct StreamedReply {
    pub(super) text: String,
    pub(super) end: StreamEnd,
}

/// Why a call returned no reply.
#[derive(Debug)]
pub(super) enum ProviderCallError {
    Cancelled,
    /// The runtime could not be started.
    Runtime(String),
    /// The stream ended before the reply was complete.
    IncompleteStream,
    Provider(Box<genai::Error>),
}

enum StreamStep {
    Text(String),
    Done(Result<Box<StreamEnd>, ProviderCallError>),
}

/// Makes a call and waits until it ends, passing the text to `on`.
///
/// The connection belongs to the shared runtime, so the caller may be a thread of any runtime or none.
pub(super) fn run_call(
    client: Client,
    call: ProviderCall,
    on: &mut dyn FnMut(ReplyDelta),
    cancel: &CancelToken,
) -> Result<StreamedReply, ProviderCallError> {
    let (steps, arriving) = cancel.channel();
    let task = runtime_handle().map_err(|error| ProviderCallError::Runtime(error.to_string()))?.spawn(async move {
        let outcome = stream_reply(client, call, &steps).await;
        steps.send(StreamStep::Done(outcome));
    });
    let streamed = receive(&arriving, on);
    task.abort();
    streamed
}

fn receive(
    arriving: &CancelReceiver<StreamStep>,
    on: &mut dyn FnMut(ReplyDelta),
) -> Result<StreamedReply, ProviderCallError> {
    let mut text = String::new();
    loop {
        // The connection has its own time limits.
        match arriving.receive(None) {
            Ok(StreamStep::Text(piece)) => {
                text.push_str(&piece);
                on(ReplyDelta::Text(piece));
            }
            Ok(StreamStep::Done(outcome)) => return outcome.map(|end| StreamedReply { text, end: *end }),
            Err(ReceiveError::Cancelled | ReceiveError::TimedOut) => return Err(ProviderCallError::Cancelled),
            // The task ended without a result, which only a panic inside it can cause.
            Err(ReceiveError::Disconnected) => return Err(ProviderCallError::IncompleteStream),
        }
    }
}

async fn stream_reply(
    client: Client,
    call: ProviderCall,
    steps: &CancelSender<StreamStep>,
) -> Result<Box<StreamEnd>, ProviderCallError> {
    let provider = |error| ProviderCallError::Provider(Box::new(error));
    let response = client.exec_chat_stream(call.model, call.chat, Some(&call.options)).await.map_err(provider)?;
    let mut events = response.stream;
    while let Some(event) = events.next().await {
        match event.map_err(provider)? {
            ChatStreamEvent::Chunk(chunk) => {
                steps.send(StreamStep::Text(chunk.content));
            }
            ChatStreamEvent::End(end) => return Ok(Box::new(end)),
            _ => {}
        }
    }
    Err(ProviderCallError::IncompleteStream)
}
