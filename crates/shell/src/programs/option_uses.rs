//! Options whose values a program runs or writes to, by program.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::walk::{
    CommandWalk, OptionLetters, ParsedOptions, ProgramCall, ShellArg, TextFlow, TextTaint, program_name,
};
use crate::{Operation, OperationKind, OperationTag};

/// What a program does with the value of an option.
#[derive(Debug, Clone, Copy)]
enum ValueUse {
    /// It is a command line, or a program.
    Line,
    /// It is a command line with commas between the words.
    Words,
    /// It is a program, and the value of this option its arguments.
    LineWith(&'static str),
    /// What follows this text in one of its lines is a command line.
    LineBehind(&'static str),
    /// It is a program that the program runs beside its own work, which asks.
    Program,
    /// It is code of the language of an interpreter.
    Code,
    /// The value and all that follows is another command.
    Rest,
    /// It is settings of a task: a path that is written, or deleted with `state=absent`.
    Settings,
    /// It is text that a shell expands.
    Expanded,
    /// It is a library that a shell loads.
    Loaded,
    /// It is a file or directory that is written.
    Written,
}

use ValueUse::{Code, Expanded, Line, LineBehind, LineWith, Loaded, Program, Rest, Settings, Words, Written};

/// Programs, their options as they are typed, and what the values are. `-x` is also found among other letters, a longer
/// name with its value behind `=`. `<` is the input.
static OPTION_USES: &[(&str, &str, ValueUse)] = &[
    // Shells and their builtins.
    ("mapfile readarray compgen complete", "-C -F", Line),
    ("compgen complete", "-W", Expanded),
    ("enable", "-f", Loaded),
    ("bind", "-x", LineBehind(":")),
    // Programs that start others.
    ("tar bsdtar gtar star", "-I --use-compress-program --to-command -F --info-script --new-volume-script", Program),
    ("tar bsdtar gtar star", "--rmt-command --rsh-command", Program),
    ("tar bsdtar gtar star", "--checkpoint-action", LineBehind("exec=")),
    ("zip", "-TT --unzip-command", Program),
    ("split gsplit", "--filter", Line),
    ("man", "-P --pager -H --html", Line),
    ("rg", "--pre --hostname-bin", Program),
    ("nodemon", "-x --exec", Line),
    ("hyperfine", "-p --prepare -s --setup -c --cleanup --conclude", Line),
    ("script", "-c --command", Line),
    ("flock", "-c --command", Line),
    ("nix-shell", "--run --command", Line),
    ("capsh", "--", Rest),
    ("start-stop-daemon", "-x --exec -a --startas", Rest),
    ("ansible", "-a --args", Line),
    ("ansible", "-a --args", Settings),
    ("cmake", "-E", Rest),
    ("go", "-exec -toolexec -vettool", Line),
    ("gcc g++ cc c++ clang clang++", "-wrapper", Words),
    ("cargo", "--config", LineBehind("=")),
    ("npm pnpm npx yarn", "--script-shell script-shell", Line),
    ("nix", "-c --command", Rest),
    ("expect", "-c", LineBehind("spawn ")),
    ("gdb", "--args", Rest),
    ("gdb lldb", "-ex -iex -o --eval-command", LineBehind("shell ")),
    ("gdb lldb", "-ex -iex -o --eval-command", LineBehind("!")),
    ("apt apt-get aptitude", "-o --option", LineBehind("=")),
    ("rpm rpmbuild rpmspec", "-E --eval -D --define", LineBehind("%(")),
    ("mvn mvnw", "-Dexec.executable", LineWith("-Dexec.args")),
    ("m4", "< -D", LineBehind("syscmd(")),
    ("dc ed red ftp sftp lftp gnuplot", "< -e --expression -c", LineBehind("!")),
    ("python python2 python3 pypy pypy3 ipython py guile", "-c", Code),
    ("node nodejs bun tsx ts-node", "-e --eval -p --print", Code),
    ("deno", "eval", Code),
    (
        "perl ruby irb lua luajit julia elixir iex Rscript R groovy scala swift crystal ghci runghc tclsh rake",
        "-e -E --eval",
        Code,
    ),
    ("php", "-r -B -R -E", Code),
    ("erl", "-eval -run", Code),
    ("octave octave-cli matlab gnuplot", "-e --eval -r -batch", Code),
    ("elixir iex", "--rpc-eval", Code),
    ("julia", "--print", Code),
    // Files that are written.
    ("shuf iconv pandoc strace ltrace time gtime", "-o --output", Written),
    ("7z 7za 7zz", "-o", Written),
    ("screen", "-Logfile", Written),
    ("csplit", "-f --prefix", Written),
    ("cpio", "-D --directory", Written),
];

/// Programs that write to one of their operands, with its number and the options that take a value.
static OUTPUT_OPERANDS: &[(&str, usize, &str)] = &[
    ("uniq", 1, "fsw"),
    ("xxd", 1, "cglosR"),
    ("split", 1, "abClntu"),
    ("script", 0, "cEIOTBmo"),
    ("cpio", 0, "FHDEIMORC"),
];

static USE_INDEX: LazyLock<HashMap<&str, Vec<(&str, ValueUse)>>> = LazyLock::new(|| {
    let mut index: HashMap<&str, Vec<(&str, ValueUse)>> = HashMap::new();
    for (programs, options, usage) in OPTION_USES {
        for program in programs.split_whitespace() {
            index.entry(program).or_default().extend(options.split_whitespace().map(|option| (option, *usage)));
        }
    }
    index
});

/// Programs that only pack and unpack what goes through them.
const FILTERS: &str = "gzip pigz zstd xz bzip2 lz4 pzstd zstdmt gunzip unzstd unxz bunzip2";

/// The values of an option: each argument with the one behind it if that is the value.
fn option_values<'a>(args: &'a [ShellArg], option: &str) -> impl Iterator<Item = (ShellArg, &'a [ShellArg])> {
    let value_of = move |(index, arg): (usize, &'a ShellArg)| {
        let glued = glued_value(&arg.text, option)?;
        let rest = args.get(index + 1..).unwrap_or_default();
        match (glued, rest) {
            ("", rest) => {
                // Behind a word there may be options.
                let skips = |arg: &&ShellArg| !option.starts_with('-') && arg.text.starts_with('-');
                let count = rest.iter().take_while(skips).count();
                let (value, rest) = rest.get(count..)?.split_first()?;
                Some((value.clone(), rest))
            }
            (glued, rest) => Some((ShellArg { text: glued.to_owned(), ..arg.clone() }, rest)),
        }
    };
    args.iter().enumerate().filter_map(value_of)
}

/// The value of an option in the same word; empty if it is the next one. `None`: the word has not this option.
fn glued_value<'t>(text: &'t str, option: &str) -> Option<&'t str> {
    let Some(name) = option.strip_prefix('-') else { return (text == option).then_some("") };
    if text == option {
        return Some("");
    }
    if name.len() == 1 {
        let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
        let at = letters.find(name)?;
        let is_cluster = letters.get(..at)?.bytes().all(|letter| letter.is_ascii_alphanumeric());
        return letters.get(at + 1..).filter(|_| is_cluster);
    }
    let (given, value) = text.split_once('=').unwrap_or((text, ""));
    let is_abbreviation = given.len() > 5 && option.starts_with("--") && option.starts_with(given);
    (given == option || given.strip_prefix('-') == Some(option) || is_abbreviation).then_some(value)
}

/// The code in the options of an interpreter.
pub(super) fn code_values(call: &ProgramCall<'_>) -> Vec<ShellArg> {
    let uses = USE_INDEX.get(call.name).into_iter().flatten().filter(|(_, usage)| matches!(usage, Code));
    uses.flat_map(|(option, _)| option_values(call.args, option).map(|(value, _)| value)).collect()
}

/// Does what a program does with the values of its options, but for code.
pub(super) fn use_options(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>) {
    for (option, usage) in USE_INDEX.get(call.name).into_iter().flatten() {
        if let ("<", Some(text)) = (*option, &call.stdin.text) {
            use_value(walk, call, &ShellArg::new(text.as_str()), &[], *usage);
        }
        // The rest is one command, whatever stands in it.
        let most = if matches!(usage, Rest) { 1 } else { usize::MAX };
        for (value, rest) in option_values(call.args, option).take(most) {
            use_value(walk, call, &value, rest, *usage);
        }
    }
    for (_, number, letters) in OUTPUT_OPERANDS.iter().filter(|(name, ..)| *name == call.name) {
        let parsed = ParsedOptions::parse(call.args, OptionLetters { letters, names: "command" });
        if let Some(operand) = parsed.operands.get(*number) {
            use_value(walk, call, operand, &[], Written);
        }
    }
}

fn use_value(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, value: &ShellArg, rest: &[ShellArg], usage: ValueUse) {
    match usage {
        Line => drop(walk.run_line(&value.text, call.stdin)),
        Words => drop(walk.run_line(&value.text.replace(',', " "), call.stdin)),
        LineWith(option) => {
            let args = option_values(call.args, option).next().map(|(args, _)| args.text).unwrap_or_default();
            walk.run_line(&format!("{} {args}", value.text), call.stdin);
        }
        LineBehind(mark) => {
            for (_, line) in value.text.lines().filter_map(|line| line.split_once(mark)) {
                let line = line.trim().trim_end_matches([')', ';']);
                let quoted = line.strip_prefix(['"', '\'', '`']);
                let inner = quoted.and_then(|line| line.strip_suffix(['"', '\'', '`'])).unwrap_or(line);
                walk.run_line(inner, call.stdin);
            }
        }
        Program => {
            walk.run_line(&value.text, call.stdin);
            let program = value.text.split_whitespace().next().map(program_name).unwrap_or_default();
            if !FILTERS.split_whitespace().any(|filter| filter == program) {
                walk.push_code(TextTaint::NONE, call.name, "it runs another program");
            }
        }
        Code => {}
        Rest if rest.is_empty() && value.text.contains(' ') => drop(walk.run_line(&value.text, call.stdin)),
        Rest => {
            let args: Vec<ShellArg> = std::iter::once(value).chain(rest).cloned().collect();
            walk.run_args(&args, call.stdin);
        }
        Settings => {
            let settings = || value.text.split_whitespace().filter_map(|word| word.split_once('='));
            if let Some((_, path)) = settings().find(|(name, _)| matches!(*name, "path" | "dest")) {
                let deletes = settings().any(|setting| setting == ("state", "absent"));
                let kind = if deletes { OperationKind::Delete } else { OperationKind::Write };
                let operation = Operation::new(kind, call.name).tag_if(deletes, OperationTag::Recursive);
                walk.push_path(operation, &ShellArg::new(path));
            }
        }
        Expanded if value.is_known() => drop(walk.expand_again(value)),
        Expanded => {}
        Loaded => walk.push(Operation::new(OperationKind::System, call.name).action("preload").written(value.shown())),
        Written => {
            let flow = TextFlow::from_taint(call.stdin.taint);
            walk.write_file(call.name, value, "replace", flow);
        }
    }
}
