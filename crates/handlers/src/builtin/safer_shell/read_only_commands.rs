//! Lists commands that only read.

use std::path::Path;

use pintle_files::normalize_path;

/// A command that only reads.
struct ReadOnlyCommandDef {
    program: &'static str,
    /// The words directly after the program, one of which is required; empty requires none.
    words: &'static [&'static str],
    /// The options that it may have.
    options: ReadOnlyFlags,
    /// The most operands that it may have in addition to those words.
    most_operands: usize,
    category: &'static str,
}

/// The options with which a command still only reads.
enum ReadOnlyFlags {
    /// Every option of the program.
    Any,
    /// Only these: single letters that can be combined and followed by a number, and long options that can have a
    /// value.
    Only(&'static str, &'static [&'static str]),
}

use ReadOnlyFlags::{Any, Only};

const MANY: usize = usize::MAX;

/// Without those that search all files of a directory, with the secrets among them.
const GREP: ReadOnlyFlags = Only(
    "aAbBcCeEFGhHiIlLmnoPqsTUvVwxyzZ",
    &[
        "--after-context",
        "--before-context",
        "--color",
        "--context",
        "--count",
        "--extended-regexp",
        "--files-with-matches",
        "--files-without-match",
        "--fixed-strings",
        "--ignore-case",
        "--invert-match",
        "--line-number",
        "--line-regexp",
        "--max-count",
        "--no-filename",
        "--only-matching",
        "--perl-regexp",
        "--quiet",
        "--regexp",
        "--with-filename",
        "--word-regexp",
    ],
);

const fn read_only_command(
    program: &'static str,
    words: &'static [&'static str],
    options: ReadOnlyFlags,
    most_operands: usize,
    category: &'static str,
) -> ReadOnlyCommandDef {
    ReadOnlyCommandDef { program, words, options, most_operands, category }
}

static ROWS: &[ReadOnlyCommandDef] = &[
    read_only_command("ls", &[], Any, MANY, "filesystem"),
    read_only_command("pwd", &[], Any, 0, "filesystem"),
    read_only_command("cat", &[], Any, MANY, "filesystem"),
    read_only_command("head", &[], Any, MANY, "filesystem"),
    read_only_command("tail", &[], Any, MANY, "filesystem"),
    read_only_command(
        "wc",
        &[],
        Only("clLmw", &["--bytes", "--chars", "--lines", "--words", "--max-line-length"]),
        MANY,
        "filesystem",
    ),
    read_only_command("stat", &[], Any, MANY, "filesystem"),
    read_only_command(
        "du",
        &[],
        Only("abcdhkmsx", &["--all", "--human-readable", "--max-depth", "--summarize", "--total"]),
        MANY,
        "filesystem",
    ),
    read_only_command("df", &[], Any, MANY, "filesystem"),
    read_only_command("basename", &[], Any, MANY, "filesystem"),
    read_only_command("dirname", &[], Any, MANY, "filesystem"),
    read_only_command("realpath", &[], Any, MANY, "filesystem"),
    read_only_command("readlink", &[], Any, MANY, "filesystem"),
    read_only_command("diff", &[], Only("abBciqsuwy", &["--brief", "--unified", "--color"]), MANY, "filesystem"),
    read_only_command("cmp", &[], Any, MANY, "filesystem"),
    read_only_command("file", &[], Only("bi", &["--brief", "--mime", "--mime-type"]), MANY, "filesystem"),
    read_only_command("tree", &[], Only("adfLhsDpu", &[]), MANY, "filesystem"),
    read_only_command("sort", &[], Only("bdfghikMnrtuV", &["--reverse", "--numeric-sort", "--unique"]), MANY, "text"),
    read_only_command("uniq", &[], Only("cdiu", &["--count"]), 1, "text"),
    read_only_command("cut", &[], Any, MANY, "text"),
    read_only_command("echo", &[], Any, MANY, "text"),
    read_only_command("grep", &[], GREP, MANY, "search"),
    read_only_command("egrep", &[], GREP, MANY, "search"),
    read_only_command("fgrep", &[], GREP, MANY, "search"),
    read_only_command("rg", &["--files"], Only("gtTu", &["--type", "--glob", "--hidden"]), MANY, "search"),
    read_only_command(
        "find",
        &[],
        Only(
            "",
            &[
                "-name",
                "-iname",
                "-path",
                "-type",
                "-maxdepth",
                "-mindepth",
                "-size",
                "-mtime",
                "-print",
                "-newer",
                "-empty",
                "-not",
                "-o",
            ],
        ),
        MANY,
        "search",
    ),
    read_only_command("which", &[], Any, MANY, "system"),
    read_only_command("whoami", &[], Any, 0, "system"),
    read_only_command("id", &[], Any, MANY, "system"),
    read_only_command("uname", &[], Any, 0, "system"),
    read_only_command("hostname", &[], Only("fsi", &[]), 0, "system"),
    read_only_command("date", &[], Only("uIR", &["--utc", "--iso-8601", "--rfc-3339"]), 0, "system"),
    read_only_command("uptime", &[], Any, 0, "system"),
    read_only_command("true", &[], Any, MANY, "system"),
    read_only_command("git", &["status"], Only("sbuz", &["--short", "--branch", "--porcelain", "--long"]), MANY, "git"),
    read_only_command(
        "git",
        &["diff"],
        Only(
            "pwbUMC",
            &[
                "--stat",
                "--cached",
                "--staged",
                "--name-only",
                "--name-status",
                "--patch",
                "--numstat",
                "--shortstat",
                "--",
            ],
        ),
        MANY,
        "git",
    ),
    read_only_command(
        "git",
        &["log", "show"],
        Only(
            "nM",
            &[
                "--oneline",
                "--stat",
                "--graph",
                "--all",
                "--decorate",
                "--max-count",
                "--since",
                "--until",
                "--author",
                "--grep",
                "--name-only",
                "--name-status",
                "--pretty",
                "--format",
                "--",
            ],
        ),
        MANY,
        "git",
    ),
    read_only_command("git", &["branch"], Only("avr", &["--list", "--all", "--show-current"]), 0, "git"),
    read_only_command(
        "git",
        &["rev-parse"],
        Only("", &["--short", "--abbrev-ref", "--show-toplevel", "--verify"]),
        MANY,
        "git",
    ),
    read_only_command(
        "git",
        &["ls-files"],
        Only("comsz", &["--cached", "--others", "--exclude-standard"]),
        MANY,
        "git",
    ),
    read_only_command("git", &["blame"], Only("LwMCe", &[]), MANY, "git"),
    read_only_command("git", &["remote"], Only("v", &["--verbose"]), 0, "git"),
    read_only_command("git", &["tag"], Only("l", &["--list"]), 0, "git"),
    read_only_command(
        "docker",
        &["ps", "images", "version", "info"],
        Only("aqn", &["--all", "--quiet", "--no-trunc"]),
        MANY,
        "containers",
    ),
    read_only_command("kubectl", &["version", "cluster-info"], Only("", &["--client"]), 0, "cluster"),
];

/// The readable resources of a cluster; secrets are not among them.
const OF_CLUSTER: [&str; 14] = [
    "pods",
    "pod",
    "po",
    "nodes",
    "node",
    "services",
    "service",
    "svc",
    "deployments",
    "deployment",
    "deploy",
    "namespaces",
    "ns",
    "jobs",
];

/// The category of a command that only reads; `None` for any other.
pub(super) fn read_only_category(words: &[String]) -> Option<&'static str> {
    let (program, arguments) = words.split_first()?;
    // A program with a directory in its name, which may be any program, has no row.
    let rows = ROWS.iter().filter(|def| def.program == program);
    rows.into_iter()
        .find(|def| def.matches(arguments))
        .map(|def| def.category)
        .or_else(|| kubectl_category(program, arguments))
}

/// `kubectl get pods -n x`.
fn kubectl_category(program: &str, arguments: &[String]) -> Option<&'static str> {
    let (verb, rest) = arguments.split_first()?;
    let (kind, rest) = rest.split_first()?;
    let only = Only("nAo", &["--namespace", "--all-namespaces"]);
    let looks = program == "kubectl" && verb == "get" && OF_CLUSTER.contains(&kind.as_str());
    (looks && rest.iter().all(|word| !word.starts_with('-') || only.allows_flag(word))).then_some("cluster")
}

/// The words of a line that is one command of plain words: nothing in it expands, redirects or starts a second command.
/// A `~` before a word is plain, because it only names a home directory.
pub(super) fn plain_words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in line.chars() {
        match (quote, letter) {
            (None, ' ' | '\t') => words.extend(word.take()),
            (_, letter) if letter.is_control() => return None,
            (Some(open), letter) if letter == open => quote = None,
            (Some('"'), '$' | '`' | '\\' | '!') => return None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, letter) if "$`\\;&|<>(){}[]*?!#".contains(letter) => return None,
            (_, letter) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// Whether one of the words may be a path outside the project, which is absolute. Paths are compared as they are written.
pub(super) fn leaves_project(words: &[String], cwd: &Path, project: &Path) -> bool {
    let is_outside = |text: &str| match text {
        "/dev/null" => false,
        _ if text.starts_with('~') => true,
        _ if text.starts_with('/') || text.split('/').any(|part| part == "..") => {
            !normalize_path(&cwd.join(text)).starts_with(project)
        }
        _ => false,
    };
    words.iter().skip(1).any(|word| {
        // The value of an option, in the same word.
        let value = word.split_once('=').map(|(_, value)| value).filter(|_| word.starts_with('-'));
        let attached = word.get(2..).filter(|_| word.starts_with('-'));
        is_outside(word) || value.is_some_and(is_outside) || attached.is_some_and(is_outside)
    })
}

impl ReadOnlyCommandDef {
    fn matches(&self, arguments: &[String]) -> bool {
        let rest = match (self.words.is_empty(), arguments.split_first()) {
            (true, _) => arguments,
            (false, Some((word, rest))) if self.words.contains(&word.as_str()) => rest,
            (false, _) => return false,
        };
        let (options, operands): (Vec<_>, Vec<_>) =
            rest.iter().partition(|word| word.starts_with('-') && word.len() > 1);
        operands.len() <= self.most_operands && options.into_iter().all(|word| self.options.allows_flag(word))
    }
}

impl ReadOnlyFlags {
    fn allows_flag(&self, word: &str) -> bool {
        let Only(letters, long) = self else { return true };
        if long.contains(&word) || word.split_once('=').is_some_and(|(name, _)| long.contains(&name)) {
            return true;
        }
        let Some(short) = word.strip_prefix('-').filter(|short| !short.starts_with('-')) else { return false };
        short.chars().all(|letter| letters.contains(letter) || letter.is_ascii_digit())
    }
}
