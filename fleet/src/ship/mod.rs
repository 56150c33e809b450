//! Shipping the tapes of a machine to a collector.

mod batch_answer;
mod tape;

use std::time::Duration;

use crate::FleetError;
use crate::client::CollectorClient;
use crate::follow::{
    ConsumedEnd, FollowOptions, LocatedTape, OpenedTape, ReceiverTexts, ShipReport, ShipperTimer, TapeConsumer,
    TapeFollower,
};
use crate::token::MachineToken;
use batch_answer::{BatchAnswer, send_batch};
use tape::{BatchLimits, TapeProgress};

/// How long a collector may take for a batch.
const BATCH_PATIENCE: Duration = Duration::from_secs(120);

/// What a shipper may be told.
#[derive(Debug, Clone)]
pub struct ShipperOptions {
    /// The address of the collector.
    pub collector: String,
    /// The token of the machine.
    pub token: MachineToken,
    /// How the tapes are followed.
    pub follow: FollowOptions,
}

/// Ships the tapes of a machine.
pub struct TapeShipper<T> {
    client: CollectorClient,
    /// The collector knows the offsets, too: what is lost of them costs a question.
    follower: TapeFollower<T, ()>,
}

impl<T: ShipperTimer> TapeShipper<T> {
    /// A shipper with the offsets of earlier ones. `report` is called with texts for the user.
    ///
    /// # Errors
    /// When the address is invalid, or the offsets cannot be read.
    pub fn new(options: ShipperOptions, timer: T, report: impl Fn(&str) + 'static) -> Result<Self, FleetError> {
        let ShipperOptions { collector, token, follow } = options;
        let client = CollectorClient::new(&collector, &token, BATCH_PATIENCE)?;
        let texts = ReceiverTexts {
            failing: format!("the collector at {collector} does not store batches"),
            help: "check that `pintle-fleet collect` runs there; nothing is lost, the next `pintle-fleet ship` continues",
            recovered: "the collector answers again",
            sent: "shipped",
        };
        Ok(Self { client, follower: TapeFollower::new(follow, &collector, texts, timer, report)? })
    }

    /// Ships what the tapes have now.
    ///
    /// # Errors
    /// When the token is refused, the collector fails too often, or the offsets cannot be written.
    pub async fn ship_all(&mut self) -> Result<ShipReport, FleetError> {
        self.consume_all().await
    }

    /// Ships what the tapes have and get, until it is dropped.
    ///
    /// # Errors
    /// As [`TapeShipper::ship_all`].
    pub async fn follow(&mut self) -> Result<(), FleetError> {
        self.follow_tapes().await
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
                    self.follower.note_answer();
                    return Ok(answer);
                }
                _ => String::from("its answer does not fit what was sent"),
            };
            self.follower.wait_after_failure(&reason, Duration::ZERO).await?;
        }
    }
}

impl<T: ShipperTimer> TapeConsumer for TapeShipper<T> {
    type Timer = T;
    type Kept = ();

    fn follower(&mut self) -> &mut TapeFollower<T, ()> {
        &mut self.follower
    }

    async fn consume_tape(&mut self, tape: &LocatedTape, report: &mut ShipReport) -> Result<ConsumedEnd, FleetError> {
        let mut limits = BatchLimits::default();
        let mut resync = None;
        loop {
            let lines = match OpenedTape::open(&tape.path, self.follower.sent_lines(&tape.path), "shipped") {
                OpenedTape::Lines(lines) => *lines,
                OpenedTape::NothingYet => return Ok(ConsumedEnd::NothingYet),
                OpenedTape::Unusable(problem) => return Ok(ConsumedEnd::Unusable(problem)),
            };
            match self.ship_lines(tape, lines, resync.take(), limits, report).await? {
                TapeProgress::Shipped(end) => return Ok(ConsumedEnd::Sent(end)),
                TapeProgress::OtherEnd { from, end } => {
                    if end.next <= from {
                        // Only a collector that lost something goes back, or one that answers at random.
                        let reason = "it has less of a tape than before";
                        self.follower.wait_after_failure(reason, Duration::ZERO).await?;
                    }
                    resync = Some(end);
                }
                TapeProgress::TooLarge { line_count: 0 | 1, reason } => {
                    return Ok(ConsumedEnd::Unusable(format!("a record is too large for the collector: {reason}")));
                }
                TapeProgress::TooLarge { line_count, .. } => limits.line_count = line_count / 2,
                TapeProgress::Unusable(problem) => return Ok(ConsumedEnd::Unusable(problem)),
            }
        }
    }

    async fn finish_pass(&mut self, _: &ShipReport) -> Result<(), FleetError> {
        Ok(())
    }
}
