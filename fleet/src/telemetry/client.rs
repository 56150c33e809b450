//! Asking an OTLP endpoint.

use std::time::Duration;

use opentelemetry_proto::tonic::collector::logs::v1::{ExportLogsServiceRequest, ExportLogsServiceResponse};
use opentelemetry_proto::tonic::collector::metrics::v1::{ExportMetricsServiceRequest, ExportMetricsServiceResponse};
use opentelemetry_proto::tonic::collector::trace::v1::{ExportTraceServiceRequest, ExportTraceServiceResponse};
use opentelemetry_proto::tonic::common::v1::InstrumentationScope;
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use opentelemetry_proto::tonic::metrics::v1::{Metric, ResourceMetrics, ScopeMetrics};
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span};
use prost::Message;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Client, StatusCode, Url};

use super::headers::OtlpHeaders;
use crate::FleetError;
use crate::http::{HttpAnswer, address_below, new_client, parse_address, send, shown_reason};

/// How long an endpoint may take for a request.
const REQUEST_PATIENCE: Duration = Duration::from_secs(30);

/// The type of requests and answers.
const PROTOBUF: &str = "application/x-protobuf";

/// An endpoint, as a machine sees it.
pub(super) struct OtlpClient {
    client: Client,
    base: Url,
    headers: HeaderMap,
}

/// What happened to a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum OtlpAnswer {
    /// It is accepted, but for some items.
    Accepted { refused_count: u64, reason: String },
    /// It is refused, however often it is sent. A part of it may be accepted.
    Refused(String),
    /// The headers are refused.
    Unauthorised(StatusCode),
    /// It can be sent again, after a time that the endpoint asks for.
    Failed { reason: String, retry_after: Duration },
}

/// What is sent in one kind of request.
pub(super) trait OtlpItem: Message + Clone + Default {
    /// The path below the address of the endpoint.
    const PATH: &'static str;

    /// The request with some items of a resource.
    fn encode_request(resource: &Resource, items: &[Self]) -> Vec<u8>;

    /// How many items an answer refuses, and why.
    fn decode_answer(body: &[u8]) -> Option<(i64, String)>;
}

fn scope() -> Option<InstrumentationScope> {
    let (name, version) = (env!("CARGO_PKG_NAME").to_owned(), env!("CARGO_PKG_VERSION").to_owned());
    Some(InstrumentationScope { name, version, ..InstrumentationScope::default() })
}

impl OtlpItem for Span {
    const PATH: &'static str = "/v1/traces";

    fn encode_request(resource: &Resource, items: &[Self]) -> Vec<u8> {
        let scope_spans = vec![ScopeSpans { scope: scope(), spans: items.to_vec(), ..ScopeSpans::default() }];
        let spans = ResourceSpans { resource: Some(resource.clone()), scope_spans, ..ResourceSpans::default() };
        ExportTraceServiceRequest { resource_spans: vec![spans] }.encode_to_vec()
    }

    fn decode_answer(body: &[u8]) -> Option<(i64, String)> {
        let refused = ExportTraceServiceResponse::decode(body).ok()?.partial_success.unwrap_or_default();
        Some((refused.rejected_spans, refused.error_message))
    }
}

impl OtlpItem for LogRecord {
    const PATH: &'static str = "/v1/logs";

    fn encode_request(resource: &Resource, items: &[Self]) -> Vec<u8> {
        let scope_logs = vec![ScopeLogs { scope: scope(), log_records: items.to_vec(), ..ScopeLogs::default() }];
        let logs = ResourceLogs { resource: Some(resource.clone()), scope_logs, ..ResourceLogs::default() };
        ExportLogsServiceRequest { resource_logs: vec![logs] }.encode_to_vec()
    }

    fn decode_answer(body: &[u8]) -> Option<(i64, String)> {
        let refused = ExportLogsServiceResponse::decode(body).ok()?.partial_success.unwrap_or_default();
        Some((refused.rejected_log_records, refused.error_message))
    }
}

impl OtlpItem for Metric {
    const PATH: &'static str = "/v1/metrics";

    fn encode_request(resource: &Resource, items: &[Self]) -> Vec<u8> {
        let scope_metrics = vec![ScopeMetrics { scope: scope(), metrics: items.to_vec(), ..ScopeMetrics::default() }];
        let metrics = ResourceMetrics { resource: Some(resource.clone()), scope_metrics, ..ResourceMetrics::default() };
        ExportMetricsServiceRequest { resource_metrics: vec![metrics] }.encode_to_vec()
    }

    fn decode_answer(body: &[u8]) -> Option<(i64, String)> {
        let refused = ExportMetricsServiceResponse::decode(body).ok()?.partial_success.unwrap_or_default();
        Some((refused.rejected_data_points, refused.error_message))
    }
}

impl OtlpClient {
    pub(super) fn new(address: &str, headers: OtlpHeaders) -> Result<Self, FleetError> {
        let secret = "what identifies you belongs in `headers_file`";
        let base = parse_address(address, "OTLP endpoint", "telemetry", secret)?;
        Ok(Self { client: new_client(REQUEST_PATIENCE)?, base, headers: headers.into_map() })
    }

    /// Sends some items. Only an answer of an endpoint means that they are accepted, not a page of something between.
    pub(super) async fn post<I: OtlpItem>(&self, resource: &Resource, items: &[I]) -> OtlpAnswer {
        let request = self.client.post(address_below(&self.base, I::PATH)).headers(self.headers.clone());
        let request = request.header(CONTENT_TYPE, PROTOBUF).body(I::encode_request(resource, items));
        let failed = |reason, retry_after| OtlpAnswer::Failed { reason, retry_after };
        let HttpAnswer { status, content_type, body, retry_after } = match send(request).await {
            Ok(answer) => answer,
            Err(reason) => return failed(reason, Duration::ZERO),
        };
        let is_own = content_type.starts_with(PROTOBUF);
        match status {
            status if status.is_success() => match I::decode_answer(&body).filter(|_| is_own || body.is_empty()) {
                Some((refused, reason)) => OtlpAnswer::Accepted {
                    refused_count: refused.try_into().unwrap_or_default(),
                    reason: shown_reason(&reason),
                },
                None => failed(format!("{status}, with an answer that is not one of an OTLP endpoint"), retry_after),
            },
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => OtlpAnswer::Unauthorised(status),
            StatusCode::PAYLOAD_TOO_LARGE => OtlpAnswer::Refused(String::from("it is too large")),
            StatusCode::BAD_REQUEST if is_own => {
                let reason = RpcStatus::decode(&*body).map(|status| status.message).unwrap_or_default();
                OtlpAnswer::Refused(format!("{status}: {}", shown_reason(&reason)))
            }
            status => failed(status.to_string(), retry_after),
        }
    }
}

/// What an endpoint says of an error: `google.rpc.Status`.
#[derive(Clone, PartialEq, Message)]
struct RpcStatus {
    #[prost(string, tag = "2")]
    message: String,
}
