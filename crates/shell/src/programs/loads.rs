//! Files and input that a program runs as code, when the line itself got them from elsewhere.

use super::matching::has_words;
use super::table::ProgramFacts;
use crate::paths::UNKNOWN;
use crate::walk::{CommandWalk, ProgramCall, ShellArg, TextFlow, TextTaint};
use crate::word_lists::is_listed;

/// Words of programs whose operands are code that are no files.
const SUBCOMMANDS: &str = "install i ci add build update upgrade init download get";

/// What scripts of build tools load other scripts by.
const LOADERS: [&str; 8] =
    ["apply from", "apply(from", "DOWNLOAD", "include(", "include:", "loadstring", "source(", "import \""];

/// The most lines of such a list that are looked at.
const MAX_LINES: usize = 64;

/// Variables by which programs find more code.
const LOAD_VARIABLES: &str = " NODE_OPTIONS NODE_PATH RUBYOPT RUBYLIB PERL5OPT PERL5LIB PYTHONPATH PYTHONSTARTUP PYTHONHOME \
                              CLASSPATH JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS LD_LIBRARY_PATH LD_PRELOAD \
                              DYLD_LIBRARY_PATH LUA_PATH LUA_CPATH GEM_PATH MAKEFILES MAKEFLAGS R_PROFILE_USER R_LIBS VIMINIT \
                              JULIA_LOAD_PATH EMACSLOADPATH DOTNET_STARTUP_HOOKS PHPRC PHP_INI_SCAN_DIR PATH BASH_ENV \
                              GRADLE_OPTS MAVEN_OPTS ENV GIT_CONFIG ";

/// Whether programs find more code by a variable.
pub(crate) fn is_load_variable(name: &str) -> bool {
    is_listed(LOAD_VARIABLES, name)
}

/// Adds the code from elsewhere that a program loads.
pub(super) fn push_loads(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, facts: &ProgramFacts) {
    push_option_loads(walk, call, facts);
    run_source_file(walk, call, facts);
    if call.stdin.taint.has(TextTaint::NETWORK | TextTaint::DECODED) && facts.is("input-runner") {
        walk.push_code(call.stdin.taint, call.name, "it runs what is in its input");
    }
    note_cloned(walk, call, facts);
    note_fetched(walk, call, facts);
    // What `ssh` prints is the data of another server.
    let is_fetched = call.stdin.taint.has(TextTaint::NETWORK) && !walk.ran_last("ssh");
    if is_fetched && facts.is("database-client") && call.stdin.text.is_none() {
        walk.push_code(call.stdin.taint, call.name, "it runs what is in its input");
    }
    if !walk.has_fetched() && !call.stdin.taint.has(TextTaint::NETWORK | TextTaint::DECODED) {
        return;
    }
    if facts.is("operand-code") && !facts.is("compiler") {
        let names_file = |arg: &&ShellArg| !arg.text.starts_with('-') && !is_listed(SUBCOMMANDS, &arg.text);
        for operand in call.args.iter().filter(names_file) {
            push_if_fetched(walk, call.name, &operand.text);
        }
    }
    if facts.is("dash-runner") && call.has_arg(&["-", "/dev/stdin", "-f-"]) && call.stdin.taint.has(TextTaint::NETWORK)
    {
        walk.push_code(call.stdin.taint, call.name, "it runs what is in its input");
    }
    for names in &facts.loaded_names {
        if walk.has_fetched_file(names) {
            walk.push_code(
                TextTaint::NETWORK,
                call.name,
                "it runs a file by its name, whose content comes from elsewhere",
            );
        }
    }
    if facts.is("compiler") {
        note_compiled(walk, call);
    }
}

/// `gh repo clone OWNER/NAME DIRECTORY`: the directory holds code from the network.
fn note_cloned(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, facts: &ProgramFacts) {
    let Some(words) = facts.clone_words.as_ref().filter(|words| has_words(call, words)) else { return };
    let plain: Vec<&ShellArg> =
        call.args.iter().take_while(|arg| arg.text != "--").filter(|arg| !arg.text.starts_with('-')).collect();
    if let Some(repository) = plain.get(words.len()) {
        let name = repository.text.trim_end_matches('/').trim_end_matches(".git").rsplit(['/', ':']).next();
        let inside = ShellArg::new(name.unwrap_or_default());
        walk.note_unpacked(plain.get(words.len() + 1).copied().unwrap_or(&inside), TextTaint::NETWORK);
    }
}

/// Options that say where a program puts what it gets.
const TARGET_OPTIONS: &str =
    "-D --dir -d --destination -o -O --output --out --local-dir -p --path -f --file --output-dir";

/// `aws s3 cp s3://BUCKET/x.sh DIRECTORY`: the directory holds files from the network, unless they go the other way.
fn note_fetched(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, facts: &ProgramFacts) {
    let Some(words) = facts.fetch_words.as_ref().filter(|words| **words == ["**"] || has_words(call, words)) else {
        return;
    };
    let is_remote = |text: &str| text.contains("://") || text.contains(':') || text.contains("@");
    let mut targets = Vec::new();
    let mut operands = Vec::new();
    let mut args = call.args.iter().peekable();
    while let Some(arg) = args.next() {
        let (name, glued) = arg.text.split_once('=').unwrap_or((&arg.text, ""));
        if is_listed(TARGET_OPTIONS, name) {
            let value = if glued.is_empty() { args.next().cloned() } else { Some(arg.with_text(glued)) };
            targets.extend(value);
        } else if !arg.text.starts_with('-') {
            operands.push(arg);
        }
    }
    let skipped = words.iter().filter(|word| **word != "**").count();
    let mut operands = operands.into_iter().skip(skipped);
    let source = operands.next();
    let others: Vec<&ShellArg> = operands.collect();
    if source.is_some_and(|source| !is_remote(&source.text)) && others.iter().any(|other| is_remote(&other.text)) {
        return;
    }
    targets.extend(others.into_iter().filter(|other| !is_remote(&other.text)).cloned());
    if targets.is_empty() {
        targets.push(ShellArg::new("."));
    }
    targets.iter().for_each(|target| walk.note_unpacked(target, TextTaint::NETWORK));
}

fn push_option_loads(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, facts: &ProgramFacts) {
    let options = &facts.load_options;
    if options.is_empty() {
        return;
    }
    for (index, arg) in call.args.iter().enumerate() {
        let (name, glued) = arg.text.split_once(['=', ':']).unwrap_or((arg.text.as_str(), ""));
        if options.contains(&name) {
            let next = call.args.get(index + 1).filter(|_| glued.is_empty());
            push_load(walk, call, facts, next.map_or(glued, |next| &next.text), next.or(Some(arg)));
        } else if let Some(value) = options
            .iter()
            .filter(|option| option.len() == 2)
            .find_map(|option| arg.text.strip_prefix(option).filter(|value| value.contains(['/', '.'])))
        {
            push_load(walk, call, facts, value, None);
        }
    }
}

/// Adds what one option loads: a file, an address, or the input of the program.
fn push_load(
    walk: &mut CommandWalk<'_>,
    call: &ProgramCall<'_>,
    facts: &ProgramFacts,
    value: &str,
    arg: Option<&ShellArg>,
) {
    let content = match arg.and_then(|arg| arg.content.as_deref()) {
        Some(content) => Some(content),
        None if matches!(value, "-" | "/dev/stdin" | "/dev/fd/0") => Some(call.stdin),
        None => None,
    };
    if let Some(content) = content.filter(|content| content.taint.has(TextTaint::NETWORK)) {
        walk.push_code(content.taint, call.name, "it loads text that comes from elsewhere");
    }
    // `auto_prepend_file=http://…` is a setting of PHP.
    let source = if call.name == "php" { value.rsplit('=').next().unwrap_or(value) } else { value };
    let is_address = ["http://", "https://", "ftp://", "git::", "git@"].iter().any(|start| source.starts_with(start));
    if is_address && !facts.is("named-addresses") {
        walk.push_code(TextTaint::NETWORK, call.name, "it loads code of an address");
    } else if source.starts_with("data:") {
        walk.push_code(TextTaint::DECODED, call.name, "it loads code of an address");
    }
    let text = content.and_then(|content| content.text.clone());
    let text = text.or_else(|| walk.written_before(&ShellArg::new(value)).and_then(|flow| flow.text));
    if let Some(text) = &text
        && text.contains("://")
        && LOADERS.iter().any(|loader| text.contains(loader))
        && !facts.is("named-addresses")
    {
        walk.push_code(TextTaint::NETWORK, call.name, "it loads a script that loads code of an address");
    }
    if let Some(text) = text.filter(|_| facts.is("installer")) {
        // A list of packages is as good as the arguments.
        for line in text.lines().take(MAX_LINES) {
            let words = line.split_whitespace().map(ShellArg::new);
            let args: Vec<ShellArg> = ["pip", "install"].into_iter().map(ShellArg::new).chain(words).collect();
            walk.run_args(&args, &TextFlow::default());
        }
    }
    push_if_fetched(walk, call.name, value);
}

/// `go run FILE`: code that the line wrote runs as well.
fn run_source_file(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, facts: &ProgramFacts) {
    let is_runner = facts.is("source-runner") || facts.is("compiler") && call.has_arg(&["run", "-run"]);
    for file in call.args.iter().filter(|arg| is_runner && arg.text.contains('.')) {
        if let Some(text) = walk.written_before(file).and_then(|flow| flow.text) {
            walk.run_code(call.name, &text);
        }
    }
}

/// A program that is made of code from elsewhere comes from elsewhere.
fn note_compiled(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>) {
    let operands: Vec<&ShellArg> = call.args.iter().filter(|arg| !arg.text.starts_with('-')).collect();
    let fetched = operands
        .iter()
        .filter_map(|operand| walk.fetched_taint(&operand.text))
        .chain(call.has_arg(&["-"]).then_some(call.stdin.taint))
        .fold(TextTaint::NONE, |taint, more| taint | more);
    if !fetched.has(TextTaint::NETWORK | TextTaint::DECODED) {
        return;
    }
    if call.has_arg(&["run", "-run"]) {
        walk.push_code(fetched, call.name, "it compiles and runs code that comes from elsewhere");
        return;
    }
    let output = call.args.windows(2).find_map(|pair| match pair {
        [option, output] if option.text == "-o" => Some(output.clone()),
        _ => None,
    });
    let stem = operands.first().and_then(|source| source.text.rsplit_once('.')).map_or("a.out", |(stem, _)| stem);
    let stem = if matches!(call.name, "rustc" | "go" | "ghc" | "nim") { stem } else { "a.out" };
    walk.note_written(&output.unwrap_or_else(|| ShellArg::new(stem)), TextFlow::from_taint(fetched));
}

fn push_if_fetched(walk: &mut CommandWalk<'_>, program: &str, path: &str) {
    for part in path.split([':', ',', '=']).filter(|part| !part.is_empty()) {
        if let Some(taint) = walk.fetched_taint(part) {
            walk.push_code(taint, program, "it loads a file whose content comes from elsewhere");
        }
    }
}

/// Adds the code from elsewhere that a variable makes programs load.
pub(super) fn push_variable_loads(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>) {
    if !walk.has_fetched() {
        return;
    }
    for value in walk.set_values(is_load_variable) {
        for part in value.split([' ', ':', '=', ',', ';']).filter(|part| part.contains(['/', '.'])) {
            let part = part.trim_start_matches("-I").trim_start_matches("-r");
            if !part.contains(UNKNOWN)
                && let Some(taint) = walk.fetched_taint(part)
            {
                walk.push_code(taint, call.name, "a variable makes it load files that come from elsewhere");
            }
        }
    }
}
