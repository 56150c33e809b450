//! Programs that get data from the network, or send it.

use super::ProgramCall;
use crate::walk::{CommandWalk, ParsedOptions, ShellArg, Taint, TextFlow};
use crate::{Operation, OperationKind, OperationTag};

pub(super) const CURL_VALUED: &[&str] = &[
    "data",
    "data-raw",
    "data-binary",
    "data-urlencode",
    "data-ascii",
    "json",
    "form",
    "form-string",
    "upload-file",
    "output",
    "request",
    "header",
    "user",
    "user-agent",
    "cookie",
    "cookie-jar",
    "url",
    "proxy",
    "max-time",
    "connect-timeout",
    "retry",
    "config",
    "cert",
    "key",
    "cacert",
    "resolve",
    "write-out",
    "referer",
    "output-dir",
    "retry-delay",
    "oauth2-bearer",
    "unix-socket",
    "interface",
    "limit-rate",
    "variable",
    "expand-data",
    "mail-from",
    "mail-rcpt",
    "range",
    "ciphers",
    "netrc-file",
    "dns-servers",
];
pub(super) const WGET_VALUED: &[&str] = &[
    "output-document",
    "post-file",
    "post-data",
    "body-file",
    "body-data",
    "method",
    "header",
    "directory-prefix",
    "user-agent",
    "timeout",
    "tries",
    "input-file",
    "user",
    "password",
    "output-file",
    "append-output",
    "execute",
    "referer",
    "level",
    "accept",
    "reject",
    "use-askpass",
    "dir",
    "out",
];
/// Hosts that are this machine.
const LOCAL_HOSTS: [&str; 6] = ["localhost", "127.0.0.1", "0.0.0.0", "[::1]", "::1", "host.docker.internal"];
/// Addresses that give a machine's own credentials.
const METADATA_HOSTS: [&str; 6] = [
    "169.254.169.254",
    "metadata.google.internal",
    "metadata.goog",
    "100.100.100.200",
    "169.254.170.2",
    "[fd00:ec2::254]",
];
/// Other spellings of 169.254.169.254.
const METADATA_SPELLINGS: [&str; 6] =
    ["2852039166", "0xa9fea9fe", "0xA9FEA9FE", "0251.0376.0251.0376", "0xa9.0xfe.0xa9.0xfe", "169.254.43518"];

/// The host of an address.
pub(crate) fn host_of(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let authority = rest.get(..end).unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    if host.starts_with('[') {
        return host.find(']').and_then(|end| host.get(..=end)).unwrap_or(host);
    }
    host.split(':').next().unwrap_or(host)
}

/// Whether a host is this machine.
pub(crate) fn is_local_host(host: &str) -> bool {
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    LOCAL_HOSTS.contains(&host) || host.starts_with("127.") || host.ends_with(".localhost") || host.ends_with(".local")
}

/// An operation on an address.
pub(crate) fn push_address(
    walk: &mut CommandWalk<'_>,
    kind: OperationKind,
    program: &str,
    address: &str,
    taint: Taint,
) {
    let host = host_of(address);
    let is_metadata = METADATA_HOSTS.contains(&host) || METADATA_SPELLINGS.contains(&host);
    let operation = Operation::new(kind, program)
        .written(address.replace(crate::paths::UNKNOWN, "…"))
        .tag_if(is_local_host(host), OperationTag::Local)
        .tag_if(is_metadata, OperationTag::Metadata);
    walk.push(taint.tag(operation));
}

/// What is known of a text that a program sends: `@file`, `@-`, or the text itself.
fn sent_taint(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, value: &ShellArg, reads_files: bool) -> Taint {
    let file = value
        .text
        .strip_prefix('@')
        .or_else(|| value.text.split_once("=@").map(|(_, file)| file))
        .or_else(|| {
            // `-F name=<file`.
            value.text.split_once("=<").map(|(_, file)| file)
        })
        .or_else(|| {
            value
                .text
                .split_once('@')
                .filter(|(name, _)| call.name.starts_with("http") || !name.contains(['=', ' ', '{', '"', ':', '&']))
                .map(|(_, file)| file)
        });
    match file {
        Some("-" | "/dev/stdin") if reads_files => call.stdin.taint | value.taint,
        Some(file) if reads_files && !file.is_empty() => {
            let file = file.split(';').next().unwrap_or(file);
            let flow = walk.read_file(
                call.name,
                &ShellArg { text: file.to_owned(), content: value.content.clone(), ..value.clone() },
                false,
            );
            flow.taint | Taint::FILE | value.taint
        }
        _ => value.taint,
    }
}

/// Whether the output of a command is worth more than the words of a request.
fn sends_local_data(taint: Taint) -> bool {
    taint.has(Taint::FILE | Taint::SECRET | Taint::OUTPUT | Taint::ENVIRONMENT)
}

pub(super) fn run_curl(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let is_httpie = matches!(call.name, "http" | "https" | "xh" | "httpie");
    let mut sent: Option<Taint> = None;
    let mut add = |taint: Taint| sent = Some(sent.unwrap_or_default() | taint);
    for (option, value) in &parsed.options {
        let Some(value) = value else { continue };
        match *option {
            "d" | "data" | "data-binary" | "data-urlencode" | "data-ascii" | "json" | "F" | "form" | "variable"
            | "expand-data" => {
                add(sent_taint(walk, call, value, true));
            }
            "data-raw" | "form-string" => add(value.taint),
            "T" | "upload-file" => {
                let taint = if value.text == "-" || value.text == "." {
                    call.stdin.taint | Taint::FILE
                } else {
                    walk.read_file(call.name, value, false).taint | Taint::FILE
                };
                add(taint);
            }
            "H" | "header" | "A" | "user-agent" | "e" | "referer" | "b" | "cookie" | "u" | "user" => {
                // A header with a token is how one signs in; one with a file is not.
                if value.taint.has(Taint::FILE) || value.text.starts_with('@') {
                    add(sent_taint(walk, call, value, true));
                }
            }
            "K" | "config" => {
                walk.read_file(call.name, value, false);
                if value.text == "-" && call.stdin.taint != Taint::NONE || !value.is_known() {
                    add(call.stdin.taint);
                }
            }
            _ => {}
        }
    }
    let skipped = usize::from(
        is_httpie
            && parsed
                .operands
                .first()
                .is_some_and(|method| method.text.chars().all(|letter| letter.is_ascii_uppercase())),
    );
    let mut addresses: Vec<&ShellArg> = parsed.operands.iter().skip(skipped).copied().collect();
    addresses.extend(parsed.values("", "url"));
    if is_httpie {
        let items = addresses.split_off(addresses.len().min(1));
        for item in items {
            if item.text.contains(['=', '@']) {
                add(sent_taint(walk, call, item, true));
            }
        }
        if call.stdin.taint.has(Taint::FILE | Taint::SECRET | Taint::OUTPUT | Taint::ENVIRONMENT) {
            add(call.stdin.taint);
        }
    }
    let mut flow = TextFlow::of(Taint::NETWORK);
    let mut taint = sent;
    for address in &addresses {
        if let Some(path) = address.text.strip_prefix("file://") {
            flow.append(walk.read_file(call.name, &ShellArg::new(path), false));
            continue;
        }
        // Data in the address itself.
        if address.taint.has(Taint::FILE | Taint::SECRET | Taint::ENVIRONMENT)
            || address.taint.has(Taint::OUTPUT)
                && address.text.contains(crate::paths::UNKNOWN)
                && is_data_position(&address.text)
        {
            taint = Some(taint.unwrap_or_default() | address.taint);
        }
    }
    let mut seen = false;
    for address in addresses.iter().filter(|address| !address.text.starts_with("file:")) {
        seen = true;
        match taint {
            Some(taint) => push_address(walk, OperationKind::Upload, call.name, &address.text, taint),
            None => push_address(walk, OperationKind::Download, call.name, &address.text, Taint::NONE),
        }
    }
    if !seen && let Some(taint) = taint.filter(|taint| sends_local_data(*taint)) {
        walk.push(taint.tag(Operation::new(OperationKind::Upload, call.name)));
    }
    if addresses.iter().all(|address| is_local_host(host_of(&address.text))) && !addresses.is_empty() {
        flow.taint = flow.taint.without(Taint::NETWORK) | Taint::OUTPUT;
    }
    flow.text = None;
    let remote_name = parsed.has("O", "remote-name") || parsed.has("J", "remote-header-name");
    save_download(
        walk,
        call,
        parsed.values("o", "output").next(),
        remote_name.then(|| addresses.first().copied()).flatten(),
        parsed.values("", "output-dir").next(),
        flow,
    )
}

/// Whether the unknown part of an address is in its query or host rather than a part of its path.
fn is_data_position(address: &str) -> bool {
    let unknown = address.find(crate::paths::UNKNOWN).unwrap_or(0);
    let before = address.get(..unknown).unwrap_or_default();
    before.contains('?') || !before.split_once("://").map_or(before, |(_, rest)| rest).contains('/')
}

/// Saves what was downloaded, and gives what is printed instead.
fn save_download(
    walk: &mut CommandWalk<'_>,
    call: &ProgramCall<'_>,
    output: Option<&ShellArg>,
    named_by: Option<&ShellArg>,
    directory: Option<&ShellArg>,
    flow: TextFlow,
) -> TextFlow {
    let target = match (output, named_by) {
        (Some(output), _) if matches!(output.text.as_str(), "-" | "/dev/stdout") => return flow,
        (Some(output), _) => output.clone(),
        (None, Some(address)) => {
            let plain = address.text.split(['?', '#']).next().unwrap_or_default();
            let name = plain.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
            ShellArg::new(match directory {
                Some(directory) => format!("{}/{name}", directory.text.trim_end_matches('/')),
                None => name,
            })
        }
        (None, None) => return flow,
    };
    if target.text != "/dev/null" {
        walk.write_file(call.name, &target, "download", flow);
    }
    TextFlow::known("")
}

pub(super) fn run_wget(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let mut sent: Option<Taint> = None;
    for (option, value) in &parsed.options {
        let Some(value) = value else { continue };
        let taint = match *option {
            "post-file" | "body-file" => walk.read_file(call.name, value, false).taint | Taint::FILE,
            "post-data" | "body-data" => value.taint,
            "header" if value.taint.has(Taint::FILE) => value.taint,
            _ => continue,
        };
        sent = Some(sent.unwrap_or_default() | taint);
    }
    for address in &parsed.operands {
        let mut taint = sent;
        if address.taint.has(Taint::FILE | Taint::SECRET | Taint::ENVIRONMENT)
            || address.taint.has(Taint::OUTPUT) && is_data_position(&address.text) && !address.is_known()
        {
            taint = Some(taint.unwrap_or_default() | address.taint);
        }
        let kind = if taint.is_some() { OperationKind::Upload } else { OperationKind::Download };
        push_address(walk, kind, call.name, &address.text, taint.unwrap_or_default());
    }
    let flow = TextFlow::of(Taint::NETWORK);
    if matches!(call.name, "lynx" | "w3m" | "links" | "elinks") || call.has_arg(&["--spider"]) {
        return flow;
    }
    let output = match call.name {
        "aria2c" | "axel" => parsed.values("o", "out").next(),
        _ => parsed
            .values("O", "output-document")
            .next()
            .or_else(|| call.args.iter().find(|arg| arg.text.starts_with("-qO") && arg.text.len() > 3).and(None)),
    };
    if call.args.iter().any(|arg| arg.text.ends_with("O-")) {
        return flow;
    }
    let directory = parsed.values("P", "directory-prefix").next().or_else(|| parsed.values("d", "dir").next());
    save_download(walk, call, output, parsed.operands.first().copied(), directory, flow)
}

pub(super) fn run_netcat(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let runs = parsed.values("e", "exec").chain(parsed.values("c", "sh-exec")).next();
    if let Some(program) = runs.filter(|program| call.name != "telnet" && !program.text.is_empty()) {
        walk.push(Operation::new(OperationKind::System, call.name).action("remote_shell").written(program.shown()));
    }
    let host = parsed.operands.first().map(|host| host.text.clone()).unwrap_or_default();
    let listens = parsed.has("l", "listen");
    let taint = call.stdin.taint;
    let scans = parsed.has("z", "");
    if sends_local_data(taint) && !scans {
        push_address(walk, OperationKind::Upload, call.name, &host, taint);
    } else if call.stdin.text.is_some() || listens || scans {
        push_address(walk, OperationKind::Download, call.name, &host, Taint::NONE);
    } else {
        push_address(walk, OperationKind::Download, call.name, &host, Taint::NONE);
    }
    TextFlow::of(Taint::NETWORK)
}

pub(super) fn run_socat(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let mut taint = Taint::NONE;
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
            kind if kind.starts_with("TCP")
                || kind.starts_with("UDP")
                || kind.starts_with("OPENSSL")
                || kind.starts_with("SSL")
                || kind.starts_with("PROXY")
                || kind.starts_with("SOCKS") =>
            {
                if !kind.contains("LISTEN") {
                    remote = Some(rest.to_owned());
                }
            }
            _ => {}
        }
    }
    if let Some(host) = remote {
        let kind = if sends_local_data(taint) { OperationKind::Upload } else { OperationKind::Download };
        push_address(walk, kind, call.name, &host, taint);
    }
    TextFlow::of(Taint::NETWORK)
}

pub(super) fn run_copy_to_host(
    walk: &mut CommandWalk<'_>,
    call: &ProgramCall<'_>,
    parsed: &ParsedOptions<'_>,
) -> TextFlow {
    let is_remote = |text: &str| {
        text.contains("://") || text.split_once(':').is_some_and(|(host, _)| !host.contains('/') && host.len() > 1)
    };
    if matches!(call.name, "scp" | "pscp") {
        let Some((target, sources)) = parsed.operands.split_last() else { return TextFlow::default() };
        for source in sources {
            if is_remote(&source.text) {
                push_address(walk, OperationKind::Download, call.name, &source.text, Taint::NONE);
                walk.write_file(call.name, target, "download", TextFlow::of(Taint::NETWORK));
            } else {
                let flow = walk.read_file(call.name, source, parsed.has("r", ""));
                if is_remote(&target.text) {
                    push_address(walk, OperationKind::Upload, call.name, &target.text, flow.taint | Taint::FILE);
                }
            }
        }
        return TextFlow::default();
    }
    let sends_files = matches!(
        call.name,
        "croc" | "wormhole" | "magic-wormhole" | "transfer" | "ffsend" | "rsend" | "gh-gist" | "ncftpput"
    );
    let mut taint = call.stdin.taint;
    for operand in &parsed.operands {
        if sends_files && !matches!(operand.text.as_str(), "send" | "upload") {
            taint |= walk.read_file(call.name, operand, true).taint | Taint::FILE;
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
            taint |= walk.read_file(call.name, &ShellArg::new(file), true).taint | Taint::FILE;
        }
    }
    let host = parsed.operands.first().map(|host| host.text.clone()).unwrap_or_default();
    if sends_local_data(taint) || matches!(call.name, "pastebinit" | "ix" | "sprunge") {
        push_address(walk, OperationKind::Upload, call.name, &host, taint | Taint::FILE);
    } else {
        push_address(walk, OperationKind::Download, call.name, &host, Taint::NONE);
    }
    TextFlow::of(Taint::NETWORK)
}

pub(super) fn run_lookup(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let taint = parsed
        .operands
        .iter()
        .chain(parsed.values("p", "").collect::<Vec<_>>().iter())
        .fold(Taint::NONE, |taint, arg| taint | arg.taint);
    if sends_local_data(taint)
        && parsed.operands.iter().any(|arg| !arg.is_known() || arg.taint.has(Taint::FILE | Taint::SECRET))
    {
        let name = parsed.operands.iter().map(|arg| arg.shown()).collect::<Vec<_>>().join(" ");
        walk.push(taint.tag(Operation::new(OperationKind::Upload, call.name).action("lookup").written(name)));
    }
    TextFlow::of(Taint::OUTPUT)
}

pub(super) fn run_mail(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let mut taint = call.stdin.taint;
    for file in parsed.values("a", "attach").chain(parsed.values("", "body")) {
        let file = ShellArg { text: file.text.trim_start_matches('@').to_owned(), ..file.clone() };
        taint |= walk.read_file(call.name, &file, false).taint | Taint::FILE;
    }
    let to = parsed.operands.last().map(|to| to.shown()).unwrap_or_default();
    walk.push(taint.tag(Operation::new(OperationKind::Upload, call.name).action("mail").written(to)));
    TextFlow::known("")
}
