//! Programs that copy to other machines, connect to them, or ask them for names.

use super::files::{is_host_path, write_inside, write_target};
use super::network::sends_local_data;
use super::option_uses::{glued_value, option_values};
use super::table::TableRow;
use crate::address::push_address;
use crate::walk::{CommandWalk, ParsedOptions, ProgramCall, ShellArg, TextFlow, TextTaint};
use crate::word_lists::is_listed;
use crate::{Operation, OperationKind};

pub(super) fn run_netcat(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let runs = parsed.values("e", "exec").chain(parsed.values("c", "sh-exec")).next();
    if let Some(program) = runs.filter(|program| call.name != "telnet" && !program.text.is_empty()) {
        walk.push(Operation::new(OperationKind::System, call.name).action("remote_shell").written(program.shown()));
    }
    let host = parsed.operands.first().map(|host| host.text.clone()).unwrap_or_default();
    let taint = call.stdin.taint;
    let scans = parsed.has("z", "");
    if sends_local_data(taint) && !scans {
        push_address(walk, OperationKind::Upload, call.name, &host, taint);
    } else {
        push_address(walk, OperationKind::Download, call.name, &host, TextTaint::NONE);
    }
    TextFlow::from_taint(TextTaint::NETWORK)
}

pub(super) fn run_socat(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let mut taint = TextTaint::NONE;
    let mut remote: Option<String> = None;
    for operand in &parsed.operands {
        let (kind, rest) = operand.text.split_once(':').unwrap_or((operand.text.as_str(), ""));
        let kind = kind.to_ascii_uppercase();
        match kind.as_str() {
            "EXEC" | "SYSTEM" | "SHELL" => {
                walk.push(Operation::new(OperationKind::System, call.name).action("remote_shell").written(rest));
                walk.run_line(rest.split(',').next().unwrap_or(rest), &TextFlow::default());
            }
            "-" | "STDIN" | "STDIO" => taint |= call.stdin.taint,
            "FILE" | "OPEN" | "GOPEN" => {
                taint |= walk.read_file(call.name, &ShellArg::new(rest.split(',').next().unwrap_or(rest)), false).taint
            }
            kind if !kind.contains("LISTEN")
                && ["TCP", "UDP", "OPENSSL", "SSL", "PROXY", "SOCKS"].iter().any(|start| kind.starts_with(start)) =>
            {
                remote = Some(rest.to_owned());
            }
            _ => {}
        }
    }
    if let Some(host) = remote {
        let kind = if sends_local_data(taint) { OperationKind::Upload } else { OperationKind::Download };
        push_address(walk, kind, call.name, &host, taint);
    }
    TextFlow::from_taint(TextTaint::NETWORK)
}

pub(super) fn run_remote_copy(
    walk: &mut CommandWalk<'_>,
    call: &ProgramCall<'_>,
    parsed: &ParsedOptions<'_>,
) -> TextFlow {
    let is_remote = |text: &str| text.contains("://") || is_host_path(text);
    let names_target = call.name == "sftp" && parsed.operands.len() > 1;
    if names_target || matches!(call.name, "scp" | "pscp") {
        let Some((target, sources)) = parsed.operands.split_last() else { return TextFlow::default() };
        for source in sources {
            if is_remote(&source.text) {
                push_address(walk, OperationKind::Download, call.name, &source.text, TextTaint::NONE);
                walk.write_file(call.name, target, "download", TextFlow::from_taint(TextTaint::NETWORK));
                write_inside(walk, call.name, target, source, &TextFlow::from_taint(TextTaint::NETWORK));
            } else {
                let mut flow = walk.read_file(call.name, source, parsed.has("r", ""));
                if parsed.has("r", "") {
                    flow.taint |= walk.sweep(call, &[source]);
                }
                if is_remote(&target.text) {
                    push_address(walk, OperationKind::Upload, call.name, &target.text, flow.taint | TextTaint::FILE);
                } else {
                    write_target(walk, call.name, target, source, &flow);
                }
            }
        }
        return TextFlow::default();
    }
    let sends_files = is_listed("croc wormhole magic-wormhole transfer ffsend rsend gh-gist ncftpput", call.name);
    let mut taint = call.stdin.taint;
    for operand in &parsed.operands {
        if sends_files && !matches!(operand.text.as_str(), "send" | "upload") {
            taint |= walk.read_file(call.name, operand, true).taint | TextTaint::FILE;
        }
    }
    // Commands of an ftp program in its input or its options.
    let script = call.stdin.text.clone().unwrap_or_default()
        + &parsed
            .values("e", "")
            .chain(parsed.values("c", ""))
            .map(|arg| arg.text.clone())
            .collect::<Vec<_>>()
            .join(";");
    for command in script.split([';', '\n']) {
        let mut words = command.split_whitespace();
        if matches!(words.next(), Some("put" | "mput" | "mirror" | "send" | "reput"))
            && let Some(file) = words.find(|word| !word.starts_with('-'))
        {
            taint |= walk.read_file(call.name, &ShellArg::new(file), true).taint | TextTaint::FILE;
        }
    }
    let address = parsed.operands.iter().find(|operand| operand.text.contains("://")).or(parsed.operands.first());
    let host = address.map(|host| host.text.clone()).unwrap_or_default();
    if sends_local_data(taint) || matches!(call.name, "pastebinit" | "ix" | "sprunge") {
        push_address(walk, OperationKind::Upload, call.name, &host, taint | TextTaint::FILE);
    } else {
        push_address(walk, OperationKind::Download, call.name, &host, TextTaint::NONE);
    }
    TextFlow::from_taint(TextTaint::NETWORK)
}

pub(super) fn run_lookup(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let sent: Vec<&ShellArg> = parsed.operands.iter().copied().chain(parsed.values("p", "")).collect();
    let taint = sent.iter().fold(TextTaint::NONE, |taint, arg| taint | arg.taint);
    if sends_local_data(taint)
        && sent.iter().any(|arg| !arg.is_known() || arg.taint.has(TextTaint::FILE | TextTaint::SECRET))
    {
        let name = parsed.operands.iter().map(|arg| arg.shown()).collect::<Vec<_>>().join(" ");
        walk.push(taint.tag(Operation::new(OperationKind::Upload, call.name).action("lookup").written(name)));
    }
    TextFlow::from_taint(TextTaint::OUTPUT)
}

pub(super) fn run_mail(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let mut taint = call.stdin.taint;
    for file in parsed.values("a", "attach").chain(parsed.values("A", "body")) {
        let file = file.with_text(file.text.trim_start_matches('@').to_owned());
        taint |= walk.read_file(call.name, &file, false).taint | TextTaint::FILE;
    }
    let to = parsed.operands.last().map(|to| to.shown()).unwrap_or_default();
    walk.push(taint.tag(Operation::new(OperationKind::Upload, call.name).action("mail").written(to)));
    TextFlow::known("")
}

/// Backups: an upload if their store is elsewhere.
pub(super) fn run_backup(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let is_remote = |text: &str| {
        text.contains("://") || text.split_once(':').is_some_and(|(start, _)| start.len() > 1 && !start.contains('/'))
    };
    let stores = parsed.values("r", "repo").chain(parsed.operands.iter().copied());
    let Some(store) = stores.into_iter().find(|store| is_remote(&store.text)).cloned() else {
        return TextFlow::from_taint(TextTaint::OUTPUT);
    };
    let reads = ["backup", "create", "snapshot", "full", "incr", "incremental"];
    let is_reading = call.has_arg(&reads) || matches!(call.name, "duplicity" | "rdiff-backup");
    let mut taint = TextTaint::NONE;
    let is_source = |operand: &&&ShellArg| !is_remote(&operand.text) && !reads.contains(&operand.text.as_str());
    for source in parsed.operands.iter().filter(is_source).filter(|_| is_reading) {
        taint |= walk.read_file(call.name, source, true).taint | TextTaint::FILE;
    }
    let kind = if taint == TextTaint::NONE { OperationKind::Download } else { OperationKind::Upload };
    push_address(walk, kind, call.name, &store.text, taint);
    TextFlow::from_taint(TextTaint::OUTPUT)
}

/// What a program gives a server: the options of its host and the variables in which it is named, the options of a file, and
/// words in front of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct SenderDef {
    hosts: &'static str,
    files: &'static str,
    inputs: &'static str,
}

impl SenderDef {
    pub(super) fn read(row: TableRow) -> Self {
        Self { hosts: row.text("hosts"), files: row.text("files"), inputs: row.text("inputs") }
    }
}

pub(super) fn run_senders(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    if call.name == "tftp" {
        let mut files = call.args.iter().skip_while(|arg| arg.text != "put").skip(1).take(1).peekable();
        let host = parsed.operands.first().map(|host| host.text.clone()).unwrap_or_default();
        if files.peek().is_some() {
            let taint = files.fold(TextTaint::FILE, |taint, file| taint | walk.read_file(call.name, file, false).taint);
            push_address(walk, OperationKind::Upload, call.name, &host, taint);
        }
    }
    TextFlow::from_taint(TextTaint::NETWORK)
}

/// Adds what a program gives to the servers that its options name: its input, files and what is in its arguments.
pub(super) fn push_sent(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, sender: &SenderDef) {
    let options = |listed: &'static str| listed.split_ascii_whitespace();
    let mut taint = call.args.iter().fold(TextTaint::NONE, |taint, arg| taint | arg.taint);
    for (file, _) in options(sender.files).flat_map(|option| option_values(call.args, option)) {
        taint |= walk.read_file(call.name, &file, false).taint | TextTaint::FILE;
    }
    if options(sender.inputs).any(|option| call.args.iter().any(|arg| glued_value(&arg.text, option).is_some())) {
        taint |= call.stdin.taint;
    }
    if sends_local_data(taint) {
        let given = options(sender.hosts).flat_map(|option| option_values(call.args, option)).map(|(host, _)| host);
        let is_variable = |name: &&str| name.starts_with(|first: char| first.is_ascii_uppercase());
        let set = options(sender.hosts).filter(is_variable).filter_map(|name| walk.variable(name)?.into_iter().next());
        let hosts: Vec<ShellArg> = given.chain(set).collect();
        // Each server of a list may be the one that gets it.
        for host in hosts.iter().flat_map(|host| host.text.split(',')) {
            push_address(walk, OperationKind::Upload, call.name, host, taint);
        }
    }
}
