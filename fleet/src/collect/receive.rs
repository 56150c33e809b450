//! Receiving requests of machines, and batches.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use futures_util::StreamExt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::FleetError;
use crate::protocol::{CollectorRefusal, TapeBatch};
use crate::store::{IngestError, KnownMachine, StorePool};
use crate::token::MachineToken;

/// The most bytes of all bodies that are received at once; others wait.
const MOST_PENDING_KIB: usize = 128 << 10;

/// How long a body waits until others are done with.
const PENDING_PATIENCE: Duration = Duration::from_secs(10);

/// How long a machine may take to send a body.
const BODY_PATIENCE: Duration = Duration::from_secs(60);

/// How much of the body of a refused request is read, and for how long.
const MOST_DISCARDED_BYTES: usize = 8 << 20;
const DISCARD_PATIENCE: Duration = Duration::from_secs(15);

/// After how many seconds a machine may come again if there is too much to do.
const RETRY_SECONDS: &str = "2";

/// What receives the requests of machines.
pub(super) struct RequestReceiver {
    pub(super) pool: StorePool,
    most_body_bytes: usize,
    pending_kib: Semaphore,
    /// Tells the operator when the store fails, and when it answers again.
    report: Box<dyn Fn(&str) + Send + Sync>,
    is_failing: AtomicBool,
}

/// A refusal: its status and its reason.
pub(super) type RefusedRequest = (StatusCode, String);

/// A request, whose body is taken when it is read.
pub(super) struct MachineRequest {
    pub(super) headers: HeaderMap,
    body: Option<Body>,
}

/// A message, with the memory that is reserved for it.
pub(super) struct ReceivedMessage<'r, T> {
    pub(super) message: T,
    _permit: SemaphorePermit<'r>,
}

impl From<Request> for MachineRequest {
    fn from(request: Request) -> Self {
        let (parts, body) = request.into_parts();
        Self { headers: parts.headers, body: Some(body) }
    }
}

impl RequestReceiver {
    pub(super) fn new(pool: StorePool, most_body_bytes: usize, report: impl Fn(&str) + Send + Sync + 'static) -> Self {
        let pending_kib = Semaphore::new(MOST_PENDING_KIB.max(kib_of(most_body_bytes)));
        let report = Box::new(report);
        Self { pool, most_body_bytes, pending_kib, report, is_failing: AtomicBool::new(false) }
    }

    /// What failed in the store is for the operator, not for machines.
    pub(super) fn unavailable(&self, error: &FleetError) -> RefusedRequest {
        if !self.is_failing.swap(true, Ordering::Relaxed) {
            (self.report)(&error.message);
        }
        (StatusCode::SERVICE_UNAVAILABLE, String::from("the store does not answer"))
    }

    pub(super) fn note_success(&self) {
        if self.is_failing.swap(false, Ordering::Relaxed) {
            (self.report)("the store answers again");
        }
    }

    /// The machine that sends a request. A body is read only for one that is known.
    pub(super) async fn identify(&self, headers: &HeaderMap) -> Result<KnownMachine, RefusedRequest> {
        let unauthorised = || {
            let text = "the token is unknown or revoked; `pintle-fleet machine add` makes one";
            (StatusCode::UNAUTHORIZED, String::from(text))
        };
        let token = bearer_token(headers).ok_or_else(unauthorised)?;
        let machine = self.pool.find_machine(&token).await.map_err(|error| self.unavailable(&error))?;
        machine.ok_or_else(unauthorised)
    }

    /// Reads a message, when there is memory for it.
    pub(super) async fn read_message<T: DeserializeOwned>(
        &self,
        request: &mut MachineRequest,
        most_bytes: usize,
    ) -> Result<ReceivedMessage<'_, T>, RefusedRequest> {
        let length = request.headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
        let length: usize =
            length.ok_or_else(|| (StatusCode::LENGTH_REQUIRED, String::from("a request has a `content-length`")))?;
        if length > most_bytes {
            let text = format!("the request has {length} bytes; at most {most_bytes} are accepted");
            return Err((StatusCode::PAYLOAD_TOO_LARGE, text));
        }
        let kib = u32::try_from(kib_of(length)).unwrap_or(u32::MAX);
        let waited = tokio::time::timeout(PENDING_PATIENCE, self.pending_kib.acquire_many(kib)).await;
        let Ok(Ok(permit)) = waited else {
            return Err((StatusCode::SERVICE_UNAVAILABLE, String::from("too many requests wait to be stored")));
        };
        let body = request.body.take().unwrap_or_default();
        let Ok(Ok(body)) = tokio::time::timeout(BODY_PATIENCE, to_bytes(body, length)).await else {
            return Err((StatusCode::REQUEST_TIMEOUT, String::from("the request was not received whole")));
        };
        let message = serde_json::from_slice(&body)
            .map_err(|error| (StatusCode::BAD_REQUEST, format!("the body is not what this path takes: {error}")))?;
        Ok(ReceivedMessage { message, _permit: permit })
    }

    async fn store_batch(&self, request: &mut MachineRequest) -> Result<Response, RefusedRequest> {
        let machine = self.identify(&request.headers).await?;
        let batch = self.read_message::<TapeBatch>(request, self.most_body_bytes).await?;
        match self.pool.ingest(machine, &batch.message).await {
            Ok(end) => {
                self.note_success();
                Ok(respond(StatusCode::OK, &end))
            }
            Err(IngestError::OtherEnd(end)) => Ok(respond(StatusCode::CONFLICT, &end)),
            Err(IngestError::OtherMachine) => {
                Err((StatusCode::FORBIDDEN, String::from("this tape belongs to another machine")))
            }
            Err(IngestError::InvalidLines(reason)) => Err((StatusCode::UNPROCESSABLE_ENTITY, reason)),
            Err(IngestError::Unavailable(error)) => Err(self.unavailable(&error)),
        }
    }

    /// Answers a request, also one that is refused.
    pub(super) async fn answer(&self, request: MachineRequest, answer: Result<Response, RefusedRequest>) -> Response {
        let (status, error) = match answer {
            Ok(response) => return response,
            Err(refused) => refused,
        };
        if let Some(body) = request.body {
            let is_large = status == StatusCode::PAYLOAD_TOO_LARGE;
            let most_bytes = if is_large { self.most_body_bytes.saturating_mul(4) } else { MOST_DISCARDED_BYTES };
            let _ = tokio::time::timeout(DISCARD_PATIENCE, discard_body(body, most_bytes)).await;
        }
        let mut response = respond(status, &CollectorRefusal { error });
        let headers = response.headers_mut();
        // The rest of the request is not read.
        headers.insert(CONNECTION, axum::http::HeaderValue::from_static("close"));
        if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(RETRY_AFTER, axum::http::HeaderValue::from_static(RETRY_SECONDS));
        }
        response
    }
}

/// Answers `POST /v1/batches`.
pub(super) async fn receive_batch(State(receiver): State<Arc<RequestReceiver>>, request: Request) -> Response {
    let mut request = MachineRequest::from(request);
    let answer = receiver.store_batch(&mut request).await;
    receiver.answer(request, answer).await
}

/// Reads the rest of a body that is refused. A machine that still sends does not see the answer.
async fn discard_body(body: Body, most_bytes: usize) {
    let mut parts = body.into_data_stream();
    let mut left = most_bytes;
    while let Some(Ok(part)) = parts.next().await {
        match left.checked_sub(part.len()) {
            Some(rest) => left = rest,
            None => return,
        }
    }
}

/// Answers `GET /healthz`.
pub(super) async fn report_health(State(receiver): State<Arc<RequestReceiver>>) -> Response {
    match receiver.pool.check_health().await {
        Ok(()) => respond(StatusCode::OK, &serde_json::json!({"status": "ok"})),
        Err(_) => respond(StatusCode::SERVICE_UNAVAILABLE, &serde_json::json!({"status": "the store does not answer"})),
    }
}

fn bearer_token(headers: &HeaderMap) -> Option<MachineToken> {
    let text = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = text.split_once(' ')?;
    MachineToken::parse(token.trim()).filter(|_| scheme.eq_ignore_ascii_case("bearer"))
}

fn kib_of(bytes: usize) -> usize {
    bytes / 1_024 + 1
}

pub(super) fn respond(status: StatusCode, body: &impl Serialize) -> Response {
    // Answers are numbers and texts, which are always JSON.
    let body = serde_json::to_vec(body).unwrap_or_default();
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, axum::http::HeaderValue::from_static("application/json"));
    response
}
