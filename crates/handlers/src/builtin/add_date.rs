//! `add_date`: adds today's date.

use pintle_contract::Verdict;

use super::time_zone::{find_host_zone, find_local_date};
use super::{BuiltinCall, BuiltinHook, BuiltinResult, context_verdict, doubt_arguments};

/// Adds the user's local date to the context.
#[derive(Debug)]
struct AddDate;

pub(super) fn make(arguments: &[String], doubts: &mut Vec<String>) -> BuiltinResult {
    doubt_arguments(arguments, doubts);
    Ok(Box::new(AddDate))
}

impl BuiltinHook for AddDate {
    fn call(&self, call: &BuiltinCall<'_>) -> Verdict {
        let now_ms = match call.now_ms() {
            Ok(now_ms) => now_ms,
            Err(failure) => return Verdict::failed(failure),
        };
        let own = call.extra_variables().into_iter().find(|(name, _)| name == "TZ").map(|(_, zone)| zone);
        let zone = find_host_zone(own.or_else(|| std::env::var("TZ").ok()).as_deref());
        context_verdict(Some(format!("Today's date: {}", find_local_date(&zone, now_ms))))
    }
}
