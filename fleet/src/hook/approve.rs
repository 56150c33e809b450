//! Asking people about a call, and waiting for their answer.

use std::cell::OnceCell;
use std::future::Future;
use std::time::Duration;

use super::HookReply;
use super::request::{CollectorFailure, request};
use crate::client::CollectorClient;
use crate::follow::{BackoffPolicy, ShipperTimer};
use crate::hook_protocol::{ASKS_PATH, AskProgress, FleetAsk, HookedEvent, OpenedAsk};
use crate::token::MachineToken;

/// How long a collector may take for an answer, which includes the time for which it waits itself.
const ANSWER_PATIENCE: Duration = Duration::from_secs(20);

/// How long to wait until an ask is withdrawn.
const WITHDRAWAL_PATIENCE: Duration = Duration::from_secs(5);

/// After how many failures in a row the collector counts as away. By then it no longer believes that the hook waits.
const MOST_FAILURES: u32 = 8;
const BACKOFF: BackoffPolicy = BackoffPolicy { first_ms: 250, longest_ms: 4_000 };

/// Asks people about an event, and waits for an answer until `stop` says why not to wait any longer. Whatever else fails
/// denies, too.
pub async fn ask_people<T: ShipperTimer>(
    collector: &str,
    token: &MachineToken,
    event: &HookedEvent,
    patience_ms: u64,
    timer: &T,
    stop: impl Future<Output = String>,
) -> HookReply {
    let client = match CollectorClient::new(collector, token, ANSWER_PATIENCE) {
        Ok(client) => client,
        Err(error) => return HookReply::Deny(format!("people cannot be asked about this call: {}", error.message)),
    };
    let opened = OnceCell::new();
    let answered = async {
        let ask = FleetAsk { call: event.text.clone(), patience_ms };
        match request::<OpenedAsk>(&client, ASKS_PATH, &ask).await {
            Ok(ask) => wait_for_answer(&client, event, opened.get_or_init(|| ask), timer).await,
            Err(failed) => Err(failed.into_reason()),
        }
    };
    let stopped = tokio::select! {
        answered = answered => match answered {
            Ok(reply) => return reply,
            Err(reason) => format!("people cannot be asked about this call: the collector at {collector} {reason}"),
        },
        reason = stop => reason,
    };
    if let Some(ask) = opened.get() {
        // Without this, the collector notices that the hook asks no more.
        let path = format!("{ASKS_PATH}/{}/withdraw", ask.id);
        let _ = tokio::time::timeout(WITHDRAWAL_PATIENCE, client.post(&path, Vec::new())).await;
    }
    HookReply::Deny(stopped)
}

async fn wait_for_answer<T: ShipperTimer>(
    client: &CollectorClient,
    event: &HookedEvent,
    ask: &OpenedAsk,
    timer: &T,
) -> Result<HookReply, String> {
    let path = format!("{ASKS_PATH}/{}/poll", ask.id);
    let mut failure_count = 0;
    loop {
        match request::<AskProgress>(client, &path, &()).await {
            Ok(AskProgress::Open) => failure_count = 0,
            Ok(AskProgress::Ended) => {
                return Err(String::from("no longer waits for an answer: this program did not ask for it in time"));
            }
            Ok(AskProgress::Answered { digest, .. }) if digest != event.digest() => {
                return Err(String::from("has an answer about another call"));
            }
            Ok(AskProgress::Answered { is_allowed, by, reason, .. }) => {
                let said = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
                return Ok(match is_allowed {
                    true => HookReply::Allow(format!("`{by}` allowed this call{said}")),
                    false => HookReply::Deny(format!("`{by}` denied this call{said}")),
                });
            }
            Err(CollectorFailure::Refused(reason)) => return Err(reason),
            Err(CollectorFailure::Away(reason)) => {
                failure_count += 1;
                if failure_count >= MOST_FAILURES {
                    return Err(reason);
                }
                timer.pause(BACKOFF.delay(failure_count, timer.random())).await;
            }
        }
    }
}
