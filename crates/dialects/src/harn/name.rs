//! Parses event names that users write.

use std::borrow::Cow;

use pintle_contract::did_you_mean;

use super::event_def::{HarnEventDef, HarnSurface, ROWS, to_snake_case};
use super::fault::HarnFault;

/// An event with an optional threshold.
#[derive(Debug, Clone, Copy)]
pub(super) struct NamedEvent {
    pub(super) def: &'static HarnEventDef,
    /// The threshold of `OnBudgetThreshold(pct)`.
    pub(super) percent: Option<f64>,
}

/// Harn's only other event alias.
const ALIAS: (&str, &str) = ("error", "SessionError");

/// The event name with a number.
const BUDGET: &str = "OnBudgetThreshold";

/// Events of Harn that Pintle does not fire, and the nearest one; empty if there is none.
pub const UNSUPPORTED: &[(&str, &str)] = &[
    ("WorkerSpawned", "PreAgentTurn"),
    ("WorkerProgressed", "PostTurn"),
    ("WorkerWaitingForInput", "SessionIdle"),
    ("WorkerSuspended", "OnPersonaPaused"),
    ("WorkerResumed", "OnPersonaResumed"),
    ("WorkerCompleted", "PostAgentTurn"),
    ("WorkerFailed", "SessionError"),
    ("WorkerStopped", "SessionEnd"),
    ("WorkerCancelled", "SessionEnd"),
    ("PreSuspend", "OnPersonaPaused"),
    ("PostSuspend", "OnPersonaPaused"),
    ("PreResume", "OnPersonaResumed"),
    ("PostResume", "OnPersonaResumed"),
    ("PreDrain", "OnUnsettledDetected"),
    ("PostDrain", "PostFinish"),
    ("OnDrainDecision", "OnUnsettledDetected"),
    ("LoopCheckpoint", "PostTurn"),
];

/// Finds an event by either of its names, whatever function registers it.
pub(super) fn find_event(written: &str) -> Result<NamedEvent, HarnFault> {
    let (name, mark) = match written.strip_prefix(BUDGET).map(str::trim) {
        Some(rest) if rest.starts_with('(') => (BUDGET, Some(rest)),
        _ => (written, None),
    };
    let spelled = if name == ALIAS.0 { ALIAS.1 } else { name };
    let has_name = |row: &&HarnEventDef| {
        row.name == spelled || (row.surface == HarnSurface::Session && row.snake_name() == spelled)
    };
    let Some(row) = ROWS.iter().find(has_name) else { return Err(unknown_event(written)) };
    let percent = mark.map(|mark| parse_percent(mark, written)).transpose()?;
    Ok(NamedEvent { def: row, percent })
}

/// Finds an event for one of the functions that register hooks on a surface.
///
/// Only session events have a lower-case name, and each function has its own events.
pub(super) fn find_event_for(written: &str, surface: HarnSurface, function: &str) -> Result<NamedEvent, HarnFault> {
    let named = find_event(written)?;
    let def = named.def;
    if def.surface != surface {
        let message = format!("`{}` is not an event of `{function}`", def.name);
        let help = match def.surface {
            HarnSurface::Tool => {
                let key = if def.veto { "pre" } else { "post" };
                format!("register it with `register_tool_hook`, under the key `{key}`")
            }
            other => format!("register it with `{}`", other.function()),
        };
        return Err(HarnFault::new("wrong_event", message, help));
    }
    if def.name == BUDGET && named.percent.is_none() {
        let message = "`OnBudgetThreshold` needs a threshold in percent";
        return Err(HarnFault::new("bad_event", message, "write a number, for example `OnBudgetThreshold(80)`"));
    }
    Ok(named)
}

/// Parses the number in `(80)`.
fn parse_percent(mark: &str, written: &str) -> Result<f64, HarnFault> {
    let number = mark.strip_prefix('(').and_then(|mark| mark.strip_suffix(')')).unwrap_or_default().trim();
    match number.parse::<f64>() {
        Ok(percent) if percent.is_finite() && percent > 0.0 => Ok(percent),
        _ => {
            let message = format!("`{written}` has an invalid threshold: `{number}` is not a number above 0");
            Err(HarnFault::new("bad_event", message, "write a percentage, for example `OnBudgetThreshold(80)`"))
        }
    }
}

fn unknown_event(written: &str) -> HarnFault {
    if let Some((name, nearest)) =
        UNSUPPORTED.iter().find(|(name, _)| *name == written || to_snake_case(name) == written)
    {
        let message = format!("`{name}` is an event of Harn that Pintle does not fire");
        return HarnFault::new("unsupported_event", message, format!("the nearest event is `{nearest}`"));
    }
    let names: Vec<Cow<'_, str>> = ROWS
        .iter()
        .flat_map(|def| {
            let snake = (def.surface == HarnSurface::Session).then(|| Cow::Owned(def.snake_name()));
            std::iter::once(Cow::Borrowed(def.name)).chain(snake)
        })
        .collect();
    let help = did_you_mean(written, names.iter().map(AsRef::as_ref)).unwrap_or_else(|| {
        format!("the events are {}", ROWS.iter().map(|def| def.name).collect::<Vec<_>>().join(", "))
    });
    HarnFault::new("unknown_event", format!("unknown event `{written}`"), help)
}
