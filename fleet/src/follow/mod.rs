//! Following the tapes of a machine, which are the queue of what is sent from them: what is not sent yet is read from them
//! again.

mod backoff;
mod lines;
mod offsets;
mod places;
mod timer;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::FleetError;

pub use backoff::BackoffPolicy;
pub(crate) use lines::{OpenedTape, WholeLine, WholeLines};
use offsets::file_stamp;
pub(crate) use offsets::{OffsetFile, ShippedEnd};
pub use places::{LocatedTape, TapePlaces};
pub use timer::{ShipperTimer, SystemTimer};

/// How often the offsets are written at most while there is much to send.
const SAVE_PAUSE: Duration = Duration::from_secs(1);

/// How many times as long as a pass took it waits at least before the next one.
const REST_FACTOR: u32 = 9;

/// How tapes are followed.
#[derive(Debug, Clone)]
pub struct FollowOptions {
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

/// What one look at the tapes has sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShipReport {
    /// The number of lines that were sent.
    pub line_count: u64,
    /// The number of tapes with such lines.
    pub tape_count: u64,
    /// What is wrong with tapes that are not sent, or not to their end.
    pub problems: Vec<String>,
    /// The number of tapes that were deleted before all of them was sent.
    pub lost_count: u64,
}

/// Who receives what is sent, for the user.
#[derive(Debug)]
pub(crate) struct ReceiverTexts {
    /// The receiver and what it does not do, such as `the collector at URL does not store batches`.
    pub(crate) failing: String,
    /// The next step if it fails too often.
    pub(crate) help: &'static str,
    /// What is said when it answers again.
    pub(crate) recovered: &'static str,
    /// What happened to what was sent, such as `shipped`.
    pub(crate) sent: &'static str,
}

/// How far the tapes of a machine are sent, and when to try again. `E` is what is kept with the offsets.
pub(crate) struct TapeFollower<T, E> {
    pub(crate) offsets: OffsetFile<E>,
    pub(crate) timer: T,
    options: FollowOptions,
    texts: ReceiverTexts,
    /// Tells the user what happens meanwhile.
    report: Box<dyn Fn(&str)>,
    saved_at: Duration,
    failure_count: u32,
    /// When it was tried again last.
    resumed_at: Duration,
    /// The tapes with a problem, and the state of their files then.
    problems: BTreeMap<PathBuf, (Option<String>, String)>,
}

/// How far a tape was sent.
pub(crate) enum ConsumedEnd {
    /// All of it.
    Sent(ShippedEnd),
    /// It has no whole line yet.
    NothingYet,
    /// It is not sent, or not to its end.
    Unusable(String),
}

/// Sends what is new of tapes.
pub(crate) trait TapeConsumer {
    type Timer: ShipperTimer;
    type Kept: Default + Serialize + DeserializeOwned;

    fn follower(&mut self) -> &mut TapeFollower<Self::Timer, Self::Kept>;

    /// Sends what is new of a tape, and counts its lines.
    async fn consume_tape(&mut self, tape: &LocatedTape, report: &mut ShipReport) -> Result<ConsumedEnd, FleetError>;

    /// Sends what is about all tapes, after them.
    async fn finish_pass(&mut self, report: &ShipReport) -> Result<(), FleetError>;

    /// Sends what the tapes have now.
    async fn consume_all(&mut self) -> Result<ShipReport, FleetError> {
        let mut report = ShipReport::default();
        let mut sent = Ok(());
        for tape in self.follower().list_tapes() {
            let stamp = file_stamp(&tape.path);
            if !self.follower().is_new(&tape, stamp.as_deref(), &mut report) {
                continue;
            }
            let before = report.line_count;
            sent = match self.consume_tape(&tape, &mut report).await {
                Ok(end) => self.follower().note_end(&tape, stamp, end, &mut report),
                Err(error) => Err(error),
            };
            report.tape_count += u64::from(report.line_count > before);
            if sent.is_err() {
                break;
            }
        }
        self.follower().forget_missing(&mut report);
        if sent.is_ok() {
            sent = self.finish_pass(&report).await;
        }
        self.follower().offsets.save()?;
        sent.map(|()| report)
    }

    /// Sends what the tapes have and get, until it is dropped.
    async fn follow_tapes(&mut self) -> Result<(), FleetError> {
        loop {
            let start = self.follower().timer.now();
            self.consume_all().await?;
            self.follower().rest_since(start).await;
        }
    }
}

impl<T: ShipperTimer, E: Default + Serialize + DeserializeOwned> TapeFollower<T, E> {
    /// A follower with the offsets of earlier ones, which are for this receiver. `report` is called with texts for the user.
    pub(crate) fn new(
        options: FollowOptions,
        receiver: &str,
        texts: ReceiverTexts,
        timer: T,
        report: impl Fn(&str) + 'static,
    ) -> Result<Self, FleetError> {
        let offsets = OffsetFile::load(&options.state_dir, receiver)?;
        let saved_at = timer.now();
        let (report, problems) = (Box::new(report), BTreeMap::new());
        Ok(Self {
            offsets,
            timer,
            options,
            texts,
            report,
            saved_at,
            failure_count: 0,
            resumed_at: Duration::ZERO,
            problems,
        })
    }

    /// Tells the user something.
    pub(crate) fn tell(&self, text: &str) {
        (self.report)(text);
    }

    /// The tapes, which are noted, so that one that is deleted before it is sent is missed.
    fn list_tapes(&mut self) -> Vec<LocatedTape> {
        let tapes = self.options.places.list_tapes();
        for tape in &tapes {
            if self.offsets.find(&tape.path).is_none() {
                self.offsets.set(&tape.path, ShippedEnd::default());
            }
        }
        tapes
    }

    /// Whether a tape may have something new.
    fn is_new(&self, tape: &LocatedTape, stamp: Option<&str>, report: &mut ShipReport) -> bool {
        if stamp.is_none() {
            return true;
        }
        if self.offsets.find(&tape.path).is_some_and(|end| end.stamp.as_deref() == stamp) {
            return false;
        }
        match self.problems.get(&tape.path) {
            Some((known, problem)) if known.as_deref() == stamp => {
                report.problems.push(problem.clone());
                false
            }
            _ => true,
        }
    }

    fn note_end(
        &mut self,
        tape: &LocatedTape,
        stamp: Option<String>,
        end: ConsumedEnd,
        report: &mut ShipReport,
    ) -> Result<(), FleetError> {
        match end {
            ConsumedEnd::Sent(end) => self.offsets.set(&tape.path, ShippedEnd { stamp, is_whole: true, ..end }),
            // Of an empty tape nothing is missed.
            ConsumedEnd::NothingYet => {
                let known = self.offsets.find(&tape.path).cloned().unwrap_or_default();
                self.offsets.set(&tape.path, ShippedEnd { is_whole: true, ..known });
            }
            ConsumedEnd::Unusable(problem) => {
                let text = format!("`{}` is not {} to its end: {problem}", tape.path.display(), self.texts.sent);
                self.tell(&text);
                self.problems.insert(tape.path.clone(), (stamp, text.clone()));
                report.problems.push(text);
                return self.save_sometimes();
            }
        }
        self.problems.remove(&tape.path);
        self.save_sometimes()
    }

    /// Forgets the tapes that are gone, and says which of them were not sent to their end.
    fn forget_missing(&mut self, report: &mut ShipReport) {
        self.problems.retain(|path, _| pintle_files::exists(path));
        for lost in self.offsets.forget_missing() {
            report.lost_count += 1;
            self.tell(&format!("`{lost}` was deleted before all of it was {}", self.texts.sent));
        }
    }

    pub(crate) fn save_sometimes(&mut self) -> Result<(), FleetError> {
        let now = self.timer.now();
        if now.saturating_sub(self.saved_at) < SAVE_PAUSE {
            return Ok(());
        }
        self.saved_at = now;
        self.offsets.save()
    }

    /// Notes that the receiver answered.
    pub(crate) fn note_answer(&mut self) {
        if self.failure_count > 1 {
            self.tell(self.texts.recovered);
        }
        self.failure_count = 0;
    }

    /// Waits before something is sent again, at least as long as the receiver asks for.
    pub(crate) async fn wait_after_failure(&mut self, reason: &str, retry_after: Duration) -> Result<(), FleetError> {
        self.failure_count = self.failure_count.saturating_add(1);
        let text = format!("{}: {reason}", self.texts.failing);
        if self.options.most_failures.is_some_and(|most| self.failure_count >= most) {
            return Err(FleetError::failure(text).help(self.texts.help));
        }
        if self.failure_count == 2 {
            self.tell(&format!("{text}; it is tried again"));
        }
        let longest = Duration::from_millis(self.options.backoff.longest_ms);
        let delay = self.options.backoff.delay(self.failure_count, self.timer.random());
        self.timer.pause(delay.max(retry_after.min(longest))).await;
        self.resumed_at = self.timer.now();
        Ok(())
    }

    /// Waits before the next look at the tapes. How long the receiver was away does not make it wait longer.
    async fn rest_since(&self, start: Duration) {
        let took = self.timer.now().saturating_sub(start.max(self.resumed_at));
        let pause = Duration::from_millis(self.options.pause_ms).max(took.saturating_mul(REST_FACTOR));
        self.timer.pause(pause).await;
    }

    /// Notes that a tape is not the one that was sent from its file before.
    pub(crate) fn report_replaced(&self, path: &Path, digest: &str) {
        if self.offsets.find(path).is_some_and(|known| !known.tape.is_empty() && known.tape != digest) {
            self.tell(&format!(
                "`{}` has another session than before, which is {} as one of its own",
                path.display(),
                self.texts.sent
            ));
        }
    }

    /// How many lines of the tape in a file were sent.
    pub(crate) fn sent_lines(&self, path: &Path) -> u64 {
        self.offsets.find(path).map_or(0, |end| end.next)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// A timer whose time passes only by waiting.
    #[derive(Default)]
    struct WaitingTimer(Cell<Duration>);

    impl ShipperTimer for WaitingTimer {
        fn now(&self) -> Duration {
            self.0.get()
        }

        fn unix_ms(&self) -> u64 {
            0
        }

        fn random(&self) -> u64 {
            0
        }

        async fn pause(&self, duration: Duration) {
            self.0.set(self.0.get() + duration);
        }
    }

    #[tokio::test]
    async fn rest_after_a_receiver_was_away_is_as_short_as_ever() {
        let dir = tempfile::tempdir().unwrap();
        let options = FollowOptions {
            state_dir: dir.path().to_owned(),
            places: TapePlaces::default(),
            backoff: BackoffPolicy::default(),
            most_failures: None,
            pause_ms: 2_000,
        };
        let texts = ReceiverTexts { failing: String::from("away"), help: "", recovered: "", sent: "sent" };
        let timer = WaitingTimer::default();
        let mut follower: TapeFollower<_, ()> = TapeFollower::new(options, "it", texts, timer, |_| {}).unwrap();
        for _ in 0..100 {
            follower.wait_after_failure("no", Duration::from_secs(9_999)).await.unwrap();
        }
        let back = follower.timer.now();
        assert_eq!(back, Duration::from_secs(6_000), "it is asked again after a minute at the latest");
        follower.rest_since(Duration::ZERO).await;
        assert_eq!(follower.timer.now() - back, Duration::from_secs(2));
    }
}
