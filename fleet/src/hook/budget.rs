//! Taking from a budget that machines share.

use std::time::Duration;

use super::HookReply;
use super::request::{CollectorFailure, request};
use crate::client::CollectorClient;
use crate::hook_protocol::{BUDGETS_PATH, BudgetTake, TakeAnswer, is_budget_name};
use crate::token::MachineToken;

/// What a hook answers if the collector is away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AwayPolicy {
    /// It denies.
    Deny,
    /// It lets the call pass, which then nothing counts.
    Pass,
}

/// Takes an amount from a budget. Whatever fails denies, but for a collector that is away if `away` says so.
pub async fn take_budget(
    collector: &str,
    token: &MachineToken,
    name: &str,
    amount: i64,
    patience: Duration,
    away: AwayPolicy,
) -> HookReply {
    if !is_budget_name(name) {
        return HookReply::Deny(format!("this call cannot be counted: `{name}` is not the name of a budget"));
    }
    let client = match CollectorClient::new(collector, token, patience) {
        Ok(client) => client,
        Err(error) => return HookReply::Deny(format!("this call cannot be counted: {}", error.message)),
    };
    let failed =
        |reason| format!("this call cannot be counted for the budget `{name}`: the collector at {collector} {reason}");
    let path = format!("{BUDGETS_PATH}/{name}/take");
    match request::<TakeAnswer>(&client, &path, &BudgetTake { amount }).await {
        Ok(TakeAnswer::Taken { .. }) => HookReply::Pass(None),
        Ok(TakeAnswer::Over { used, most, free_ms }) => {
            let free = free_ms.map_or_else(
                || String::from("it never allows as much at once"),
                |free_ms| format!("it is free again in {}", duration_text(free_ms)),
            );
            HookReply::Deny(format!("the budget `{name}` is used up, {used} of {most}: {free}"))
        }
        Err(CollectorFailure::Away(reason)) if away == AwayPolicy::Pass => HookReply::Pass(Some(failed(reason))),
        Err(failure) => HookReply::Deny(failed(failure.into_reason())),
    }
}

/// A time that has passed for certain after this text.
fn duration_text(ms: i64) -> String {
    let units = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s")];
    // The largest unit of which there are at least two says enough.
    let (unit, name) = units.into_iter().find(|(unit, _)| ms >= 2 * unit).unwrap_or((1_000, "s"));
    format!("{} {name}", (ms.max(1) + unit - 1) / unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_rounded_up() {
        for (ms, text) in [
            (-5, "1 s"),
            (1, "1 s"),
            (1_001, "2 s"),
            (119_001, "120 s"),
            (120_000, "2 min"),
            (120_001, "3 min"),
            (7_200_000, "2 h"),
            (172_800_001, "3 d"),
        ] {
            assert_eq!(duration_text(ms), text, "{ms}");
        }
    }
}
