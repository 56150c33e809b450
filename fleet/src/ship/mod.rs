//! Shipping the tapes of a machine to a collector. The tapes themselves are the queue: what is not stored yet is read from
//! them again.

mod backoff;
mod batch_answer;
mod offsets;
mod places;
mod tape;
mod timer;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::FleetError;
use crate::client::CollectorClient;
use crate::token::MachineToken;
use batch_answer::{BatchAnswer, send_batch};
use offsets::{OffsetFile, ShippedEnd, file_stamp};
use tape::{BatchLimits, TapeProgress};

pub use backoff::BackoffPolicy;
pub use places::{LocatedTape, TapePlaces};
pub use timer::{ShipperTimer, SystemTimer};

/// How long a collector may take for a batch.
const BATCH_PATIENCE: Duration = Duration::from_secs(120);

/// How often the offsets are written at most while there is much to ship.
const SAVE_PAUSE: Duration = Duration::from_secs(1);

/// How many times as long as a pass took it waits at least before the next one.
const REST_FACTOR: u32 = 9;

/// What a shipper may be told.
#[derive(Debug, Clone)]
pub struct ShipperOptions {
    /// The address of the collector.
    pub collector: String,
    /// The token of the machine.
    pub token: MachineToken,
    /// The directory in which the offsets are kept.
    pub state_dir: PathBuf,
    /// Where the tapes are.
    pub places: TapePlaces,
    /// How long to wait after failures.
    pub backoff: BackoffPolicy,
    /// After how many failures in a row it gives up; `None` for never.
    pub most_failures: Option<u32>,
    /// How long to wait at least between two looks at the tapes, in milliseconds.
    pub pause_ms: u64,
}

/// What one look at the tapes has shipped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShipReport {
    /// The number of lines that were stored.
    pub line_count: u64,
    /// The number of tapes with such lines.
    pub tape_count: u64,
    /// What is wrong with tapes that are not shipped, or not to their end.
    pub problems: Vec<String>,
}

/// Ships the tapes of a machine.
pub struct TapeShipper<T> {
    client: CollectorClient,
    options: ShipperOptions,
    offsets: OffsetFile,
    timer: T,
    /// Tells the user what happens meanwhile.
    report: Box<dyn Fn(&str)>,
    saved_at: Duration,
    failure_count: u32,
    /// The tapes with a problem, and the state of their files then.
    problems: BTreeMap<PathBuf, (Option<String>, String)>,
}

impl<T: ShipperTimer> TapeShipper<T> {
    /// A shipper with the offsets of earlier ones. `report` is called with texts for the user.
    ///
    /// # Errors
    /// When the address is invalid, or the offsets cannot be read.
    pub fn new(options: ShipperOptions, timer: T, report: impl Fn(&str) + 'static) -> Result<Self, FleetError> {
        let client = CollectorClient::new(&options.collector, &options.token, BATCH_PATIENCE)?;
        let offsets = OffsetFile::load(&options.state_dir, &options.collector)?;
        let saved_at = timer.now();
        let (report, problems) = (Box::new(report), BTreeMap::new());
        Ok(Self { client, options, offsets, timer, report, saved_at, failure_count: 0, problems })
    }

    /// Ships what the tapes have now.
    ///
    /// # Errors
    /// When the token is refused, the collector fails too often, or the offsets cannot be written.
    pub async fn ship_all(&mut self) -> Result<ShipReport, FleetError> {
        let mut report = ShipReport::default();
        let mut shipped = Ok(());
        for tape in self.options.places.list_tapes() {
            shipped = self.ship_tape(&tape, &mut report).await;
            if shipped.is_err() {
                break;
            }
        }
        self.offsets.forget_missing();
        self.problems.retain(|path, _| pintle_files::exists(path));
        self.offsets.save()?;
        shipped.map(|()| report)
    }

    /// Ships what the tapes have and get, until it is dropped.
    ///
    /// # Errors
    /// As [`TapeShipper::ship_all`].
    pub async fn follow(&mut self) -> Result<(), FleetError> {
        loop {
            let start = self.timer.now();
            self.ship_all().await?;
            let took = self.timer.now().saturating_sub(start);
            let pause = Duration::from_millis(self.options.pause_ms).max(took.saturating_mul(REST_FACTOR));
            self.timer.pause(pause).await;
        }
    }

    async fn ship_tape(&mut self, tape: &LocatedTape, report: &mut ShipReport) -> Result<(), FleetError> {
        let stamp = file_stamp(&tape.path);
        if stamp.is_some() {
            if self.offsets.find(&tape.path).is_some_and(|end| end.stamp == stamp) {
                return Ok(());
            }
            if let Some((known, problem)) = self.problems.get(&tape.path)
                && *known == stamp
            {
                report.problems.push(problem.clone());
                return Ok(());
            }
        }
        let before = report.line_count;
        let mut limits = BatchLimits::default();
        let mut resync = None;
        let problem = loop {
            match self.ship_lines(tape, resync.take(), limits, report).await? {
                TapeProgress::Shipped(end) => {
                    self.offsets.set(&tape.path, ShippedEnd { stamp: stamp.clone(), ..end });
                    break None;
                }
                TapeProgress::NothingYet => break None,
                TapeProgress::OtherEnd { from, end } => {
                    if end.next <= from {
                        // Only a collector that lost something goes back, or one that answers at random.
                        self.wait_after_failure("it has less of a tape than before").await?;
                    }
                    resync = Some(end);
                }
                TapeProgress::TooLarge { line_count, reason } => match line_count {
                    0 | 1 => break Some(format!("a record is too large for the collector: {reason}")),
                    more => limits = BatchLimits { line_count: more / 2, ..limits },
                },
                TapeProgress::Unusable(problem) => break Some(problem),
            }
        };
        report.tape_count += u64::from(report.line_count > before);
        match problem {
            Some(problem) => {
                let text = format!("`{}` is not shipped to its end: {problem}", tape.path.display());
                (self.report)(&text);
                self.problems.insert(tape.path.clone(), (stamp, text.clone()));
                report.problems.push(text);
            }
            None => drop(self.problems.remove(&tape.path)),
        }
        self.save_sometimes()
    }

    fn save_sometimes(&mut self) -> Result<(), FleetError> {
        let now = self.timer.now();
        if now.saturating_sub(self.saved_at) < SAVE_PAUSE {
            return Ok(());
        }
        self.saved_at = now;
        self.offsets.save()
    }

    /// Sends a batch until the collector answers it.
    async fn send_batch(
        &mut self,
        body: &[u8],
        fits: impl Fn(&BatchAnswer) -> bool,
    ) -> Result<BatchAnswer, FleetError> {
        loop {
            let reason = match send_batch(&self.client, body.to_vec()).await {
                BatchAnswer::Unauthorised => {
                    return Err(FleetError::failure("the collector refuses the token of this machine")
                        .help("`pintle-fleet machine list --store URL` says whether it was revoked; `machine add` makes a new one"));
                }
                BatchAnswer::Failed(reason) => reason,
                answer if fits(&answer) => {
                    if self.failure_count > 1 {
                        (self.report)("the collector answers again");
                    }
                    self.failure_count = 0;
                    return Ok(answer);
                }
                _ => String::from("its answer does not fit what was sent"),
            };
            self.wait_after_failure(&reason).await?;
        }
    }

    async fn wait_after_failure(&mut self, reason: &str) -> Result<(), FleetError> {
        self.failure_count = self.failure_count.saturating_add(1);
        let text = format!("the collector at {} does not store batches: {reason}", self.options.collector);
        if self.options.most_failures.is_some_and(|most| self.failure_count >= most) {
            return Err(FleetError::failure(text).help(
                "check that `pintle-fleet collect` runs there; nothing is lost, the next `pintle-fleet ship` continues",
            ));
        }
        if self.failure_count == 2 {
            (self.report)(&format!("{text}; it is tried again"));
        }
        let delay = self.options.backoff.delay(self.failure_count, self.timer.random());
        self.timer.pause(delay).await;
        Ok(())
    }

    /// Notes that a tape is not the one that was shipped from its file before.
    fn report_replaced(&self, path: &Path, digest: &str) {
        if self.offsets.find(path).is_some_and(|known| known.tape != digest) {
            (self.report)(&format!(
                "`{}` has another session than before, which is shipped as one of its own",
                path.display()
            ));
        }
    }
}
