//! The user's hooks in a host agent, as `pintle doctor` and `pintle install` report them.

use pintle_bridge::doctor::{CheckStatus, DoctorFinding, GuardCheck};
use pintle_host::tape::show::{Tone, single_line};
use serde_json::{Value, json};

use super::style;
use crate::terminal::Terminal;

/// Most characters of a line.
const CUT: usize = 600;

/// Prints what was found after an installation. A problem is only a warning there.
pub(crate) fn print_findings(findings: &[DoctorFinding], terminal: &Terminal) {
    for DoctorFinding { status, text, help } in findings {
        let text = single_line(text, CUT);
        match status {
            CheckStatus::Ok => terminal.print_line(format!("  {text}")),
            CheckStatus::Note => terminal.print_note(text),
            CheckStatus::Problem => terminal.print_error_line(style::with_label(Tone::Warn, "warning", text)),
        }
        if let Some(next_step) = help {
            terminal.print_error_line(style::with_label(Tone::Quiet, "help", single_line(next_step, CUT)));
        }
    }
}

/// Renders findings as JSON.
pub(crate) fn findings_to_json(findings: &[DoctorFinding]) -> Value {
    let finding = |finding: &DoctorFinding| json!({"health": finding.status.as_str(), "text": finding.text, "help": finding.help});
    findings.iter().map(finding).collect()
}

/// Renders the hooks that an installed location loads, and the test calls that they refused, as JSON.
pub(crate) fn to_json(guards: &GuardCheck) -> Value {
    let hooks = guards.hooks.iter().map(|hook| {
        json!({
            "hook": hook.name,
            "event": hook.event,
            "layer": hook.layer,
            "path": hook.source,
            "mode": hook.mode,
            "can_refuse": hook.can_refuse,
        })
    });
    let refused = guards.refusals.iter().map(|refusal| json!({"hooks": refusal.hooks, "call": refusal.call}));
    json!({
        "count": guards.hooks.len(),
        "hooks": hooks.collect::<Vec<_>>(),
        "refused": refused.collect::<Vec<_>>(),
    })
}
