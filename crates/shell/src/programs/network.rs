//! Programs that get data from the network, or send it.

use super::table::{ProgramFacts, facts_of};
use crate::address::{host_of, is_local_host, push_address};
use crate::walk::{CommandWalk, ParsedOptions, ProgramCall, ShellArg, TextFlow, TextTaint};
use crate::word_lists::is_listed;
use crate::{Operation, OperationKind};

/// Variables that name a machine between.
const PROXY_VARIABLES: [&str; 6] = ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];

/// The other machine that a request goes to instead of, or before, the host in its address.
fn relay_of(walk: &CommandWalk<'_>, parsed: &ParsedOptions<'_>) -> Option<String> {
    let proxies = parsed.options.iter().filter_map(|(name, value)| {
        let value = value.as_ref().map(ShellArg::shown)?;
        match *name {
            "x" | "proxy" | "preproxy" | "proxy1.0" => Some(value),
            name if name.starts_with("socks") => Some(value),
            // `HOST:PORT:OTHER:PORT`, `HOST:PORT:ADDRESS`.
            "connect-to" | "resolve" => {
                let mut parts = value.splitn(3, ':');
                let other = parts.nth(2).unwrap_or(&value).to_owned();
                Some(other).filter(|other| !other.starts_with(':') && !other.is_empty())
            }
            // `-e http_proxy=ADDRESS` of wget.
            "e" | "execute" => value.to_ascii_lowercase().split_once("proxy=").map(|(_, proxy)| proxy.to_owned()),
            _ => None,
        }
    });
    let variables = PROXY_VARIABLES.iter().filter_map(|name| walk.variable(name)?.first().map(ShellArg::shown));
    let names_machine = |proxy: &String| !matches!(proxy.as_str(), "" | "yes" | "on" | "off" | "no");
    proxies.chain(variables).find(|proxy| names_machine(proxy) && !is_local_host(host_of(proxy)))
}

/// What is known of a text that a program sends: `@file`, `@-`, or the text itself.
fn sent_taint(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, value: &ShellArg, reads_files: bool) -> TextTaint {
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
            flow.taint | TextTaint::FILE | value.taint
        }
        _ => value.taint,
    }
}

/// Options of curl and wget whose value is a file that they write in addition to the download.
const WRITTEN_OPTIONS: &str = "c cookie-jar D dump-header trace trace-ascii stderr etag-save hsts alt-svc libcurl \
                               output-file append-output save-cookies hsts-file warc-file rejected-log";

/// Whether the output of a command is worth more than the words of a request.
pub(super) fn sends_local_data(taint: TextTaint) -> bool {
    taint.has(TextTaint::FILE | TextTaint::SECRET | TextTaint::OUTPUT | TextTaint::ENVIRONMENT | TextTaint::NAMES)
}

pub(super) fn run_curl(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let is_httpie = matches!(call.name, "http" | "https" | "xh" | "httpie");
    let mut relay = relay_of(walk, parsed).filter(|_| !is_httpie);
    let mut sent: Option<TextTaint> = None;
    let mut add = |taint: TextTaint| sent = Some(sent.unwrap_or_default() | taint);
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
                    call.stdin.taint | TextTaint::FILE
                } else {
                    walk.read_file(call.name, value, false).taint | TextTaint::FILE
                };
                add(taint);
            }
            // A header with a token is how one signs in; one with a file is not.
            "H" | "header" | "A" | "user-agent" | "e" | "referer" | "b" | "cookie" | "u" | "user"
                if value.taint.has(TextTaint::FILE) || value.text.starts_with('@') =>
            {
                add(sent_taint(walk, call, value, true));
            }
            "K" | "config" => {
                let flow = if value.text == "-" { call.stdin.clone() } else { walk.read_file(call.name, value, false) };
                match &flow.text {
                    Some(text) => {
                        // A file may name itself.
                        walk.called(|walk| {
                            let args = config_args(text);
                            let parsed = ParsedOptions::parse(&args, facts_of(call.name).grammar());
                            relay = relay.take().or_else(|| relay_of(walk, &parsed));
                            run_curl(walk, &ProgramCall { args: &args, ..*call }, &parsed)
                        });
                    }
                    // It may name another machine.
                    None => relay = relay.or_else(|| Some(value.shown())),
                }
                if flow.text.is_none() && flow.taint != TextTaint::NONE {
                    add(flow.taint);
                }
            }
            option if is_listed(WRITTEN_OPTIONS, option) && value.text != "-" && !is_httpie => {
                walk.write_file(call.name, value, "download", TextFlow::from_taint(TextTaint::NETWORK));
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
        if call.stdin.taint.has(TextTaint::FILE | TextTaint::SECRET | TextTaint::OUTPUT | TextTaint::ENVIRONMENT) {
            add(call.stdin.taint);
        }
    }
    let mut flow = TextFlow::from_taint(TextTaint::NETWORK);
    let mut taint = sent;
    for address in &addresses {
        if let Some(path) = address.text.strip_prefix("file://") {
            flow.append(walk.read_file(call.name, &ShellArg::new(path), false));
            continue;
        }
        // Data in the address itself.
        if carries_data(address) {
            taint = Some(taint.unwrap_or_default() | address.taint);
        }
    }
    let mut seen = false;
    for address in addresses.iter().filter(|address| !address.text.starts_with("file:")) {
        seen = true;
        push_request(walk, call.name, &address.text, taint);
    }
    if let Some(relay) = &relay {
        push_request(walk, call.name, relay, taint);
    }
    if !seen && let Some(taint) = taint.filter(|taint| sends_local_data(*taint)) {
        walk.push(taint.tag(Operation::new(OperationKind::Upload, call.name)));
    }
    let stays_here = addresses.iter().all(|address| is_local_host(host_of(&address.text)));
    if stays_here && relay.is_none() && !addresses.is_empty() {
        flow.taint = flow.taint.without(TextTaint::NETWORK) | TextTaint::OUTPUT;
    }
    flow.text = None;
    let remote_name = parsed.has("O", "remote-name") || parsed.has("J", "remote-header-name");
    save_download(
        walk,
        call,
        parsed.values("o", "output").next(),
        remote_name.then(|| addresses.first().copied()).flatten(),
        // `--output` is the beginning of this name.
        parsed.options.iter().find(|(name, _)| *name == "output-dir").and_then(|(_, value)| value.as_ref()),
        flow,
    )
}

/// Adds a request, which sends what is known so.
pub(super) fn push_request(walk: &mut CommandWalk<'_>, program: &str, address: &str, sent: Option<TextTaint>) {
    let kind = if sent.is_some() { OperationKind::Upload } else { OperationKind::Download };
    push_address(walk, kind, program, address, sent.unwrap_or_default());
}

/// Adds a request for each machine that a program is told to ask by its arguments or by variables, unless it has one.
pub(super) fn push_asked_hosts(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, facts: &ProgramFacts) {
    let mut asked: Vec<String> = Vec::new();
    if facts.is("address-reader") {
        let values = call.args.iter().map(|arg| {
            let value = arg.text.strip_prefix('-').and_then(|option| option.split_once('='));
            value.map_or(arg.text.clone(), |(_, value)| value.to_owned())
        });
        // `GOPROXY` lists several.
        let variables = walk.set_values(|_| true).into_iter();
        let variables = variables.flat_map(|text| text.split([',', '|']).map(str::to_owned).collect::<Vec<_>>());
        let is_address =
            |text: &String| text.contains("://") && !text.starts_with("file:") && !text.contains([' ', '\n']);
        asked.extend(values.chain(variables).filter(is_address));
    }
    if facts.is("host-path-reader") {
        asked.extend(call.args.iter().filter(|arg| names_registry(&arg.text)).map(|arg| arg.text.clone()));
    }
    for (at, arg) in call.args.iter().enumerate().filter(|_| !facts.host_options.is_empty()) {
        let value = facts.host_options.iter().find_map(|option| match arg.text.strip_prefix(option)? {
            "" => call.args.get(at + 1).map(|value| value.text.as_str()),
            rest if option.starts_with("--") => rest.strip_prefix('='),
            rest => Some(rest),
        });
        asked.extend(value.filter(|host| !host.starts_with(['-', '/'])).map(str::to_owned));
    }
    for text in asked {
        if !walk.operations.iter().any(|operation| operation.written == crate::walk::shown(&text)) {
            push_request(walk, call.name, &text, None);
        }
    }
}

/// Whether a name of an image or a package begins with the machine that it comes from.
pub(super) fn names_registry(name: &str) -> bool {
    name.split_once('/').is_some_and(|(host, _)| host.contains(['.', ':']) && !host.starts_with(['.', '-']))
        && !name.contains("://")
}

/// Adds a request that also sends the data in its address.
pub(super) fn push_address_data(
    walk: &mut CommandWalk<'_>,
    program: &str,
    address: &ShellArg,
    sent: Option<TextTaint>,
) {
    let data = carries_data(address).then(|| sent.unwrap_or_default() | address.taint);
    push_request(walk, program, &address.text, data.or(sent));
}

/// The options of a file for curl: `upload-file = .env`, `url "https://…"`.
fn config_args(text: &str) -> Vec<ShellArg> {
    let mut args: Vec<ShellArg> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (name, value) = line.split_once(['=', ' ', ':']).unwrap_or((line, ""));
        let dashes = if name.starts_with('-') { "" } else { "--" };
        args.push(ShellArg::new(format!("{dashes}{}", name.trim())));
        let value = value.trim().trim_start_matches(['=', ':']).trim().trim_matches('"');
        if !value.is_empty() {
            args.push(ShellArg::new(value));
        }
    }
    args
}

/// Whether an address has data of the machine in it: an unknown part is only meant if it is in its query or host rather
/// than a part of its path.
fn carries_data(address: &ShellArg) -> bool {
    let before = address.text.split_once(crate::paths::UNKNOWN).map(|(before, _)| before);
    let is_data =
        |before: &str| before.contains('?') || !before.split_once("://").map_or(before, |(_, rest)| rest).contains('/');
    address.taint.has(TextTaint::FILE | TextTaint::SECRET | TextTaint::ENVIRONMENT)
        || address.taint.has(TextTaint::OUTPUT) && before.is_some_and(is_data)
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
        (Some(output), _) => match directory.filter(|_| call.name != "wget" && !output.text.starts_with('/')) {
            Some(directory) => output.with_text(format!("{}/{}", directory.text.trim_end_matches('/'), output.text)),
            None => output.clone(),
        },
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
    let mut sent: Option<TextTaint> = None;
    for (option, value) in &parsed.options {
        let Some(value) = value else { continue };
        let taint = match *option {
            "post-file" | "body-file" => walk.read_file(call.name, value, false).taint | TextTaint::FILE,
            "post-data" | "body-data" => value.taint,
            "header" if value.taint.has(TextTaint::FILE) => value.taint,
            option
                if call.name.starts_with("wget")
                    && (is_listed(WRITTEN_OPTIONS, option) || matches!(option, "o" | "a")) =>
            {
                if value.text != "-" {
                    walk.write_file(call.name, value, "download", TextFlow::default());
                }
                continue;
            }
            _ => continue,
        };
        sent = Some(sent.unwrap_or_default() | taint);
    }
    for address in &parsed.operands {
        push_address_data(walk, call.name, address, sent);
    }
    if let Some(relay) = relay_of(walk, parsed) {
        push_request(walk, call.name, &relay, sent);
    }
    let flow = TextFlow::from_taint(TextTaint::NETWORK);
    if matches!(call.name, "lynx" | "w3m" | "links" | "elinks") || call.has_arg(&["--spider"]) {
        return flow;
    }
    let output = match call.name {
        "aria2c" | "axel" => parsed.values("o", "out").next(),
        _ => parsed.values("O", "output-document").next(),
    };
    if call.args.iter().any(|arg| arg.text.ends_with("O-")) {
        return flow;
    }
    let directory = parsed.values("P", "directory-prefix").next().or_else(|| parsed.values("d", "dir").next());
    save_download(walk, call, output, parsed.operands.first().copied(), directory, flow)
}
