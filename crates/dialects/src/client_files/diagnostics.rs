//! Diagnostics for settings that are not supported.

use pintle_contract::{ByteSpan, Diagnostic, Severity};

use super::ClientSource;

/// Reports a known setting that is not supported.
pub(super) fn not_carried_over(
    source: &ClientSource<'_>,
    severity: Severity,
    action: &str,
    reason: &str,
    span: ByteSpan,
) {
    let message = format!("{action} is not supported: {reason}");
    let diagnostic = Diagnostic::warning("not_carried_over", message, source.report.location(span));
    source.report.add(Diagnostic { severity, ..diagnostic });
}

/// Reports an event that no other agent has.
pub(super) fn event_not_carried_over(source: &ClientSource<'_>, name: &str, reason: &str, span: ByteSpan) {
    let message = format!("the event `{name}` is not supported: {reason}");
    let help = format!("its hooks still run in {}", source.client.title);
    source.report.warning("not_carried_over", message, span, help);
}
