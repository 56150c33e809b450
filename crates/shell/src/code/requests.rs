//! What code reads and requests from addresses.

use super::CodeFacts;
use super::functions::CodeEffect;
use super::reader::CodeCall;
use crate::OperationKind;
use crate::address::push_address;
use crate::paths::UNKNOWN;
use crate::walk::{CommandWalk, ShellArg, TextTaint};

/// Reads a file, or an address.
pub(super) fn push_read(walk: &mut CommandWalk<'_>, language: &str, path: &ShellArg, facts: &mut CodeFacts) {
    if path.text.starts_with("http://") || path.text.starts_with("https://") {
        facts.uses_network = true;
        let (kind, taint) = if facts.posts {
            facts.has_sent = true;
            (OperationKind::Upload, facts.taint)
        } else {
            (OperationKind::Download, TextTaint::NONE)
        };
        push_address(walk, kind, language, &path.text, taint);
        return;
    }
    if path.text.starts_with("php://") {
        return;
    }
    facts.taint |= walk.read_file(language, path, false).taint;
}

/// Whether the options of a request say that it sends something.
pub(super) fn sends_by_option(call: &CodeCall) -> bool {
    call.texts.iter().any(|text| matches!(text.to_ascii_uppercase().as_str(), "POST" | "PUT" | "PATCH"))
        || call.names.iter().any(|name| matches!(name.as_str(), "data" | "body" | "files" | "json"))
}

/// Adds what a request of the code sends or fetches.
pub(super) fn push_request(
    walk: &mut CommandWalk<'_>,
    language: &str,
    call: &CodeCall,
    effect: CodeEffect,
    facts: &mut CodeFacts,
) {
    let address = call
        .texts
        .iter()
        .find(|text| text.contains("://"))
        .or_else(|| call.texts.iter().find(|text| text.as_str() == "localhost"))
        .or_else(|| call.texts.iter().find(|text| text.contains('.') && !text.contains([' ', '\n'])));
    if effect == CodeEffect::Socket && address.is_none() {
        return;
    }
    let is_sending = matches!(effect, CodeEffect::Transmit | CodeEffect::Socket)
        || sends_by_option(call)
        || address.is_some_and(|address| address.contains(UNKNOWN));
    let has_data = facts.taint.has(TextTaint::FILE | TextTaint::SECRET | TextTaint::ENVIRONMENT);
    let shown = address.cloned().unwrap_or_default();
    if is_sending && has_data {
        facts.sends = true;
        facts.has_sent = true;
        push_address(walk, OperationKind::Upload, language, &shown, facts.taint);
    } else if is_sending {
        push_address(walk, OperationKind::Upload, language, &shown, TextTaint::NONE);
    } else {
        facts.uses_network = true;
        push_address(walk, OperationKind::Download, language, &shown, TextTaint::NONE);
    }
}
