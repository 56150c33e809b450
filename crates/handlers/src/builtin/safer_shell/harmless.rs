//! Commands that only look, a row each.

use super::dangers::name_of;

/// A command that only looks.
struct Row {
    program: &'static str,
    /// The words right after the program, one of which there has to be; empty asks for none.
    words: &'static [&'static str],
    /// The options it may have.
    options: Options,
    /// How many words that are no options it may have, besides those above.
    most_operands: usize,
    category: &'static str,
}

/// Which options still only look.
enum Options {
    /// Every option of the program.
    Any,
    /// These alone: letters that may stand together and with a number, and long ones that may have a value.
    Only(&'static str, &'static [&'static str]),
}

use Options::{Any, Only};

const MANY: usize = usize::MAX;

const fn row(
    program: &'static str,
    words: &'static [&'static str],
    options: Options,
    most_operands: usize,
    category: &'static str,
) -> Row {
    Row { program, words, options, most_operands, category }
}

static ROWS: &[Row] = &[
    row("ls", &[], Any, MANY, "filesystem"),
    row("pwd", &[], Any, 0, "filesystem"),
    row("cat", &[], Any, MANY, "filesystem"),
    row("head", &[], Any, MANY, "filesystem"),
    row("tail", &[], Any, MANY, "filesystem"),
    row("wc", &[], Any, MANY, "filesystem"),
    row("stat", &[], Any, MANY, "filesystem"),
    row("du", &[], Any, MANY, "filesystem"),
    row("df", &[], Any, MANY, "filesystem"),
    row("basename", &[], Any, MANY, "filesystem"),
    row("dirname", &[], Any, MANY, "filesystem"),
    row("realpath", &[], Any, MANY, "filesystem"),
    row("readlink", &[], Any, MANY, "filesystem"),
    row("diff", &[], Only("abBciqrsuwy", &["--brief", "--unified", "--recursive", "--color"]), MANY, "filesystem"),
    row("cmp", &[], Any, MANY, "filesystem"),
    row("file", &[], Only("bi", &["--brief", "--mime", "--mime-type"]), MANY, "filesystem"),
    row("tree", &[], Only("adfLhsDpu", &[]), MANY, "filesystem"),
    row("sort", &[], Only("bdfghikMnrtuV", &["--reverse", "--numeric-sort", "--unique"]), MANY, "text"),
    row("uniq", &[], Only("cdiu", &["--count"]), 1, "text"),
    row("cut", &[], Any, MANY, "text"),
    row("echo", &[], Any, MANY, "text"),
    row("grep", &[], Any, MANY, "search"),
    row("egrep", &[], Any, MANY, "search"),
    row("fgrep", &[], Any, MANY, "search"),
    row(
        "rg",
        &[],
        Only("inlcwvFeguUjABCSstTHN", &["--files", "--type", "--glob", "--count", "--hidden", "--no-heading"]),
        MANY,
        "search",
    ),
    row(
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
    row("which", &[], Any, MANY, "system"),
    row("whoami", &[], Any, 0, "system"),
    row("id", &[], Any, MANY, "system"),
    row("uname", &[], Any, 0, "system"),
    row("hostname", &[], Only("fsi", &[]), 0, "system"),
    row("date", &[], Only("uIR", &["--utc", "--iso-8601", "--rfc-3339"]), 0, "system"),
    row("uptime", &[], Any, 0, "system"),
    row("true", &[], Any, MANY, "system"),
    row("git", &["status"], Only("sbuz", &["--short", "--branch", "--porcelain", "--long"]), MANY, "git"),
    row(
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
    row(
        "git",
        &["log", "show"],
        Only(
            "pnM",
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
                "--patch",
                "--pretty",
                "--format",
                "--",
            ],
        ),
        MANY,
        "git",
    ),
    row("git", &["branch"], Only("avr", &["--list", "--all", "--show-current"]), 0, "git"),
    row("git", &["rev-parse"], Only("", &["--short", "--abbrev-ref", "--show-toplevel", "--verify"]), MANY, "git"),
    row("git", &["ls-files"], Only("comsz", &["--cached", "--others", "--exclude-standard"]), MANY, "git"),
    row("git", &["blame"], Only("LwMCe", &[]), MANY, "git"),
    row("git", &["remote"], Only("v", &["--verbose"]), 0, "git"),
    row("git", &["tag"], Only("l", &["--list"]), 0, "git"),
    row(
        "docker",
        &["ps", "images", "version", "info"],
        Only("aqn", &["--all", "--quiet", "--no-trunc"]),
        MANY,
        "containers",
    ),
    row("kubectl", &["version", "cluster-info"], Only("", &["--client"]), 0, "cluster"),
];

/// What may be read of a cluster; secrets may not.
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

/// Files that hold keys. To look at them is not harmless.
const PRIVATE: [&str; 12] = [
    ".ssh",
    ".aws",
    ".env",
    ".netrc",
    ".gnupg",
    ".kube",
    ".npmrc",
    ".pypirc",
    "id_rsa",
    "id_ed25519",
    "shadow",
    "environ",
];

/// The category of a command that only looks; `None` for any other.
pub(super) fn category(words: &[String]) -> Option<&'static str> {
    let (program, arguments) = words.split_first()?;
    // A program that is named with its directory may be any program.
    if program != name_of(program) || arguments.iter().any(|word| is_private(word)) {
        return None;
    }
    let rows = ROWS.iter().filter(|row| row.program == program);
    rows.into_iter()
        .find(|row| row.matches(arguments))
        .map(|row| row.category)
        .or_else(|| of_cluster(program, arguments))
}

/// `kubectl get pods -n x`.
fn of_cluster(program: &str, arguments: &[String]) -> Option<&'static str> {
    let (verb, rest) = arguments.split_first()?;
    let (kind, rest) = rest.split_first()?;
    let only = Only("nAo", &["--namespace", "--all-namespaces"]);
    let looks = program == "kubectl" && verb == "get" && OF_CLUSTER.contains(&kind.as_str());
    (looks && rest.iter().all(|word| !word.starts_with('-') || only.has(word))).then_some("cluster")
}

fn is_private(word: &str) -> bool {
    word.split(['/', '=', ':']).any(|part| PRIVATE.contains(&part) || part.starts_with(".env."))
}

impl Row {
    fn matches(&self, arguments: &[String]) -> bool {
        let rest = match (self.words.is_empty(), arguments.split_first()) {
            (true, _) => arguments,
            (false, Some((word, rest))) if self.words.contains(&word.as_str()) => rest,
            (false, _) => return false,
        };
        let (options, operands): (Vec<_>, Vec<_>) =
            rest.iter().partition(|word| word.starts_with('-') && word.len() > 1);
        operands.len() <= self.most_operands && options.into_iter().all(|word| self.options.has(word))
    }
}

impl Options {
    fn has(&self, word: &str) -> bool {
        let Only(letters, long) = self else { return true };
        if long.contains(&word) || word.split_once('=').is_some_and(|(name, _)| long.contains(&name)) {
            return true;
        }
        let Some(short) = word.strip_prefix('-').filter(|short| !short.starts_with('-')) else { return false };
        short.chars().all(|letter| letters.contains(letter) || letter.is_ascii_digit())
    }
}
