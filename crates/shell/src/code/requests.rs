//! What code reads and requests from addresses.

use super::facts::{CodeFacts, sends_by_option};
use super::functions::CodeEffect;
use super::reader::CodeCall;
use super::value::last_part;
use crate::OperationKind;
use crate::address::push_address;
use crate::paths::UNKNOWN;
use crate::walk::{CommandWalk, ShellArg, TextFlow, TextTaint};

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
    let taint = if facts.has_output { facts.taint | TextTaint::OUTPUT } else { facts.taint };
    let has_data = taint.has(TextTaint::FILE | TextTaint::SECRET | TextTaint::ENVIRONMENT | TextTaint::OUTPUT);
    let shown = address.cloned().unwrap_or_default();
    if is_sending && has_data {
        facts.sends = true;
        facts.has_sent = true;
        push_address(walk, OperationKind::Upload, language, &shown, taint);
    } else if is_sending {
        push_address(walk, OperationKind::Upload, language, &shown, TextTaint::NONE);
    } else {
        facts.uses_network = true;
        push_address(walk, OperationKind::Download, language, &shown, TextTaint::NONE);
    }
    let saves = matches!(last_part(&call.name), "urlretrieve" | "getstore" | "file" | "url-copy-file" | "mirror");
    if let Some(file) = call.texts.iter().find(|text| saves && !text.contains("://")) {
        walk.write_file(language, &ShellArg::new(file.as_str()), "download", TextFlow::from_taint(TextTaint::NETWORK));
    }
}
