//! `pack`: the rules of a pack over what a call would do.

use std::fmt::Write;

use pintle_contract::{CallReads, Effect, EventKind, Verdict};
use pintle_packs::{PAUSED_RULE, PackDef, PackFinding, PackSettings, RuleSeverity, judge, read_arguments};
use pintle_tools::{is_paused, operations_in_call};

use serde_json::{Map, Value};

use super::{BuiltinCall, BuiltinHook, BuiltinResult};

/// A pack with what the user says about its rules.
#[derive(Debug)]
struct PackHook {
    pack: &'static PackDef,
    settings: PackSettings,
}

pub(super) fn make(arguments: &[String], _doubts: &mut Vec<String>) -> BuiltinResult {
    let (pack, settings) = read_arguments(arguments).map_err(|error| error.to_string())?;
    Ok(Box::new(PackHook { pack, settings }))
}

impl BuiltinHook for PackHook {
    fn call(&self, call: &BuiltinCall<'_>) -> Verdict {
        if !matches!(call.event_kind(), EventKind::ToolPre | EventKind::ToolGuard | EventKind::PermissionAsk) {
            return Verdict::pass();
        }
        let event = call.call.event;
        let operations = operations_in_call(call.call);
        let mut found: Vec<PackFinding<'_>> = judge(self.pack, &self.settings, operations).collect();
        let is_paused = is_paused(event) && found.iter().any(PackFinding::is_pausable);
        if is_paused {
            found = found.into_iter().map(PackFinding::in_pause).collect();
        }
        // Of equals, the first rule is the one that is told.
        found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        let Some((first, others)) = found.split_first() else { return Verdict::pass() };
        let mut reason = first.message();
        for other in others.iter().filter(|other| other.severity == first.severity) {
            let _ = write!(reason, " Also: {} [{}].", other.reason(), other.rule_name());
        }
        match first.severity {
            RuleSeverity::Deny => Verdict::deny(reason),
            RuleSeverity::Ask => Verdict::ask(reason),
            RuleSeverity::Warn if is_paused => {
                // The host records which calls pass because of the pause.
                let paused = Map::from_iter([(String::from(PAUSED_RULE), Value::from(first.rule_name()))]);
                let notice = format!("self-protection is paused, so this passes: {reason}");
                Verdict::pass().with_effect(Effect::Notice(notice)).with_effect(Effect::Metadata(paused))
            }
            RuleSeverity::Warn => Verdict::pass().with_effect(Effect::Notice(reason)),
        }
    }

    fn is_reusable(&self) -> bool {
        true
    }

    fn call_reads(&self) -> CallReads {
        CallReads { operations: true, ..CallReads::default() }
    }
}
