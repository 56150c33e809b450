//! Asks of hooks, and those that wait for an answer.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::post;
use tokio::sync::Semaphore;

use super::notices::{AnswerNotices, wait_for_notice};
use super::receive::{MachineRequest, RefusedRequest, RequestReceiver, respond};
use crate::hook_protocol::{
    AskId, AskProgress, FleetAsk, HookedEvent, LONGEST_PATIENCE_MS, MOST_CALL_BYTES, OpenedAsk,
};
use crate::store::KnownMachine;

/// The most bytes of an ask: escapes make a call longer.
const MOST_ASK_BYTES: usize = 4 * MOST_CALL_BYTES;

/// How long a poll waits. A hook polls again then.
const POLL_PATIENCE: Duration = Duration::from_secs(10);

/// The most polls that wait at once.
const MOST_POLLS: usize = 512;

/// What receives asks.
#[derive(Clone)]
pub(super) struct AskReceiver {
    receiver: Arc<RequestReceiver>,
    notices: AnswerNotices,
    polls: Arc<Semaphore>,
}

impl AskReceiver {
    pub(super) fn new(receiver: Arc<RequestReceiver>, notices: AnswerNotices) -> Self {
        Self { receiver, notices, polls: Arc::new(Semaphore::new(MOST_POLLS)) }
    }

    async fn open(&self, request: &mut MachineRequest) -> Result<Response, RefusedRequest> {
        let machine = self.receiver.identify(&request.headers).await?;
        let ask = self.receiver.read_message::<FleetAsk>(request, MOST_ASK_BYTES).await?;
        let FleetAsk { call, patience_ms } = &ask.message;
        if call.len() > MOST_CALL_BYTES {
            let text = format!("the call has {} bytes; people are asked about {MOST_CALL_BYTES} at most", call.len());
            return Err((StatusCode::PAYLOAD_TOO_LARGE, text));
        }
        let invalid = |text: String| (StatusCode::UNPROCESSABLE_ENTITY, text);
        if !(1..=LONGEST_PATIENCE_MS).contains(patience_ms) {
            return Err(invalid(format!("a hook waits for 1 to {LONGEST_PATIENCE_MS} ms")));
        }
        let event = HookedEvent::parse(call.clone()).map_err(invalid)?;
        let opened = self.receiver.pool.open_ask(machine, &event, *patience_ms).await;
        match opened.map_err(|error| self.receiver.unavailable(&error))? {
            Some(id) => {
                self.receiver.note_success();
                Ok(respond(StatusCode::OK, &OpenedAsk { id: id.to_string() }))
            }
            None => Err((StatusCode::TOO_MANY_REQUESTS, String::from("too many asks of this machine are open"))),
        }
    }

    /// Waits until an ask is answered, for some time.
    async fn poll(&self, headers: &HeaderMap, id: &str) -> Result<Response, RefusedRequest> {
        let machine = self.receiver.identify(headers).await?;
        let Ok(_permit) = self.polls.try_acquire() else {
            return Err((StatusCode::SERVICE_UNAVAILABLE, String::from("too many hooks wait for answers")));
        };
        // What happens from here on is noted, or seen in the store.
        let mut notices = self.notices.subscribe();
        let deadline = tokio::time::Instant::now() + POLL_PATIENCE;
        loop {
            let (number, progress) = self.look_up(machine, id).await?;
            let is_over = progress != AskProgress::Open
                || tokio::time::timeout_at(deadline, wait_for_notice(&mut notices, number)).await.is_err();
            if is_over {
                return Ok(respond(StatusCode::OK, &progress));
            }
        }
    }

    async fn look_up(&self, machine: KnownMachine, id: &str) -> Result<(i64, AskProgress), RefusedRequest> {
        let unknown = || (StatusCode::NOT_FOUND, String::from("this machine has no such ask"));
        let id = AskId::parse(id).ok_or_else(unknown)?;
        let found = self.receiver.pool.poll_ask(machine, &id).await;
        let progress = found.map_err(|error| self.receiver.unavailable(&error))?.ok_or_else(unknown)?;
        Ok((id.number, progress))
    }

    async fn withdraw(&self, headers: &HeaderMap, id: &str) -> Result<Response, RefusedRequest> {
        let machine = self.receiver.identify(headers).await?;
        if let Some(id) = AskId::parse(id) {
            let withdrawn = self.receiver.pool.withdraw_ask(machine, &id).await;
            withdrawn.map_err(|error| self.receiver.unavailable(&error))?;
        }
        Ok(respond(StatusCode::OK, &AskProgress::Ended))
    }
}

/// What is answered below the path of asks.
pub(super) fn routes(asks: AskReceiver) -> Router {
    Router::new()
        .route("/", post(open_ask))
        .route("/{id}/poll", post(poll_ask))
        .route("/{id}/withdraw", post(withdraw_ask))
        .with_state(asks)
}

/// Answers `POST /v1/asks`.
async fn open_ask(State(asks): State<AskReceiver>, request: Request) -> Response {
    let mut request = MachineRequest::from(request);
    let answer = asks.open(&mut request).await;
    asks.receiver.answer(request, answer).await
}

/// Answers `POST /v1/asks/ID/poll`.
async fn poll_ask(State(asks): State<AskReceiver>, Path(id): Path<String>, request: Request) -> Response {
    let request = MachineRequest::from(request);
    let answer = asks.poll(&request.headers, &id).await;
    asks.receiver.answer(request, answer).await
}

/// Answers `POST /v1/asks/ID/withdraw`.
async fn withdraw_ask(State(asks): State<AskReceiver>, Path(id): Path<String>, request: Request) -> Response {
    let request = MachineRequest::from(request);
    let answer = asks.withdraw(&request.headers, &id).await;
    asks.receiver.answer(request, answer).await
}
