//! The model calls on a tape, for models that track their position.

use std::collections::HashMap;

use pintle_host::event::CompletionPre;
use pintle_host::tape::TapeReader;
use pintle_host::tape::record::host;
use serde_json::Value;

use crate::completion::wire;
use crate::model::{Model, ModelRequest};

/// The answered calls, in order.
#[derive(Debug, Default)]
pub(super) struct RecordedModelCalls {
    pending: HashMap<u64, RecordedModelCall>,
    completed: Vec<(u64, RecordedModelCall)>,
    /// The tape that has the payloads.
    tape: Option<TapeReader<'static>>,
}

#[derive(Debug)]
struct RecordedModelCall {
    agent: String,
    conversation: String,
    model: String,
    payload: RecordedPayload,
}

/// The payload of a request.
#[derive(Debug, Clone)]
pub(super) enum RecordedPayload {
    Value(Value),
    /// The line of the tape that has it.
    Line(Vec<u8>),
}

impl RecordedModelCalls {
    /// Sets the reader of the tape, for payloads that are on it.
    pub(super) fn set_tape(&mut self, tape: Option<TapeReader<'static>>) {
        self.tape = tape;
    }

    /// Records a request; `payload` is what was sent.
    pub(super) fn record_request(&mut self, request: &host::ModelRequestRecord<'_>, payload: RecordedPayload) {
        let asked = RecordedModelCall {
            agent: request.origin.agent.clone(),
            conversation: request.conversation.clone().into_owned(),
            model: request.model.clone().into_owned(),
            payload,
        };
        self.pending.insert(request.request, asked);
    }

    /// Records its reply. An interrupted call is made again.
    pub(super) fn record_reply(&mut self, reply: &host::ModelReplyRecord<'_>) {
        let is_cancelled = reply.error.as_ref().is_some_and(|error| error.kind == "cancelled");
        let asked = self.pending.remove(&reply.request).filter(|_| !is_cancelled);
        self.completed.extend(asked.map(|asked| (reply.request, asked)));
    }

    /// Drops a reply that was never added to the conversation, so that it is requested again.
    pub(super) fn forget_reply(&mut self, request: u64) {
        self.completed.retain(|(answered, _)| *answered != request);
    }

    /// Passes a model its own calls: those of the first model on the tape, whatever its name is now.
    pub(super) fn resume_model(self, model: &dyn Model) {
        let calls: Vec<RecordedModelCall> = self.completed.into_iter().map(|(_, asked)| asked).collect();
        let Some(name) = calls.first().map(|first| first.model.clone()) else { return };
        let tape = self.tape;
        let own = calls.into_iter().filter(|asked| asked.model == name);
        let mut own = own.filter_map(|asked| asked.into_request(tape.as_ref()));
        model.resume_from(&mut own);
    }
}

impl RecordedModelCall {
    fn into_request(self, tape: Option<&TapeReader<'_>>) -> Option<ModelRequest> {
        let payload = match self.payload {
            RecordedPayload::Value(payload) => payload,
            RecordedPayload::Line(line) => tape?.read_payload(&line)?,
        };
        let payload: CompletionPre = serde_json::from_value(payload).ok()?;
        let asked = ModelRequest { agent: self.agent, conversation: self.conversation, ..ModelRequest::default() };
        wire::request_from_payload(payload, &asked, &self.model).ok()
    }
}
