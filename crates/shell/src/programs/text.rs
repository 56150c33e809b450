//! Programs that print and convert text.

use super::filter::select_listed;
use super::program::read_operands;
use crate::escape::unescape_printed;
use crate::secret_name::{has_secret_name, is_secret_name};
use crate::walk::{CommandWalk, ListedFiles, ParsedOptions, ProgramCall, ShellArg, TextFlow, TextTaint, program_name};
use crate::word_lists::is_listed;
use crate::{Operation, OperationKind, OperationTag};

/// The text of arguments, if it is known.
fn join(args: &[ShellArg]) -> TextFlow {
    let taint = args.iter().fold(TextTaint::NONE, |taint, arg| taint | arg.taint);
    let text: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
    let listed = args.iter().filter(|arg| arg.is_pattern).map(|arg| ListedFiles {
        root: arg.clone(),
        is_filtered: false,
        is_recursive: false,
    });
    TextFlow { taint, listed: listed.collect(), text: Some(text.join(" ")), ..TextFlow::default() }
}

pub(super) fn run_echo(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    let is_option = |arg: &&ShellArg| {
        arg.text.len() > 1 && arg.text.starts_with('-') && arg.text.chars().skip(1).all(|letter| "neE".contains(letter))
    };
    let count = call.args.iter().take_while(is_option).count();
    let (options, rest) = call.args.split_at(count);
    let mut flow = join(rest);
    if walk.echoes_escapes(options, &flow) {
        flow.text = flow.text.map(|text| unescape_printed(&text));
    }
    if let Some(text) = &mut flow.text {
        text.push('\n');
    }
    flow
}

pub(super) fn run_printf(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    let (name, args) = match call.args {
        [option, name, rest @ ..] if option.text == "-v" => (Some(name.text.clone()), rest),
        [option, rest @ ..] if option.text.starts_with("-v") => (option.text.get(2..).map(str::to_owned), rest),
        args => (None, args),
    };
    let args = match args {
        [dashes, rest @ ..] if dashes.text == "--" => rest,
        args => args,
    };
    let flow = printed(args);
    let Some(name) = name else { return flow };
    let value = flow.text.map_or_else(|| ShellArg::unknown(flow.taint), ShellArg::new);
    walk.set_variable(name.split('[').next().unwrap_or_default(), vec![ShellArg { taint: flow.taint, ..value }]);
    TextFlow::known("")
}

/// What a format prints of its values.
fn printed(args: &[ShellArg]) -> TextFlow {
    let Some((format, values)) = args.split_first() else { return TextFlow::known("") };
    let mut flow = join(args);
    let mut text = String::new();
    let mut values = values.iter();
    let pattern = unescape_printed(&format.text);
    // The format is used until no value is left.
    for round in 0..64 {
        let mut letters = pattern.chars().peekable();
        let mut used = false;
        while let Some(letter) = letters.next() {
            if letter != '%' {
                text.push(letter);
                continue;
            }
            while letters.peek().is_some_and(|letter| !letter.is_ascii_alphabetic() && *letter != '%') {
                letters.next();
            }
            match letters.next() {
                Some('%') | None => text.push('%'),
                Some(kind) => {
                    used = true;
                    let value = values.next().map(|value| value.text.as_str()).unwrap_or_default();
                    text.push_str(&if kind == 'b' { unescape_printed(value) } else { value.to_owned() });
                }
            }
        }
        if !used || values.len() == 0 || round == 63 {
            break;
        }
    }
    flow.text = Some(text);
    flow
}

pub(super) fn run_pwd(walk: &mut CommandWalk<'_>, _: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    walk.cwd().map_or_else(TextFlow::default, |cwd| TextFlow::known(cwd.to_string_lossy()))
}

pub(super) fn run_name_part(_: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let Some(path) = parsed.operands.first().filter(|path| path.is_known()) else {
        return TextFlow::from_taint(call.taint());
    };
    let trimmed = path.text.trim_end_matches('/');
    let (directory, name) = trimmed.rsplit_once('/').unwrap_or((".", trimmed));
    let part = if call.name == "dirname" { if directory.is_empty() { "/" } else { directory } } else { name };
    let part = parsed.operands.get(1).and_then(|end| part.strip_suffix(end.text.as_str())).unwrap_or(part);
    TextFlow { taint: path.taint, ..TextFlow::known(part) }
}

pub(super) fn run_realpath(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    match parsed.operands.first().filter(|path| path.is_known() && !path.is_pattern) {
        Some(path) => {
            walk.place(path).path.map_or_else(TextFlow::default, |path| TextFlow::known(path.to_string_lossy()))
        }
        None => TextFlow::from_taint(call.taint()),
    }
}

pub(super) fn run_mktemp(walk: &mut CommandWalk<'_>, _: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let directory = parsed.values("p", "tmpdir").next().map_or("/tmp", |directory| directory.text.as_str());
    let made = match parsed.operands.first() {
        Some(template) if template.text.contains('/') => template.text.replace('X', "x"),
        _ => format!("{directory}/tmp.mktemp"),
    };
    walk.note_made(&ShellArg::new(made.as_str()));
    if walk.notes_files() {
        // Its name is none of those that a caller knows.
        return TextFlow::from_taint(TextTaint::OUTPUT);
    }
    TextFlow::known(made)
}

pub(super) fn run_which(_: &mut CommandWalk<'_>, _: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    parsed
        .operands
        .first()
        .filter(|name| name.is_known())
        .map_or_else(TextFlow::default, |name| TextFlow::known(format!("/usr/bin/{}", program_name(&name.text))))
}

pub(super) fn run_cat(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    read_operands(walk, call, parsed.operands.iter().copied(), false)
}

/// `cut`: of the environment, the first field of each line is the name of a variable.
pub(super) fn run_cut(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let mut flow = read_operands(walk, call, parsed.operands.iter().copied(), false);
    flow.text = None;
    let is_given = |letter, name, wanted| parsed.values(letter, name).any(|value| value.text == wanted);
    if is_given("d", "delimiter", "=") && is_given("f", "fields", "1") {
        flow.taint = flow.taint.without(TextTaint::ENVIRONMENT) | TextTaint::OUTPUT;
    }
    flow
}

pub(super) fn run_sort(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let flow = read_operands(walk, call, parsed.operands.iter().copied(), false);
    match parsed.values("o", "output").next() {
        Some(file) => {
            walk.write_file(call.name, file, "replace", flow);
            TextFlow::known("")
        }
        None => flow,
    }
}

pub(super) fn run_grep(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let patterns: Vec<&ShellArg> = parsed.values("e", "regexp").collect();
    for file in parsed.values("f", "file") {
        walk.read_file(call.name, file, false);
    }
    let has_pattern = !patterns.is_empty() || parsed.has("f", "file") || parsed.has("", "files");
    let pattern = patterns.first().copied().or_else(|| parsed.operands.first().copied());
    let skipped = usize::from(!has_pattern);
    let is_recursive = parsed.has("r", "recursive")
        || parsed.has("R", "dereference-recursive")
        || matches!(call.name, "rg" | "ag" | "ack" | "ugrep");
    let names_only = parsed.has("l", "files-with-matches")
        || parsed.has("L", "files-without-match")
        || parsed.has("c", "count")
        || parsed.has("", "files");
    let prints_secrets = !names_only
        && !parsed.has("q", "quiet")
        && (parsed.has("v", "invert-match")
            || pattern.is_none_or(|pattern| selects_secrets(&pattern.text, parsed.has("i", "ignore-case"))));
    let is_read = |arg: &&ShellArg| prints_secrets || !arg.is_swept;
    let operands: Vec<&ShellArg> = parsed.operands.iter().skip(skipped).copied().filter(is_read).collect();
    let mut flow = read_operands(walk, call, operands.iter().copied(), is_recursive && !operands.is_empty());
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    let literal =
        pattern.and_then(|pattern| pattern.text.split(|letter| !is_part(letter)).max_by_key(|part| part.len()));
    let may_select = |name: &str| parsed.has("v", "invert-match") || name.contains(literal.unwrap_or_default());
    flow.listed.retain(|listed| !listed.root.is_swept || may_select(&listed.root.text));
    // Programs that leave out hidden and ignored files read them on demand only.
    let reads_all = !matches!(call.name, "rg" | "ag" | "ack" | "ugrep")
        || parsed.has("u", "unrestricted")
        || parsed.has(".", "hidden")
        || parsed.has("", "no-ignore");
    if prints_secrets && is_recursive && reads_all && parsed.values("", "include").next().is_none() {
        let here = ShellArg::new(".");
        let roots: &[&ShellArg] = if operands.is_empty() { &[&here] } else { &operands };
        flow.taint |= walk.sweep(call, roots);
    }
    // Of listed files, those whose name it asks for.
    if let (true, Some(pattern)) = (operands.is_empty() && !parsed.has("v", "invert-match"), pattern) {
        let name: String = pattern.text.chars().filter(|letter| !matches!(letter, '^' | '$' | '\\')).collect();
        for listed in &mut flow.listed {
            let directory = listed.root.text.rsplit_once('/').map_or(".", |(directory, _)| directory);
            let file = |start: &str| ShellArg::new(format!("{directory}/{start}{name}"));
            if [file(""), file("x")].iter().any(|file| walk.place(file).tags.contains(&OperationTag::Secret)) {
                *listed = ListedFiles { root: file(""), is_filtered: true, is_recursive: false };
            }
        }
    }
    // Of a whole directory, the files that a pattern of names selects.
    let selected: Vec<&ShellArg> =
        parsed.values("", "include").chain(parsed.values("g", "glob")).chain(parsed.values("", "iglob")).collect();
    if !names_only {
        let here = ShellArg::new(".");
        let roots = if operands.is_empty() { vec![&here] } else { operands.clone() };
        flow.append(read_selected(walk, call.name, &roots, &selected));
    }
    // A search for the forms of keys in more than the project.
    let asks_keys = || pattern.is_some_and(|pattern| is_key_start(&pattern.text) || is_secret_pattern(&pattern.text));
    let is_wide = |root: &&&ShellArg| {
        use crate::PathPlace::{Home, InHome, Root, System};
        matches!(walk.place(root).place, Home | InHome | Root | System)
    };
    if is_recursive && !names_only && asks_keys() && operands.iter().any(|root| is_wide(&root)) {
        flow.taint |= TextTaint::SECRET;
    }
    flow.text = None;
    // Lines around a line that matches need not match.
    let adds_lines = ["A", "B", "C", "f"].iter().any(|letter| parsed.values(letter, "").next().is_some())
        || ["after-context", "before-context", "context", "file", "passthru"].iter().any(|name| parsed.has("", name));
    if operands.is_empty() && !flow.listed.is_empty() && !adds_lines && !parsed.has("v", "invert-match") {
        let texts: Vec<&str> = match patterns.as_slice() {
            [] => pattern.iter().map(|pattern| pattern.text.as_str()).collect(),
            patterns => patterns.iter().map(|pattern| pattern.text.as_str()).collect(),
        };
        flow.listed = select_listed(walk, flow.listed, &texts.join("|"));
    }
    if !flow.processes.is_empty() && !parsed.has("v", "invert-match") {
        flow.processes = pattern.map(|pattern| pattern.text.clone()).into_iter().collect();
    }
    if flow.taint.has(TextTaint::ENVIRONMENT | TextTaint::HISTORY) {
        // What is left of the environment is what the pattern selects.
        let asks_secret = pattern.is_some_and(|pattern| is_secret_pattern(&pattern.text))
            && !parsed.has("v", "invert-match")
            && !parsed.has("c", "count")
            && !parsed.has("q", "quiet");
        flow.taint = if asks_secret { TextTaint::SECRET } else { TextTaint::OUTPUT };
    }
    if names_only {
        let roots =
            if operands.is_empty() { vec![ShellArg::new(".")] } else { operands.into_iter().cloned().collect() };
        if flow.taint.has(TextTaint::FILE) || is_recursive {
            let listed = roots.into_iter().map(|root| ListedFiles { root, is_filtered: true, is_recursive });
            return TextFlow::listing(listed.collect());
        }
    }
    flow
}

/// Reads the secrets among the files of directories that patterns of names select.
pub(crate) fn read_selected(
    walk: &mut CommandWalk<'_>,
    program: &str,
    roots: &[&ShellArg],
    names: &[&ShellArg],
) -> TextFlow {
    let mut flow = TextFlow::known("");
    for (root, name) in roots.iter().flat_map(|root| names.iter().map(move |name| (root, name))) {
        let name = name.text.trim_start_matches("**/").trim_start_matches("./");
        let text = match name.starts_with(['/', '~']) {
            true => name.to_owned(),
            false => format!("{}/{name}", root.text.trim_end_matches('/')),
        };
        let file = ShellArg { text, is_pattern: true, ..(**root).clone() };
        let is_secret = |tag: &OperationTag| matches!(tag, OperationTag::Secret | OperationTag::ProbableSecret);
        if !name.starts_with('!') && walk.place(&file).tags.iter().any(is_secret) {
            flow.append(walk.read_file(program, &file, false));
        }
    }
    flow
}

/// Whether the lines that a pattern selects in a file with secrets may be those of the secrets: it selects almost
/// everything, or it has a word of their names in it.
fn selects_secrets(pattern: &str, ignores_case: bool) -> bool {
    let cased = if ignores_case { pattern.to_ascii_uppercase() } else { pattern.to_owned() };
    let words = || cased.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    let is_name = |word: &str| !word.bytes().any(|letter| letter.is_ascii_lowercase()) && is_secret_name(word);
    words().all(|word| word.len() < 3) || is_key_start(pattern) || words().any(is_name)
}

/// The beginnings of keys and tokens.
fn is_key_start(pattern: &str) -> bool {
    ["AKIA", "ASIA", "PRIVATE KEY", "ghp_", "gho_", "github_pat_", "xox", "sk-", "sk_live", "AIza", "glpat-", "eyJ"]
        .iter()
        .any(|start| pattern.contains(start))
}

fn is_secret_pattern(pattern: &str) -> bool {
    let lower = pattern.to_lowercase();
    ["token", "secret", "passw", "key", "cred", "auth", "aws_", "database_url", "api"]
        .iter()
        .any(|word| lower.contains(word))
}

pub(super) fn run_query(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    // yq and dasel can change the file in place.
    let in_place = call.has_arg(&["-i", "--inplace", "--in-place"]) || call.has_arg(&["put"]);
    let skipped = usize::from(!matches!(call.name, "xmllint" | "gron"));
    let files: Vec<&ShellArg> = parsed.operands.iter().skip(skipped).copied().collect();
    if in_place {
        for file in &files {
            walk.write_file(call.name, file, "edit", TextFlow::from_taint(TextTaint::DECODED));
        }
    }
    let reads_environment =
        parsed.operands.first().is_some_and(|filter| filter.text.contains("env.") || filter.text.contains("$ENV"));
    let mut flow = read_operands(walk, call, files.into_iter(), false);
    flow.text = None;
    if reads_environment && parsed.operands.first().is_some_and(|filter| has_secret_name(&filter.text)) {
        flow.taint |= TextTaint::SECRET;
    }
    flow
}

pub(super) fn run_awk(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let script_files: Vec<&ShellArg> = parsed.values("f", "file").collect();
    script_files.iter().for_each(|file| walk.note_script(call.name, file));
    let skipped = usize::from(script_files.is_empty());
    if let (true, Some(program)) = (script_files.is_empty(), parsed.operands.first()) {
        // `-v NAME=VALUE`: an assignment in front of the program.
        let given = parsed.values("v", "assign").filter_map(super::wrappers::assignment_of);
        let given: Vec<String> = given.map(|(name, value)| format!("{name} = {:?}; ", value.text)).collect();
        walk.note_code(call.name, program);
        crate::code::read_code(walk, "awk", &(given.concat() + &program.text), call.stdin);
    }
    for script in script_files.iter().filter_map(|file| walk.written_before(file)?.text).collect::<Vec<_>>() {
        crate::code::read_code(walk, "awk", &script, call.stdin);
    }
    let files =
        parsed.operands.iter().skip(skipped).copied().filter(|arg| super::wrappers::assignment_of(arg).is_none());
    if parsed.values("i", "include").any(|library| library.text.starts_with("inplace")) {
        for file in files {
            walk.write_file(call.name, file, "edit", TextFlow::from_taint(TextTaint::DECODED));
        }
        return TextFlow::known("");
    }
    let mut flow = read_operands(walk, call, files, false);
    flow.text = None;
    flow.taint |= TextTaint::OUTPUT;
    flow
}

pub(super) fn run_base64(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let decodes = parsed.has("d", "decode") || parsed.has("D", "decode");
    let mut flow = read_operands(walk, call, parsed.operands.iter().copied().chain(parsed.values("i", "input")), false);
    flow.text = None;
    if decodes {
        flow.taint |= TextTaint::DECODED;
    }
    if let Some(out) = parsed.values("o", "output").next() {
        walk.write_file(call.name, out, "replace", flow.clone());
    }
    flow
}

pub(super) fn run_convert(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let reads_operands = !matches!(call.name, "tr" | "rot13" | "caesar");
    let operands = parsed.operands.iter().copied().filter(|_| reads_operands);
    let mut flow = read_operands(walk, call, operands, false);
    flow.text = None;
    flow.taint |= TextTaint::DECODED;
    flow
}

pub(super) fn run_openssl(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let first = call.first_operand().unwrap_or_default();
    let mut flow = call.stdin.clone();
    flow.text = None;
    if call.name == "openssl" {
        if first == "s_client" {
            let host = call
                .args
                .iter()
                .skip_while(|arg| arg.text != "-connect")
                .nth(1)
                .map(ShellArg::shown)
                .unwrap_or_default();
            if call.stdin.taint.has(TextTaint::FILE | TextTaint::SECRET | TextTaint::OUTPUT | TextTaint::ENVIRONMENT) {
                walk.push(call.stdin.taint.tag(Operation::new(OperationKind::Upload, call.name).written(host)));
            } else {
                walk.push(Operation::new(OperationKind::Download, call.name).written(host));
            }
            return TextFlow::from_taint(TextTaint::NETWORK);
        }
        let is_key_work = is_listed("rsa pkey ec genrsa crl asn1parse req x509 genpkey verify dgst", first);
        for file in parsed.values("", "in") {
            let prints_key = matches!(first, "rsa" | "pkey" | "ec" | "pkcs8" | "pkcs12")
                && !call.has_arg(&["-pubout", "-pubin"])
                && (call.has_arg(&["-text"]) || !call.has_arg(&["-noout"]));
            if prints_key || !is_key_work && !matches!(first, "pkcs8" | "pkcs12") {
                flow.append(walk.read_file(call.name, file, false));
            }
        }
    } else {
        let files: Vec<ShellArg> = parsed.operands.iter().map(|arg| (*arg).clone()).collect();
        for file in files {
            flow.append(walk.read_file(call.name, &file, false));
        }
    }
    flow.text = None;
    flow.taint |= TextTaint::DECODED;
    for out in parsed.values("o", "output").chain(parsed.values("", "out")) {
        walk.write_file(call.name, out, "replace", flow.clone());
    }
    flow
}

/// `dc` prints numbers as text, too.
pub(super) fn run_dc(_: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    let prints_text = call.args.iter().map(|arg| arg.text.as_str()).chain(call.stdin.text.as_deref());
    let is_text = prints_text.into_iter().any(|text| text.contains(['P', 'a']));
    TextFlow::from_taint(TextTaint::OUTPUT | if is_text { TextTaint::DECODED } else { TextTaint::NONE })
}
