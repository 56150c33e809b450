//! Reading a tape and sending what is not stored of it.

use std::collections::BTreeMap;

use pintle_contract::Layer;
use pintle_tape::decisions::{DecisionCollector, RecordedDecision};
use pintle_tape::hook_usage::digest_layer;
use pintle_tape::record::HookScope;
use pintle_tape::{HeaderRecord, RecordBody};

use super::batch_answer::BatchAnswer;
use super::{LocatedTape, ShipReport, ShipperTimer, TapeShipper};
use crate::FleetError;
use crate::follow::{ShippedEnd, WholeLine, WholeLines};
use crate::protocol::{MOST_LINES, StoredEnd, TapeBatch, hex_digest};

/// How much is sent at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct BatchLimits {
    /// The most lines.
    pub(super) line_count: usize,
    /// The bytes of lines after which no more are added.
    pub(super) line_bytes: usize,
}

impl Default for BatchLimits {
    fn default() -> Self {
        Self { line_count: MOST_LINES, line_bytes: 1 << 20 }
    }
}

/// The result of shipping a tape.
pub(super) enum TapeProgress {
    /// All of it is stored.
    Shipped(ShippedEnd),
    /// The collector has it up to another line than the one from which it was sent.
    OtherEnd { from: u64, end: StoredEnd },
    /// A batch with this number of lines is too large for the collector.
    TooLarge { line_count: usize, reason: String },
    /// It is not shipped, or not to its end.
    Unusable(String),
}

/// A tape while it is read and sent.
struct TapeShipment {
    header: HeaderRecord,
    project: Option<String>,
    digest: String,
    /// The digest of the organisation's hooks that were loaded last.
    policy: Option<String>,
    /// What is stored, as far as this machine knows.
    stored: StoredEnd,
    collector: DecisionCollector,
    /// The decisions up to the last stored line, which is all that the collector knows of them.
    stored_decisions: BTreeMap<u64, RecordedDecision>,
    lines: Vec<String>,
    line_bytes: usize,
}

impl<T: ShipperTimer> TapeShipper<T> {
    /// Reads a tape from its start, because what its decisions were is known from all its records, and sends the lines from
    /// where it is stored. `resync` says where that is, if the collector said it.
    pub(super) async fn ship_lines(
        &mut self,
        tape: &LocatedTape,
        mut lines: WholeLines,
        resync: Option<StoredEnd>,
        limits: BatchLimits,
        report: &mut ShipReport,
    ) -> Result<TapeProgress, FleetError> {
        self.follower.report_replaced(&tape.path, &lines.digest);
        let known = || self.follower.offsets.find(&tape.path)?.stored_end(&lines.digest);
        let stored = resync.or_else(known).unwrap_or(StoredEnd { next: 0, digest: None });
        lines.set_sent(stored.clone());
        let mut shipment = TapeShipment {
            header: lines.header.clone(),
            project: tape.find_project(),
            digest: lines.digest.clone(),
            policy: None,
            stored,
            collector: DecisionCollector::default(),
            stored_decisions: BTreeMap::new(),
            lines: Vec::new(),
            line_bytes: 0,
        };
        let problem = loop {
            let WholeLine { seq, line, is_sent } = match lines.next_line() {
                Ok(Some(line)) => line,
                Ok(None) => break None,
                Err(problem) => break Some(problem),
            };
            shipment.collector.add(&line.record);
            if let RecordBody::Hooks(hooks) = &line.record.body
                && hooks.scope == HookScope::Runtime
            {
                shipment.policy = digest_layer(hooks, Layer::Managed);
            }
            if is_sent {
                if seq + 1 == shipment.stored.next {
                    shipment.stored_decisions = shipment.current_decisions();
                }
                continue;
            }
            match String::from_utf8(line.text) {
                Ok(text) => shipment.push(text),
                Err(_) => break Some(format!("line {} is not text", line.number)),
            }
            let is_full = shipment.lines.len() >= limits.line_count || shipment.line_bytes >= limits.line_bytes;
            if is_full && let Some(stopped) = self.send_lines(tape, &mut shipment, report).await? {
                return Ok(stopped);
            }
        };
        if !shipment.lines.is_empty()
            && let Some(stopped) = self.send_lines(tape, &mut shipment, report).await?
        {
            return Ok(stopped);
        }
        Ok(match problem {
            Some(problem) => TapeProgress::Unusable(problem),
            None => TapeProgress::Shipped(shipment.shipped_end()),
        })
    }

    /// Sends the lines that were read. Returns why the rest cannot follow, if it cannot.
    async fn send_lines(
        &mut self,
        tape: &LocatedTape,
        shipment: &mut TapeShipment,
        report: &mut ShipReport,
    ) -> Result<Option<TapeProgress>, FleetError> {
        let from = shipment.stored.next;
        let (batch, decisions) = shipment.take_batch(tape);
        let line_count = batch.lines.len();
        let expected = StoredEnd {
            next: from + line_count as u64,
            digest: batch.lines.last().map(|line| hex_digest(line.as_bytes())),
        };
        let body = serde_json::to_vec(&batch)
            .map_err(|error| FleetError::failure(format!("a batch cannot be written: {error}")))?;
        drop(batch);
        let fits = |answer: &BatchAnswer| match answer {
            BatchAnswer::Stored(end) => *end == expected,
            BatchAnswer::OtherEnd(end) => end.next != from,
            _ => true,
        };
        Ok(match self.send_batch(&body, fits).await? {
            BatchAnswer::OtherEnd(end) => Some(TapeProgress::OtherEnd { from, end }),
            BatchAnswer::TooLarge(reason) => Some(TapeProgress::TooLarge { line_count, reason }),
            BatchAnswer::Refused(reason) => Some(TapeProgress::Unusable(format!("the collector refuses it: {reason}"))),
            _ => {
                report.line_count += line_count as u64;
                shipment.stored = expected;
                shipment.stored_decisions = decisions;
                self.follower.offsets.set(&tape.path, shipment.shipped_end());
                self.follower.save_sometimes()?;
                None
            }
        })
    }
}

impl TapeShipment {
    fn push(&mut self, line: String) {
        self.line_bytes += line.len();
        self.lines.push(line);
    }

    fn current_decisions(&self) -> BTreeMap<u64, RecordedDecision> {
        self.collector.clone().finish().into_iter().map(|decision| (decision.seq, decision)).collect()
    }

    /// The lines as a batch, with the decisions as they are after it.
    fn take_batch(&mut self, tape: &LocatedTape) -> (TapeBatch, BTreeMap<u64, RecordedDecision>) {
        let now = self.current_decisions();
        let changed = now.iter().filter(|(seq, decision)| self.stored_decisions.get(seq) != Some(decision));
        let withdrawn = self.stored_decisions.keys().filter(|seq| !now.contains_key(seq)).copied();
        self.line_bytes = 0;
        let batch = TapeBatch {
            tape: self.digest.clone(),
            pintle: self.header.pintle.clone(),
            policy: self.policy.clone(),
            host: tape.host.clone(),
            project: self.project.clone(),
            session: self.header.session.clone(),
            from: self.stored.next,
            lines: std::mem::take(&mut self.lines),
            decisions: changed.map(|(_, decision)| decision.clone()).collect(),
            withdrawn: withdrawn.collect(),
        };
        (batch, now)
    }

    fn shipped_end(&self) -> ShippedEnd {
        ShippedEnd::new(&self.digest, self.stored.clone())
    }
}
