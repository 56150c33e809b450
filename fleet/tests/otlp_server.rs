//! An OTLP endpoint that decodes what it receives with the protocol's own messages.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::thread;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTracePartialSuccess, ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::{Metric, number_data_point};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;

/// How the endpoint answers.
#[derive(Clone)]
pub(crate) enum OtlpMode {
    Accept,
    /// It accepts a number of requests, and then answers with 503.
    FailAfter(usize),
    /// It answers with a status, a type and a body.
    Page(u16, &'static str, &'static [u8]),
    /// It refuses requests of more bytes.
    AtMost(usize),
    /// It refuses requests with this text, as OTLP says.
    RefuseText(&'static str),
    /// It accepts requests, but for this number of spans.
    Partial(i64),
}

/// What was received.
#[derive(Default)]
pub(crate) struct OtlpReceived {
    pub(crate) spans: Vec<Span>,
    pub(crate) logs: Vec<LogRecord>,
    /// The metrics of the last request.
    pub(crate) metrics: Vec<Metric>,
    pub(crate) resource: BTreeMap<String, String>,
    pub(crate) headers: Vec<HeaderMap>,
    /// All bodies, one after the other.
    pub(crate) bytes: Vec<u8>,
}

struct OtlpState {
    mode: OtlpMode,
    received: OtlpReceived,
}

pub(crate) struct OtlpServer {
    pub(crate) url: String,
    state: Arc<Mutex<OtlpState>>,
}

impl OtlpServer {
    pub(crate) fn start() -> Self {
        let state = Arc::new(Mutex::new(OtlpState { mode: OtlpMode::Accept, received: OtlpReceived::default() }));
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                listener.set_nonblocking(true).unwrap();
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                let paths = ["/v1/traces", "/v1/logs", "/v1/metrics"];
                let router = paths.into_iter().fold(Router::new(), |router, path| router.route(path, post(receive)));
                axum::serve(listener, router.with_state(shared)).await.unwrap();
            });
        });
        Self { url, state }
    }

    pub(crate) fn set_mode(&self, mode: OtlpMode) {
        self.state.lock().unwrap().mode = mode;
    }

    /// What was received since the last time.
    pub(crate) fn take(&self) -> OtlpReceived {
        std::mem::take(&mut self.state.lock().unwrap().received)
    }
}

async fn receive(State(state): State<Arc<Mutex<OtlpState>>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let mut state = state.lock().unwrap();
    let ok = |body: Vec<u8>| (StatusCode::OK, [("content-type", "application/x-protobuf")], body).into_response();
    let mut answer = ok(Vec::new());
    match &mut state.mode {
        OtlpMode::Accept => {}
        OtlpMode::FailAfter(0) => return (StatusCode::SERVICE_UNAVAILABLE, [("retry-after", "0")]).into_response(),
        OtlpMode::FailAfter(left) => *left -= 1,
        OtlpMode::Page(status, kind, page) => {
            return (StatusCode::from_u16(*status).unwrap(), [("content-type", *kind)], page.to_vec()).into_response();
        }
        OtlpMode::AtMost(most) if body.len() > *most => return StatusCode::PAYLOAD_TOO_LARGE.into_response(),
        OtlpMode::AtMost(_) => {}
        OtlpMode::RefuseText(text) => {
            if body.windows(text.len()).any(|part| part == text.as_bytes()) {
                // `google.rpc.Status` with the message `no`.
                let status = b"\x12\x02no".to_vec();
                return (StatusCode::BAD_REQUEST, [("content-type", "application/x-protobuf")], status).into_response();
            }
        }
        OtlpMode::Partial(count) if uri.path() == "/v1/traces" => {
            let partial = ExportTracePartialSuccess { rejected_spans: *count, error_message: String::from("too old") };
            answer = ok(ExportTraceServiceResponse { partial_success: Some(partial) }.encode_to_vec());
        }
        OtlpMode::Partial(_) => {}
    }
    assert_eq!(headers["content-type"], "application/x-protobuf");
    let received = &mut state.received;
    match uri.path() {
        "/v1/traces" => {
            for group in ExportTraceServiceRequest::decode(&*body).unwrap().resource_spans {
                received.resource = texts(&group.resource.unwrap().attributes);
                received.spans.extend(group.scope_spans.into_iter().flat_map(|scope| scope.spans));
            }
        }
        "/v1/logs" => {
            for group in ExportLogsServiceRequest::decode(&*body).unwrap().resource_logs {
                received.logs.extend(group.scope_logs.into_iter().flat_map(|scope| scope.log_records));
            }
        }
        _ => {
            let request = ExportMetricsServiceRequest::decode(&*body).unwrap();
            let scopes = request.resource_metrics.into_iter().flat_map(|group| group.scope_metrics);
            received.metrics = scopes.flat_map(|scope| scope.metrics).collect();
        }
    }
    received.headers.push(headers);
    received.bytes.extend_from_slice(&body);
    answer
}

/// Attributes as texts.
pub(crate) fn texts(attributes: &[KeyValue]) -> BTreeMap<String, String> {
    attributes.iter().map(|one| (one.key.clone(), value_text(one.value.as_ref()))).collect()
}

pub(crate) fn value_text(value: Option<&AnyValue>) -> String {
    match value.and_then(|value| value.value.clone()) {
        Some(Value::StringValue(text)) => text,
        Some(Value::IntValue(number)) => number.to_string(),
        Some(Value::BoolValue(flag)) => flag.to_string(),
        Some(Value::ArrayValue(list)) => {
            let values: Vec<String> = list.values.iter().map(|value| value_text(Some(value))).collect();
            values.join(",")
        }
        other => format!("{other:?}"),
    }
}

impl OtlpReceived {
    /// The spans by their numbers. Those that were received twice must be the same.
    pub(crate) fn spans_by_id(&self) -> BTreeMap<Vec<u8>, Span> {
        let mut spans: BTreeMap<Vec<u8>, Span> = BTreeMap::new();
        for span in &self.spans {
            if let Some(known) = spans.insert(span.span_id.clone(), span.clone()) {
                assert_eq!(known, *span, "a span is sent again as it was");
            }
        }
        spans
    }

    /// The log records by what identifies them, in the same way.
    pub(crate) fn logs_by_id(&self) -> BTreeMap<String, LogRecord> {
        let mut logs: BTreeMap<String, LogRecord> = BTreeMap::new();
        for log in &self.logs {
            if let Some(known) = logs.insert(texts(&log.attributes)["log.record.uid"].clone(), log.clone()) {
                assert_eq!(known, *log, "a log record is sent again as it was");
            }
        }
        logs
    }

    /// The spans as a tree: each with its parents before it, such as `invoke_agent root > chat m`, sorted.
    pub(crate) fn tree(&self) -> Vec<String> {
        let spans = self.spans_by_id();
        let mut paths: Vec<String> = spans
            .values()
            .map(|span| {
                let (mut path, mut at) = (span.name.clone(), span);
                while !at.parent_span_id.is_empty() {
                    let parent = &spans[&at.parent_span_id];
                    assert_eq!(parent.trace_id, span.trace_id);
                    assert!(parent.start_time_unix_nano <= at.start_time_unix_nano, "{path} begins in {}", parent.name);
                    assert!(at.end_time_unix_nano <= parent.end_time_unix_nano, "{path} ends in {}", parent.name);
                    path = format!("{} > {path}", parent.name);
                    at = parent;
                }
                path
            })
            .collect();
        paths.sort();
        paths
    }

    /// The points of a metric by their attributes, each with its count.
    pub(crate) fn counts(&self, name: &str) -> BTreeMap<String, u64> {
        let metric = self.metrics.iter().find(|metric| metric.name == name);
        let join = |attributes: &[KeyValue]| texts(attributes).into_values().collect::<Vec<_>>().join(" ");
        match metric.and_then(|metric| metric.data.clone()) {
            Some(Data::Sum(sum)) => {
                assert!(sum.is_monotonic && sum.aggregation_temporality == 2);
                let value = |value| match value {
                    Some(number_data_point::Value::AsInt(count)) => u64::try_from(count).unwrap(),
                    other => panic!("{other:?}"),
                };
                sum.data_points.iter().map(|point| (join(&point.attributes), value(point.value))).collect()
            }
            Some(Data::Histogram(histogram)) => {
                assert_eq!(histogram.aggregation_temporality, 2);
                histogram
                    .data_points
                    .iter()
                    .map(|point| {
                        assert_eq!(point.count, point.bucket_counts.iter().sum::<u64>());
                        assert_eq!(point.bucket_counts.len(), point.explicit_bounds.len() + 1);
                        (join(&point.attributes), point.count)
                    })
                    .collect()
            }
            _ => BTreeMap::new(),
        }
    }
}
