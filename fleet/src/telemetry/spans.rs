//! What becomes a span when it ends.

use std::mem;

use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use opentelemetry_proto::tonic::trace::v1::{Span, Status};
use pintle_tape::record::host::{ModelErrorRecord, ModelReplyRecord};
use pintle_tape::record::{RecordedVerdict, VerdictLabel};
use serde_json::{Value, json};

use super::attributes::{
    AGENT, CHAT, CONVERSATION, ERROR, EVENT, EXECUTE_TOOL, HOOK, INVOKE_AGENT, MODEL, OPERATION, PROVIDER, REASON,
    TOOL, TURN, VERDICT, content, list_of_one, number, span_id, text,
};
use super::metrics::{MetricKind, MetricMeasurement};
use super::translate::{SpanPlace, TracedTape};

/// Why something has no end on the tape.
pub(super) const UNFINISHED: &str = "unfinished";
/// The error of a turn that failed.
const FAILED: &str = "failed";
/// The error of what was denied.
pub(super) const DENIED: &str = "denied";

/// The part of a turn that one agent does.
#[derive(Debug)]
pub(super) struct TracedRun {
    pub(super) place: SpanPlace,
    /// The span that it belongs to; empty for the main agent.
    pub(super) parent: Vec<u8>,
    pub(super) agent: String,
    pub(super) turn: u32,
    pub(super) start_ns: u64,
    pub(super) last_ns: u64,
    pub(super) is_sent: bool,
    pub(super) prompt: String,
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
}

/// A tool call.
#[derive(Debug)]
pub(super) struct TracedTool {
    /// The number of the first record about it.
    pub(super) seq: u64,
    pub(super) place: SpanPlace,
    /// The span that it belongs to.
    pub(super) parent: Vec<u8>,
    pub(super) run: String,
    pub(super) agent: String,
    /// The ID of the call; empty if the agent gives none.
    pub(super) id: String,
    pub(super) name: String,
    pub(super) start_ns: u64,
    pub(super) last_ns: u64,
    /// Whether guards were asked about it.
    pub(super) is_begun: bool,
    /// Whether its result is known, or it was denied.
    pub(super) is_over: bool,
    pub(super) is_sent: bool,
    /// The kind of its error; empty if there is none.
    pub(super) error: &'static str,
    pub(super) arguments: Option<String>,
    pub(super) result: Option<String>,
}

/// A call of a model.
#[derive(Debug)]
pub(super) struct TracedModel {
    pub(super) place: SpanPlace,
    pub(super) parent: Vec<u8>,
    pub(super) run: String,
    pub(super) agent: String,
    pub(super) model: String,
    pub(super) start_ns: u64,
}

/// A call of a hook that returned.
pub(super) struct TracedHook<'a> {
    pub(super) call: u64,
    pub(super) hook: &'a str,
    pub(super) is_shadow: bool,
    pub(super) event: &'a str,
    pub(super) tool: Option<&'a str>,
    pub(super) start_ns: u64,
    pub(super) duration_us: u64,
    pub(super) verdict: &'a RecordedVerdict<'a>,
}

/// How something ended.
struct SpanEnd<'a> {
    start_ns: u64,
    end_ns: u64,
    /// The kind of the error; empty if there is none.
    error: &'a str,
    /// What is known of the error, if that may be sent.
    message: &'a str,
}

fn new_span(place: &SpanPlace, parent: &[u8], name: String, end: &SpanEnd<'_>, mut attributes: Vec<KeyValue>) -> Span {
    let status = (!end.error.is_empty()).then(|| {
        attributes.push(text(ERROR, end.error));
        Status { code: StatusCode::Error.into(), message: end.message.to_owned() }
    });
    Span {
        trace_id: place.trace.clone(),
        span_id: place.span.clone(),
        parent_span_id: parent.to_vec(),
        name,
        kind: SpanKind::Internal.into(),
        start_time_unix_nano: end.start_ns,
        end_time_unix_nano: end.end_ns.max(end.start_ns),
        attributes,
        status,
        ..Span::default()
    }
}

/// The attributes that tell operations from each other.
fn operation(name: &str, agent: &str, facts: &TracedTape) -> Vec<KeyValue> {
    vec![text(OPERATION, name), text(AGENT, agent), text(CONVERSATION, &facts.session)]
}

fn seconds(start_ns: u64, end_ns: u64) -> f64 {
    std::time::Duration::from_nanos(end_ns.saturating_sub(start_ns)).as_secs_f64()
}

/// Messages in the form of the conventions, as JSON.
fn message_json(role: &str, text: &str, finish_reason: Option<&str>) -> String {
    let mut message = json!({"role": role, "parts": [{"type": "text", "content": text}]});
    if let (Some(reason), Some(fields)) = (finish_reason, message.as_object_mut()) {
        fields.insert(String::from("finish_reason"), Value::from(reason));
    }
    Value::from(vec![message]).to_string()
}

impl TracedRun {
    /// The span, and how long it took. The failure is a text with content.
    pub(super) fn end(&mut self, failure: &str, facts: &TracedTape) -> (Span, MetricMeasurement) {
        let error = if failure.is_empty() { "" } else { FAILED };
        let message = if facts.with_content { failure } else { "" };
        self.is_sent = true;
        let mut attributes = operation(INVOKE_AGENT, &self.agent, facts);
        attributes.push(number(TURN, self.turn.into()));
        push_tokens(&mut attributes, self.input_tokens, self.output_tokens);
        let prompt = mem::take(&mut self.prompt);
        if facts.with_content && !prompt.is_empty() {
            attributes.push(content("gen_ai.input.messages", &message_json("user", &prompt, None)));
        }
        let took = seconds(self.start_ns, self.last_ns);
        let measured = [(OPERATION, INVOKE_AGENT), (AGENT, &self.agent), (ERROR, error)];
        let end = SpanEnd { start_ns: self.start_ns, end_ns: self.last_ns, error, message };
        let span = new_span(&self.place, &self.parent, format!("{INVOKE_AGENT} {}", self.agent), &end, attributes);
        (span, MetricMeasurement::new(MetricKind::AgentDuration, &measured, took))
    }
}

impl TracedTool {
    /// The span, and how long it took if it ran.
    pub(super) fn end(&mut self, facts: &TracedTape) -> (Span, Option<MetricMeasurement>) {
        self.is_sent = true;
        if !self.is_over {
            self.error = UNFINISHED;
        }
        let mut attributes = operation(EXECUTE_TOOL, &self.agent, facts);
        attributes.push(text(TOOL, &self.name));
        if !self.id.is_empty() {
            attributes.push(text("gen_ai.tool.call.id", &self.id));
        }
        for (part, value) in [("arguments", self.arguments.take()), ("result", self.result.take())] {
            let Some(value) = value else { continue };
            attributes.push(number(&format!("pintle.tool.call.{part}.size"), value.len() as u64));
            if facts.with_content {
                attributes.push(content(&format!("gen_ai.tool.call.{part}"), &value));
            }
        }
        let end = SpanEnd { start_ns: self.start_ns, end_ns: self.last_ns, error: self.error, message: "" };
        let span = new_span(&self.place, &self.parent, format!("{EXECUTE_TOOL} {}", self.name), &end, attributes);
        let measured = [(OPERATION, EXECUTE_TOOL), (TOOL, &self.name), (ERROR, self.error)];
        let took = seconds(self.start_ns, self.last_ns);
        let has_run = self.is_over && self.error != DENIED;
        (span, has_run.then(|| MetricMeasurement::new(MetricKind::ToolDuration, &measured, took)))
    }
}

impl TracedModel {
    /// The span of a call that got a reply, and what it took. `None` for a call without one.
    pub(super) fn end(
        self,
        reply: Option<&ModelReplyRecord<'_>>,
        last_ns: u64,
        facts: &TracedTape,
    ) -> (Span, Vec<MetricMeasurement>) {
        let mut attributes = operation(CHAT, &self.agent, facts);
        attributes.push(text(MODEL, &self.model));
        // A name is the provider's with the model's, or only the model's.
        let provider = self.model.split_once('/').map_or("", |(provider, _)| provider);
        if !provider.is_empty() {
            attributes.push(text(PROVIDER, provider));
        }
        let said = reply.and_then(|reply| reply.reply.as_deref());
        let tokens = |key: &str| said.and_then(|said| said.get("usage")?.get(key)?.as_u64()).unwrap_or_default();
        let (input, output) = (tokens("input_tokens"), tokens("output_tokens"));
        push_tokens(&mut attributes, input, output);
        let field = |key: &str| said.and_then(|said| said.get(key)?.as_str());
        if let Some(reason) = field("finish_reason") {
            attributes.push(list_of_one("gen_ai.response.finish_reasons", reason));
        }
        if let Some(words) = field("text").filter(|_| facts.with_content) {
            let finish_reason = field("finish_reason");
            attributes.push(content("gen_ai.output.messages", &message_json("assistant", words, finish_reason)));
        }
        let failed: Option<&ModelErrorRecord<'_>> = reply.and_then(|reply| reply.error.as_ref());
        let error = match (reply, failed) {
            (None, _) => UNFINISHED,
            (_, Some(failed)) => &failed.kind,
            _ => "",
        };
        let message = failed.filter(|_| facts.with_content).map_or("", |failed| &failed.message);
        let end_ns = reply.map_or(last_ns, |reply| self.start_ns + reply.duration_us.saturating_mul(1_000));
        let end = SpanEnd { start_ns: self.start_ns, end_ns, error, message };
        let name = format!("{CHAT} {}", self.model);
        let mut span = new_span(&self.place, &self.parent, name, &end, attributes);
        span.kind = SpanKind::Client.into();
        let about = [(OPERATION, CHAT), (MODEL, &*self.model), (PROVIDER, provider)];
        let took = [&about[..], &[(ERROR, error)]].concat();
        let mut measurements =
            vec![MetricMeasurement::new(MetricKind::ChatDuration, &took, seconds(self.start_ns, end_ns))];
        for (kind, count) in [("input", input), ("output", output)] {
            if count > 0 {
                let about = [&about[..], &[("gen_ai.token.type", kind)]].concat();
                #[expect(clippy::cast_precision_loss, reason = "a number of tokens is small")]
                measurements.push(MetricMeasurement::new(MetricKind::TokenUsage, &about, count as f64));
            }
        }
        (span, measurements)
    }
}

impl TracedHook<'_> {
    /// The span, and what is counted of the call.
    pub(super) fn end(&self, place: &SpanPlace, facts: &TracedTape) -> (Span, [MetricMeasurement; 2]) {
        let label = self.verdict.kind.as_str();
        let mut attributes = vec![text(HOOK, self.hook), text(EVENT, self.event), text(VERDICT, label)];
        attributes.extend(self.tool.map(|tool| text(TOOL, tool)));
        if self.is_shadow {
            attributes.push(text("pintle.hook.mode", "shadow"));
        }
        if let Some(reason) = self.verdict.reason.as_deref().filter(|reason| !reason.is_empty()) {
            attributes.push(text(REASON, reason));
        }
        let failure = self.verdict.failure.as_ref().filter(|_| self.verdict.kind == VerdictLabel::Failed);
        let error = failure.map(|failure| failure.kind.to_string()).unwrap_or_default();
        let message = failure.filter(|_| facts.with_content).map_or("", |failure| &failure.message);
        let took_ns = self.duration_us.saturating_mul(1_000);
        let end_ns = self.start_ns.saturating_add(took_ns);
        let own = SpanPlace { trace: place.trace.clone(), span: span_id(&facts.tape, "hook", self.call) };
        let end = SpanEnd { start_ns: self.start_ns, end_ns, error: &error, message };
        let span = new_span(&own, &place.span, format!("hook {}", self.hook), &end, attributes);
        let about = [(HOOK, self.hook), (EVENT, self.event)];
        let counted = [&about[..], &[(VERDICT, label)]].concat();
        let counted = MetricMeasurement::new(MetricKind::HookCalls, &counted, 1.0);
        (span, [counted, MetricMeasurement::new(MetricKind::HookDuration, &about, seconds(0, took_ns))])
    }
}

fn push_tokens(attributes: &mut Vec<KeyValue>, input: u64, output: u64) {
    for (key, count) in [("gen_ai.usage.input_tokens", input), ("gen_ai.usage.output_tokens", output)] {
        if count > 0 {
            attributes.push(number(key, count));
        }
    }
}
