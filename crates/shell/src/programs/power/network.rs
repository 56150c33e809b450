//! Cmdlets that get data from the network, or send it.

use super::params::{CmdletCall, literal_path};
use super::shared::{is_nothing, run_twin};
use crate::address::{host_of, is_local_host};
use crate::programs::network::push_address_data;
use crate::walk::{CommandWalk, ShellArg, TextFlow, TextTaint};
use crate::{Operation, OperationKind, OperationTag};

/// What a request sends and gets.
pub(super) fn push_request(
    walk: &mut CommandWalk<'_>,
    program: &str,
    address: &ShellArg,
    sent: Option<TextTaint>,
) -> TextFlow {
    if let Some(path) = address.text.strip_prefix("file://") {
        return walk.read_file(program, &ShellArg::new(path), false);
    }
    push_address_data(walk, program, address, sent);
    let is_local = is_local_host(host_of(&address.text));
    TextFlow::from_taint(if is_local { TextTaint::OUTPUT } else { TextTaint::NETWORK })
}

pub(super) fn run_request(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let mut sent: Option<TextTaint> = None;
    let mut add = |taint: TextTaint| sent = Some(sent.unwrap_or_default() | taint);
    if call.has("body") {
        add(call.values("body").fold(TextTaint::NONE, |taint, value| taint | value.taint));
    }
    for value in call.values("form") {
        add(value.taint.without(TextTaint::NAMES));
        // A file in a form: `@{file = Get-Item x}`.
        let path = value.text.split_once(':').map_or(value.text.as_str(), |(_, path)| path);
        if value.text.contains(['/', '\\', '.']) && !path.contains("://") {
            add(walk.read_file(call.name(), &literal_path(&ShellArg::new(path)), false).taint);
        }
    }
    for file in call.values("infile") {
        add(walk.read_file(call.name(), &literal_path(file), false).taint | TextTaint::FILE);
    }
    for value in call.values("headers").chain(call.values("useragent")) {
        // A header with a token is how one signs in; one with a file is not.
        if value.taint.has(TextTaint::FILE | TextTaint::ENVIRONMENT) {
            add(value.taint);
        }
    }
    let has_address = call.value("uri", 0).is_some();
    // A method sends its receiver only with a text.
    let takes_input = !call.is_method || call.has("body");
    if takes_input && has_address && !is_nothing(call.stdin) && call.stdin.taint != TextTaint::NONE {
        add(call.stdin.taint);
    }
    let piped = crate::walk::power_items(call.stdin);
    let address = call.value("uri", 0).or_else(|| piped.first().filter(|_| !is_nothing(call.stdin)));
    let Some(address) = address.cloned() else { return TextFlow::from_taint(TextTaint::NETWORK) };
    let flow = push_request(walk, call.name(), &address, sent);
    match call.values("outfile").next() {
        Some(file) => {
            walk.write_file(call.name(), &literal_path(file), "download", flow);
            TextFlow::known("")
        }
        None => flow,
    }
}

pub(super) fn run_resolve(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    run_twin(walk, &["nslookup"], call.names().cloned().collect(), &TextFlow::default())
}

pub(super) fn run_bits(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let Some(source) = call.value("source", 0).cloned() else { return TextFlow::default() };
    let target = call.value("destination", 1).cloned().unwrap_or_else(|| ShellArg::new("."));
    if target.text.contains("://") || call.text("transfertype", 9).starts_with("up") {
        let flow = walk.read_file(call.name(), &literal_path(&source), false);
        return push_request(walk, call.name(), &target, Some(flow.taint | TextTaint::FILE));
    }
    let flow = push_request(walk, call.name(), &source, None);
    walk.write_file(call.name(), &literal_path(&target), "download", flow);
    TextFlow::known("")
}

pub(super) fn run_mail(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let mut taint = call.taint() | call.stdin.taint;
    for file in call.values("attachments") {
        taint |= walk.read_file(call.name(), &literal_path(file), false).taint | TextTaint::FILE;
    }
    let to = call.value("to", 0).map(ShellArg::shown).unwrap_or_default();
    let operation = Operation::new(OperationKind::Upload, call.name()).action("mail").written(to);
    walk.push(taint.tag(operation).tag(OperationTag::Network));
    TextFlow::known("")
}
