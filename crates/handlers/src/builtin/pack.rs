//! `pack` and `rules`: the rules of a pack, and those of a user's own, over what a call would do.

use std::fmt::Write;
use std::path::Path;

use pintle_contract::{CallReads, Effect, Event, EventKind, Layer, Payload, ToolKind, Verdict};
use pintle_packs::{
    ALLOWED_ONCE_RULE, EXCEPTION_ARGUMENT, PAUSED_RULE, PackDef, PackFinding, PackSettings, PolicyFinding, PolicyRule,
    RuleSeverity, RuledCall, judge, judge_by_policy, read_arguments, read_policy_rule,
};
use pintle_shell::{CallCommand, CallSite, Operation, commands_of_line};
use pintle_tools::{CanonicalCall, calls_of, commands_in_call, is_allowed_once, is_paused, operations_in_call};
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

/// Rules of a user's own, with what they let through.
#[derive(Debug)]
struct PolicyHook {
    rules: Vec<PolicyRule>,
    allowed: Vec<PolicyRule>,
}

pub(super) fn make_rules(arguments: &[String], _doubts: &mut Vec<String>) -> BuiltinResult {
    let (mut rules, mut allowed) = (Vec::new(), Vec::new());
    for argument in arguments {
        let exception = argument.strip_prefix(EXCEPTION_ARGUMENT);
        let list = if exception.is_some() { &mut allowed } else { &mut rules };
        list.push(read_policy_rule(exception.unwrap_or(argument)).map_err(|error| error.to_string())?);
    }
    Ok(Box::new(PolicyHook { rules, allowed }))
}

/// What a rule found, to be told.
struct ToldFinding {
    severity: RuleSeverity,
    rule: String,
    reason: String,
    message: String,
}

impl ToldFinding {
    fn of_pack(finding: &PackFinding<'_>) -> Self {
        let (severity, rule) = (finding.severity, finding.rule_name());
        Self { severity, rule, reason: finding.reason().to_owned(), message: finding.message() }
    }

    fn of_policy(finding: &PolicyFinding<'_>) -> Self {
        let rule = finding.rule.spec().name.clone();
        Self { severity: finding.severity, rule, reason: finding.reason(), message: finding.message() }
    }
}

impl BuiltinHook for PackHook {
    fn call(&self, call: &BuiltinCall<'_>) -> Verdict {
        if !hears_calls(call) {
            return Verdict::pass();
        }
        with_judged_call(call, [&self.settings.allowed, &[]], |judged| {
            let mut found: Vec<PackFinding<'_>> = judge(self.pack, &self.settings, judged).collect();
            let is_paused = is_paused(call.call.event) && found.iter().any(PackFinding::is_pausable);
            if is_paused {
                found = found.into_iter().map(PackFinding::in_pause).collect();
            }
            // What guards Pintle itself can be paused, and is not allowed by the call.
            let is_allowed = self.pack.pausable.is_empty() && is_allowed_here(call);
            verdict_of(found.iter().map(ToldFinding::of_pack).collect(), PassReason::new(is_paused, is_allowed))
        })
    }

    fn is_reusable(&self) -> bool {
        true
    }

    fn call_reads(&self) -> CallReads {
        reads_of(&self.settings.allowed)
    }
}

impl BuiltinHook for PolicyHook {
    fn call(&self, call: &BuiltinCall<'_>) -> Verdict {
        if !hears_calls(call) {
            return Verdict::pass();
        }
        with_judged_call(call, [&self.rules, &self.allowed], |judged| {
            let found = judge_by_policy(&self.rules, &self.allowed, &judged);
            verdict_of(
                found.iter().map(ToldFinding::of_policy).collect(),
                PassReason::new(false, is_allowed_here(call)),
            )
        })
    }

    fn is_reusable(&self) -> bool {
        true
    }

    fn call_reads(&self) -> CallReads {
        let (rules, allowed) = (reads_of(&self.rules), reads_of(&self.allowed));
        CallReads { commands: rules.commands || allowed.commands, ..rules }
    }
}

/// Whether the user allows the call once, and may: what an organisation refuses, no user allows.
fn is_allowed_here(call: &BuiltinCall<'_>) -> bool {
    call.call.layer != Layer::Managed && is_allowed_once(call.call.event)
}

/// Why a call passes that rules find something in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PassReason {
    /// The user pauses self-protection, and the rules that found something are of that.
    Paused,
    /// The user allows the call once.
    AllowedOnce,
}

impl PassReason {
    fn new(is_paused: bool, is_allowed: bool) -> Option<Self> {
        match (is_paused, is_allowed) {
            (true, _) => Some(Self::Paused),
            (false, true) => Some(Self::AllowedOnce),
            (false, false) => None,
        }
    }

    /// The verdict of a call that passes for this reason. The host records such calls.
    fn verdict(self, rule: &str, reason: &str) -> Verdict {
        let (key, words) = match self {
            Self::Paused => (PAUSED_RULE, "self-protection is paused, so this passes"),
            Self::AllowedOnce => (ALLOWED_ONCE_RULE, "you allowed this call once, so it passes"),
        };
        let facts = Map::from_iter([(String::from(key), Value::from(rule))]);
        Verdict::pass().with_effect(Effect::Notice(format!("{words}: {reason}"))).with_effect(Effect::Metadata(facts))
    }
}

fn reads_of(rules: &[PolicyRule]) -> CallReads {
    CallReads { operations: true, commands: rules.iter().any(PolicyRule::reads_commands), paths: false }
}

fn hears_calls(call: &BuiltinCall<'_>) -> bool {
    matches!(call.event_kind(), EventKind::ToolPre | EventKind::ToolGuard | EventKind::PermissionAsk)
}

/// Judges the call of an event by rules and exceptions.
fn with_judged_call<T>(
    call: &BuiltinCall<'_>,
    rules: [&[PolicyRule]; 2],
    judge: impl FnOnce(RuledCall<'_, '_>) -> T,
) -> T {
    let reads_commands = rules.iter().any(|rules| rules.iter().any(PolicyRule::reads_commands));
    let commands = if reads_commands { commands_in_call(call.call) } else { &[] };
    judge_call(call.call.event, operations_in_call(call.call), commands, judge)
}

/// Judges the call of an event, of which the operations and commands are known.
pub fn judge_call<'o, T>(
    event: &Event,
    operations: &'o [Operation],
    commands: &'o [CallCommand],
    judge: impl FnOnce(RuledCall<'o, '_>) -> T,
) -> T {
    let payload = &event.payload;
    let text = |name: &str| payload.field(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let host = payload.field("host").and_then(|host| host.get("client")).and_then(Value::as_str);
    judge(RuledCall {
        operations,
        commands,
        tool_name: text("name").unwrap_or_default(),
        other_names: payload.field("names").and_then(Value::as_array).map_or(&[], Vec::as_slice),
        agent: host.or_else(|| text("vocabulary")).unwrap_or_default(),
        project: text("project").or_else(|| text("cwd")).unwrap_or(&event.origin.cwd),
        is_plain: &|| is_plain_call(payload),
    })
}

/// Whether a call runs nothing but the commands of its line, as they are written there.
fn is_plain_call(payload: &Payload) -> bool {
    let is_plain = |part: &CanonicalCall| {
        let fields = part.args.as_object().filter(|_| part.kind == ToolKind::Shell);
        // A list or a mapping beside the line may be arguments or variables.
        let is_alone =
            |fields: &Map<String, Value>| !fields.values().any(|value| value.is_array() || value.is_object());
        let line = part.args.get("command").and_then(Value::as_str).filter(|_| fields.is_some_and(is_alone));
        line.is_some_and(|line| commands_of_line(line, &CallSite::new(Path::new("/"), Path::new("/"))).is_plain)
    };
    let parts = calls_of(payload);
    !parts.is_empty() && parts.iter().all(is_plain)
}

/// The verdict of what rules found. Of equals, the first rule is the one that is told.
fn verdict_of(mut findings: Vec<ToldFinding>, pass: Option<PassReason>) -> Verdict {
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let Some((first, others)) = findings.split_first() else { return Verdict::pass() };
    let mut reason = first.message.clone();
    for other in others.iter().filter(|other| other.severity == first.severity) {
        let _ = write!(reason, " Also: {} [{}].", other.reason, other.rule);
    }
    match (first.severity, pass) {
        // A pause makes warnings of what it lets through; the rest is refused as ever.
        (RuleSeverity::Warn, Some(pass @ PassReason::Paused))
        | (RuleSeverity::Deny | RuleSeverity::Ask, Some(pass @ PassReason::AllowedOnce)) => {
            pass.verdict(&first.rule, &reason)
        }
        (RuleSeverity::Deny, _) => Verdict::deny(reason),
        (RuleSeverity::Ask, _) => Verdict::ask(reason),
        (RuleSeverity::Warn, _) => Verdict::pass().with_effect(Effect::Notice(reason)),
    }
}
