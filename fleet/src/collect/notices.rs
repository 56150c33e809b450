//! Notices of the store about answers: one connection listens for all that wait.

use std::time::Duration;

use tokio::sync::broadcast::{Receiver, Sender, channel};

use crate::store::StoreAddress;

/// How many notices may wait for who listens. Who misses one looks into the store.
const MOST_NOTICES: usize = 1_024;

/// How long to wait before the store is listened to again.
const RECONNECT_PAUSE: Duration = Duration::from_secs(1);

/// The notice that any ask may be answered.
const ANY_ASK: i64 = 0;

/// Tells which asks are answered. It is a hint to look into the store, and no more.
#[derive(Clone)]
pub(super) struct AnswerNotices {
    store: StoreAddress,
    sender: Sender<i64>,
}

impl AnswerNotices {
    pub(super) fn new(store: StoreAddress) -> Self {
        Self { store, sender: channel(MOST_NOTICES).0 }
    }

    /// Listens until it is dropped. While the store does not answer, those that wait look into it at their next poll.
    pub(super) async fn follow(&self) {
        let notify = |number: i64| drop(self.sender.send(number));
        loop {
            // What went wrong is reported by the requests that need the store.
            let _ = self.store.listen(|| notify(ANY_ASK), |text| notify(text.parse().unwrap_or(ANY_ASK))).await;
            tokio::time::sleep(RECONNECT_PAUSE).await;
        }
    }

    /// Begins to note notices.
    pub(super) fn subscribe(&self) -> Receiver<i64> {
        self.sender.subscribe()
    }
}

/// Waits until an ask may be answered.
pub(super) async fn wait_for_notice(notices: &mut Receiver<i64>, ask: i64) {
    while notices.recv().await.is_ok_and(|noticed| noticed != ask && noticed != ANY_ASK) {}
}
