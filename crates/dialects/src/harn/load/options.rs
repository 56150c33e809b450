//! Reads the options that every registration can have.

use super::argument::ArgumentReader;
use crate::document::FieldReader;
use crate::harn::HarnHookOptions;
use crate::words::{ENFORCEMENT_MODES, FAILURE_POLICIES, read_failure_words};

/// The maximum timeout of one call: one hour.
const MAX_TIMEOUT_MS: u64 = 3_600_000;

/// Reads the options of a call.
pub(super) fn from_call(arguments: &mut ArgumentReader<'_>) -> HarnHookOptions {
    let name = arguments.text("name").filter(|name| !name.trim().is_empty());
    let timeout_ms = arguments.number("timeout_ms", 1);
    if let Some(long) = timeout_ms.filter(|timeout| *timeout > MAX_TIMEOUT_MS) {
        arguments.report_fault(
            format!("`timeout_ms` must be at most {MAX_TIMEOUT_MS}, not {long}"),
            "the maximum is one hour",
        );
    }
    HarnHookOptions {
        name,
        timeout_ms,
        on_error: arguments.choice("on_error", &FAILURE_POLICIES),
        mode: arguments.choice("mode", &ENFORCEMENT_MODES).unwrap_or_default(),
        tools: arguments.texts("tools"),
    }
}

/// Reads the options of a manifest's table.
pub(super) fn from_fields(fields: &mut FieldReader<'_>) -> HarnHookOptions {
    HarnHookOptions {
        name: fields.text("name").filter(|name| !name.trim().is_empty()),
        timeout_ms: fields.integer("timeout_ms", 1..=MAX_TIMEOUT_MS),
        on_error: fields.choice("on_error", &FAILURE_POLICIES).or_else(|| read_failure_words(fields)),
        mode: fields.choice("mode", &ENFORCEMENT_MODES).unwrap_or_default(),
        tools: fields.texts("tools"),
    }
}
