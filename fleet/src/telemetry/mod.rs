//! Sending what happened on a machine to an OTLP endpoint, as spans, metrics and logs.

mod attributes;
mod client;
mod decision_log;
mod headers;
mod metrics;
mod spans;
mod translate;

use std::collections::BTreeMap;

use opentelemetry_proto::tonic::logs::v1::LogRecord;
use opentelemetry_proto::tonic::resource::v1::Resource;
use pintle_contract::{TelemetrySettings, to_hex};
use pintle_tape::decisions::DecisionCollector;

use crate::FleetError;
use crate::follow::{
    ConsumedEnd, FollowOptions, LocatedTape, OpenedTape, ReceiverTexts, ShipReport, ShippedEnd, ShipperTimer,
    TapeConsumer, TapeFollower, WholeLine, WholeLines,
};
use crate::protocol::{StoredEnd, hex_digest};
use attributes::text;
use client::{OtlpAnswer, OtlpClient, OtlpItem};
use decision_log::to_log_record;
use metrics::{MetricKind, MetricMeasurement, MetricTotals};
use translate::{TapeTranslator, TracedTape, TranslatedItems};

pub use headers::{OTLP_HEADERS_VARIABLE, OtlpHeaders};

/// After how many lines, items and bytes of lines what they mean is sent.
const MOST_LINES: u64 = 10_000;
const MOST_ITEMS: usize = 4_000;
const MOST_LINE_BYTES: usize = 8 << 20;

/// The most bytes of the items of a request, unless there is only one.
const MOST_REQUEST_BYTES: usize = 1 << 20;

/// What telemetry may be told.
#[derive(Debug, Clone)]
pub struct TelemetryOptions {
    /// Where it is sent, and what.
    pub settings: TelemetrySettings,
    /// What identifies the machine to the endpoint.
    pub headers: OtlpHeaders,
    /// The name of the machine, if it is known.
    pub host_name: Option<String>,
    /// How the tapes are followed.
    pub follow: FollowOptions,
}

/// What was sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TelemetryCounts {
    /// The number of spans that the endpoint accepted.
    pub span_count: u64,
    /// The number of log records that it accepted.
    pub log_count: u64,
    /// The number of items that it refused.
    pub dropped_count: u64,
}

/// Sends telemetry of the tapes of a machine.
pub struct TelemetryExporter<T> {
    client: OtlpClient,
    follower: TapeFollower<T, MetricTotals>,
    host_name: Option<String>,
    with_content: bool,
    is_metric_due: bool,
    counts: TelemetryCounts,
}

/// The lines of a tape that are translated and not sent yet.
#[derive(Default)]
struct TelemetryChunk {
    line_count: u64,
    line_bytes: usize,
    /// The number of the line after them, and the last of them.
    next: u64,
    last: Vec<u8>,
}

impl<T: ShipperTimer> TelemetryExporter<T> {
    /// An exporter with the offsets of earlier ones. `report` is called with texts for the user.
    ///
    /// # Errors
    /// When the address is invalid, or the offsets cannot be read.
    pub fn new(options: TelemetryOptions, timer: T, report: impl Fn(&str) + 'static) -> Result<Self, FleetError> {
        let TelemetryOptions { settings, headers, host_name, follow } = options;
        let client = OtlpClient::new(&settings.otlp, headers)?;
        let texts = ReceiverTexts {
            failing: format!("the OTLP endpoint at {} does not accept telemetry", settings.otlp),
            help: "check that a collector listens there; nothing is lost, the next `pintle-fleet telemetry` continues",
            recovered: "the OTLP endpoint answers again",
            sent: "sent",
        };
        // The collector of `ship` may have the same address.
        let receiver = format!("otlp {}", settings.otlp);
        let mut follower: TapeFollower<T, MetricTotals> = TapeFollower::new(follow, &receiver, texts, timer, report)?;
        if follower.offsets.borrow_kept().instance.is_empty() {
            let (number, now_ms) = (follower.timer.random(), follower.timer.unix_ms());
            let totals = follower.offsets.change_kept();
            totals.instance = to_hex(&number.to_be_bytes());
            totals.started_ms = now_ms;
        }
        let with_content = settings.content;
        let counts = TelemetryCounts::default();
        Ok(Self { client, follower, host_name, with_content, is_metric_due: true, counts })
    }

    /// Sends what the tapes have now.
    ///
    /// # Errors
    /// When the headers are refused, the endpoint fails too often, or the offsets cannot be written.
    pub async fn send_all(&mut self) -> Result<ShipReport, FleetError> {
        self.consume_all().await
    }

    /// Sends what the tapes have and get, until it is dropped.
    ///
    /// # Errors
    /// As [`TelemetryExporter::send_all`].
    pub async fn follow(&mut self) -> Result<(), FleetError> {
        self.follow_tapes().await
    }

    /// What was sent so far.
    #[must_use]
    pub fn counts(&self) -> TelemetryCounts {
        self.counts
    }

    /// Sends what the lines of a chunk mean, and notes how far the tape is sent.
    async fn send_chunk(
        &mut self,
        tape: &LocatedTape,
        facts: &TracedTape,
        chunk: TelemetryChunk,
        items: TranslatedItems,
        collector: &DecisionCollector,
        report: &mut ShipReport,
    ) -> Result<StoredEnd, FleetError> {
        let resource = self.resource(&facts.pintle);
        let TranslatedItems { spans, decisions, mut measurements } = items;
        let mut logs: Vec<LogRecord> = Vec::new();
        if !decisions.is_empty() {
            let listed: BTreeMap<u64, _> =
                collector.clone().finish().into_iter().map(|decision| (decision.seq, decision)).collect();
            let settled = decisions.iter().filter_map(|(seq, place)| Some((listed.get(seq)?, place)));
            logs.extend(settled.map(|(decision, place)| to_log_record(decision, place, facts)));
        }
        let (span_count, log_count) = (spans.len() as u64, logs.len() as u64);
        let refused_spans = self.send_items(&resource, spans).await?;
        let refused_logs = self.send_items(&resource, logs).await?;
        self.counts.span_count += span_count.saturating_sub(refused_spans);
        self.counts.log_count += log_count.saturating_sub(refused_logs);
        measurements.extend(dropped("refused", refused_spans.saturating_add(refused_logs)));
        let end = StoredEnd { next: chunk.next, digest: Some(hex_digest(&chunk.last)) };
        self.count(measurements);
        self.follower.offsets.set(&tape.path, ShippedEnd::new(&facts.tape, end.clone()));
        self.follower.save_sometimes()?;
        report.line_count += chunk.line_count;
        Ok(end)
    }

    /// Sends items until the endpoint has answered for each. Returns how many it refused.
    async fn send_items<I: OtlpItem>(&mut self, resource: &Resource, items: Vec<I>) -> Result<u64, FleetError> {
        let mut waiting = split_by_size(items);
        let mut refused_count = 0;
        while let Some(mut batch) = waiting.pop() {
            match self.client.post(resource, &batch).await {
                OtlpAnswer::Accepted { refused_count: count, reason } => {
                    self.follower.note_answer();
                    if count > 0 {
                        self.follower
                            .tell(&format!("the OTLP endpoint refused {count} of {} items: {reason}", batch.len()));
                        refused_count += count;
                    }
                }
                OtlpAnswer::Refused(reason) if batch.len() < 2 => {
                    self.follower.note_answer();
                    self.follower
                        .tell(&format!("the OTLP endpoint refused an item, which is not sent again: {reason}"));
                    refused_count += 1;
                }
                OtlpAnswer::Refused(_) => {
                    let rest = batch.split_off(batch.len() / 2);
                    waiting.extend([rest, batch]);
                }
                OtlpAnswer::Unauthorised(status) => {
                    return Err(FleetError::failure(format!("the OTLP endpoint refuses this machine: {status}"))
                        .help("write what identifies it into a file, and name that with `telemetry: {headers_file}`"));
                }
                OtlpAnswer::Failed { reason, retry_after } => {
                    waiting.push(batch);
                    self.follower.wait_after_failure(&reason, retry_after).await?;
                }
            }
        }
        self.counts.dropped_count += refused_count;
        Ok(refused_count)
    }

    fn count(&mut self, measurements: Vec<MetricMeasurement>) {
        if !measurements.is_empty() {
            self.is_metric_due = true;
            let totals = self.follower.offsets.change_kept();
            measurements.into_iter().for_each(|measurement| totals.add(measurement));
        }
    }

    /// What all that is sent is about.
    fn resource(&self, pintle: &str) -> Resource {
        let mut attributes = vec![
            text("service.name", "pintle"),
            text("service.version", pintle),
            text("service.instance.id", &self.follower.offsets.borrow_kept().instance),
        ];
        attributes.extend(self.host_name.as_deref().map(|name| text("host.name", name)));
        Resource { attributes, ..Resource::default() }
    }
}

impl<T: ShipperTimer> TapeConsumer for TelemetryExporter<T> {
    type Timer = T;
    type Kept = MetricTotals;

    fn follower(&mut self) -> &mut TapeFollower<T, MetricTotals> {
        &mut self.follower
    }

    /// Reads a tape from its start, because what its records mean depends on all before them.
    async fn consume_tape(&mut self, tape: &LocatedTape, report: &mut ShipReport) -> Result<ConsumedEnd, FleetError> {
        let mut lines: WholeLines = match OpenedTape::open(&tape.path, self.follower.sent_lines(&tape.path), "sent") {
            OpenedTape::Lines(lines) => *lines,
            OpenedTape::NothingYet => return Ok(ConsumedEnd::NothingYet),
            OpenedTape::Unusable(problem) => return Ok(ConsumedEnd::Unusable(problem)),
        };
        self.follower.report_replaced(&tape.path, &lines.digest);
        let known = self.follower.offsets.find(&tape.path).and_then(|end| end.stored_end(&lines.digest));
        let mut end = known.unwrap_or(StoredEnd { next: 0, digest: None });
        lines.set_sent(end.clone());
        let facts = TracedTape {
            tape: lines.digest.clone(),
            host: tape.host.clone(),
            session: lines.header.session.clone(),
            project: tape.find_project(),
            pintle: lines.header.pintle.clone(),
            with_content: self.with_content,
        };
        let mut translator = TapeTranslator::new(facts.clone());
        let mut collector = DecisionCollector::default();
        let mut chunk = TelemetryChunk::default();
        let problem = loop {
            let WholeLine { seq, line, is_sent } = match lines.next_line() {
                Ok(Some(line)) => line,
                Ok(None) => break None,
                Err(problem) => break Some(problem),
            };
            collector.add(&line.record);
            translator.add(&line.record, !is_sent);
            if is_sent {
                continue;
            }
            chunk.line_count += 1;
            chunk.line_bytes += line.text.len();
            (chunk.next, chunk.last) = (seq + 1, line.text);
            let is_full = chunk.line_count >= MOST_LINES || chunk.line_bytes >= MOST_LINE_BYTES;
            if is_full || translator.item_count() >= MOST_ITEMS {
                let (full, items) = (std::mem::take(&mut chunk), translator.take_items());
                end = self.send_chunk(tape, &facts, full, items, &collector, report).await?;
            }
        };
        if chunk.line_count > 0 {
            end = self.send_chunk(tape, &facts, chunk, translator.take_items(), &collector, report).await?;
        }
        Ok(match problem {
            Some(problem) => ConsumedEnd::Unusable(problem),
            None => ConsumedEnd::Sent(ShippedEnd::new(&facts.tape, end)),
        })
    }

    async fn finish_pass(&mut self, report: &ShipReport) -> Result<(), FleetError> {
        self.count(dropped("deleted", report.lost_count).into_iter().collect());
        if self.is_metric_due {
            // What was counted must not be counted again, so it is on the disk before it is sent.
            self.follower.offsets.save()?;
            let metrics = self.follower.offsets.borrow_kept().to_metrics(self.follower.timer.unix_ms());
            self.send_items(&self.resource(env!("CARGO_PKG_VERSION")), metrics).await?;
            self.is_metric_due = false;
        }
        Ok(())
    }
}

/// What could not be sent, as a measurement.
fn dropped(reason: &str, count: u64) -> Option<MetricMeasurement> {
    #[expect(clippy::cast_precision_loss, reason = "that many items are not dropped at once")]
    let value = count as f64;
    (count > 0).then(|| MetricMeasurement::new(MetricKind::Dropped, &[("reason", reason)], value))
}

/// Items in batches of a size, the first of which is the last.
fn split_by_size<I: OtlpItem>(items: Vec<I>) -> Vec<Vec<I>> {
    let mut batches: Vec<Vec<I>> = Vec::new();
    let mut bytes = 0;
    for item in items {
        let item_bytes = item.encoded_len();
        match batches.last_mut() {
            Some(batch) if bytes + item_bytes <= MOST_REQUEST_BYTES => batch.push(item),
            _ => {
                batches.push(vec![item]);
                bytes = 0;
            }
        }
        bytes += item_bytes;
    }
    batches.reverse();
    batches
}
