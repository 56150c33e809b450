//! `pintle install --report`: what each hook decision does in a host.

use pintle_bridge::install::{InstallEnvironment, InstallScope};
use pintle_bridge::{ActionSupport, HookAction, HostDef};
use pintle_host::tape::show::{StyledLine, Tone};
use serde_json::{Value, json};

use crate::options::GlobalOptions;
use crate::terminal::Terminal;

/// Prints the host's support, event by event.
pub(super) fn print_support(
    host: &'static HostDef,
    environment: &InstallEnvironment,
    terminal: &Terminal,
    global: &GlobalOptions,
) {
    let settings_path =
        |scope: InstallScope| host.install.location(scope).map(|place| environment.settings_path(scope, place));
    if global.json {
        let events: Vec<Value> = host.host_events().map(event_to_json).collect();
        let scopes = InstallScope::ALL.map(|scope| (scope.as_str(), json!(settings_path(scope))));
        terminal.print_json(&json!({
            "host": host.name,
            "scopes": Value::from_iter(scopes),
            "events": events,
            "unhooked_actions": host.unhooked_actions,
        }));
        return;
    }
    terminal.print_lines(&[
        StyledLine::new(Tone::Plain, format!("{}: what each hook decision does, event by event", host.title)),
        StyledLine::new(Tone::Quiet, "  `fires` names the events that are fired for hooks"),
        StyledLine::new(
            Tone::Quiet,
            "  denying an end, such as that of a turn, makes the agent continue, with the reason as input",
        ),
    ]);
    let rows = host.host_events().filter(|def| !def.high_volume);
    for def in rows {
        let guards = if def.is_guard { "; denied if Pintle cannot respond" } else { "" };
        let fires: Vec<String> = def.fired_events().map(|event| event.to_string()).collect();
        let fires = if fires.is_empty() { String::from("nothing") } else { fires.join(", ") };
        terminal.print_lines(&[
            StyledLine::new(Tone::Plain, def.name),
            StyledLine::new(Tone::Quiet, format!("  fires {fires}{guards}")),
        ]);
        let lines = HookAction::ALL.into_iter().filter_map(|verb| {
            let (tone, text) = render_support(def.support.support_for(verb))?;
            Some(StyledLine::new(tone, format!("  {:<18} {text}", verb.as_str())))
        });
        terminal.print_lines(&lines.collect::<Vec<_>>());
    }
    if !host.unhooked_actions.is_empty() {
        let unasked = host.unhooked_actions.iter().map(|what| StyledLine::new(Tone::Bad, format!("  {what}")));
        let head = StyledLine::new(Tone::Plain, "done without calling any hook");
        terminal.print_lines(&std::iter::once(head).chain(unasked).collect::<Vec<_>>());
    }
    terminal.print_lines(&[StyledLine::new(Tone::Plain, "settings of each scope")]);
    terminal.print_lines(&InstallScope::ALL.map(|scope| {
        let path = settings_path(scope).map(|path| environment.display_path(&path));
        let path = path.unwrap_or_else(|| String::from("none, as far as its documentation says"));
        StyledLine::new(Tone::Quiet, format!("  {:<18} {path}", scope.as_str()))
    }));
    terminal.print_lines(&[StyledLine::new(
        Tone::Quiet,
        "  whatever hooks decide, calls that would change policy, trust or tapes are denied",
    )]);
}

/// Describes how a host supports an action; `None` if the action does not apply.
fn render_support(ability: ActionSupport) -> Option<(Tone, String)> {
    match ability {
        ActionSupport::Supported => Some((Tone::Good, String::from("supported"))),
        ActionSupport::Approximated(how) => Some((Tone::Warn, format!("approximated: {how}"))),
        ActionSupport::WithApprovalOnly(reason) => {
            Some((Tone::Warn, format!("supported if the call is also approved, otherwise denied: {reason}")))
        }
        ActionSupport::Deferred(how) => Some((Tone::Warn, format!("deferred: {how}"))),
        ActionSupport::DeniedInstead(reason) => Some((Tone::Warn, format!("denied instead: {reason}"))),
        ActionSupport::RunEndedInstead(reason) => Some((Tone::Warn, format!("run ended instead: {reason}"))),
        ActionSupport::NotifiesUser(reason) => Some((Tone::Warn, format!("user notified instead: {reason}"))),
        ActionSupport::Dropped(reason) => Some((Tone::Bad, format!("dropped: {reason}"))),
        ActionSupport::NotApplicable => None,
    }
}

fn event_to_json(def: &pintle_bridge::HostEventDef) -> Value {
    let word = |ability| match ability {
        ActionSupport::Supported => Some(("supported", "")),
        ActionSupport::Approximated(how) => Some(("approximated", how)),
        ActionSupport::WithApprovalOnly(reason) => Some(("with_approval_only", reason)),
        ActionSupport::Deferred(how) => Some(("deferred", how)),
        ActionSupport::DeniedInstead(reason) => Some(("denied_instead", reason)),
        ActionSupport::RunEndedInstead(reason) => Some(("run_ended_instead", reason)),
        ActionSupport::NotifiesUser(reason) => Some(("user_notified", reason)),
        ActionSupport::Dropped(reason) => Some(("dropped", reason)),
        ActionSupport::NotApplicable => None,
    };
    let decisions = HookAction::ALL.into_iter().filter_map(|verb| {
        let (support, reason) = word(def.support.support_for(verb))?;
        Some(json!({"decision": verb.as_str(), "support": support, "reason": reason}))
    });
    json!({
        "event": def.name,
        "fires": def.fired_events().collect::<Vec<_>>(),
        "guards": def.is_guard,
        "installed": !def.high_volume,
        "decisions": decisions.collect::<Vec<_>>(),
    })
}
