//! What the name of a tool says about it.

use crate::ShellLanguage;

/// What a tool does with the files that its arguments name; of several words the last one here counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ToolVerb {
    /// A word that says little, such as `get`: it reads if nothing else is said.
    Get,
    /// Shows names, not content.
    List,
    Search,
    Read,
    /// Reads everything in a directory, and mostly sends it somewhere.
    ReadTree,
    MakeDirectory,
    Write,
    Duplicate,
    Move,
    Delete,
}
use ToolVerb::{Delete, Duplicate, Get, List, MakeDirectory, Move, Read, ReadTree, Search, Write};

/// The words of each verb. Words of four letters and more are also found at the start of a word: `readfile`.
static VERBS: &[(ToolVerb, &str)] = &[
    (Get, "get fetch query count check describe status help lookup select"),
    (List, "list ls tree info stat stats metadata exists size names allowed outline"),
    (Search, "search find grep glob rg ripgrep"),
    (
        Read,
        "read view cat open show head tail load parse analyze analyse inspect lint validate diff compare preview \
         summarize explain hash extract import",
    ),
    (ReadTree, "upload archive compress zip tar backup sync send attach share pack"),
    (MakeDirectory, "mkdir makedirs"),
    (
        Write,
        "write edit create patch replace insert append set update save put modify change overwrite touch truncate \
         clear rewrite format fix apply store download export generate add scaffold restore push chmod chown link symlink",
    ),
    (Duplicate, "copy cp duplicate clone"),
    (Move, "move mv rename"),
    (Delete, "delete remove rm rmdir unlink trash purge erase wipe destroy del shred"),
];

/// Words that start like a verb and are something else.
const NO_VERBS: [&str; 16] = [
    "editor",
    "editors",
    "reader",
    "readers",
    "readme",
    "ready",
    "viewer",
    "viewport",
    "information",
    "listen",
    "listener",
    "movement",
    "copyright",
    "openai",
    "header",
    "headers",
];

const SHELL_WORDS: &str = "shell bash sh zsh fish terminal console cmd command commands powershell pwsh tmux iterm ssh tty pty cli subprocess";
const RUN_WORDS: &str = "run exec execute executor eval evaluate evaluator interpreter interpret repl invoke sandbox \
                         playground cell kernel";
/// Words of tools that run a command line or type it, beside those above.
const COMMAND_WORDS: &str = "send write type paste input text data to in into keys keystrokes key stdin process interact with start remote script line \
     async background";
/// Words of tools that type into a terminal or a program.
const TYPING_WORDS: &str = "send write type paste input keys keystrokes stdin interact";
const DATABASE_WORDS: &str = "sql mysql postgres postgresql pg sqlite mariadb db database databases mssql sqlserver \
                              clickhouse bigquery snowflake redshift duckdb supabase neon oracle cockroachdb redis \
                              cassandra cypher neo4j prisma dbhub planetscale turso d1";
/// Interpreters by the words for them.
static LANGUAGES: &[(&str, &str)] = &[
    ("ipython", "python python3 py py3 ipython jupyter pyodide notebook"),
    ("node", "javascript js node nodejs typescript ts deno bun puppeteer playwright browser chrome devtools"),
    ("ruby", "ruby rb irb"),
    ("perl", "perl"),
    ("php", "php"),
    ("lua", "lua"),
    ("Rscript", "r ir rscript rlang"),
    ("julia", "julia"),
    ("bash", "bash sh zsh shell shellscript"),
    ("pwsh", "powershell pwsh ps1"),
];
/// Programs whose subcommands are tools of servers.
const PROGRAMS: &str = "git docker podman kubectl helm terraform tofu pulumi npm pnpm yarn pip cargo brew systemctl";

fn has_word(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|known| known == word)
}

/// The name of a tool in words: those of its server, and its own.
#[derive(Debug, Default)]
pub(super) struct ToolName {
    server: Vec<String>,
    pub(super) own: Vec<String>,
}

impl ToolName {
    /// Reads `mcp__server__tool`, `server/tool`, `server.tool`, `MCP:tool` and `server_tool`; the latter is one name.
    pub(super) fn new(name: &str) -> Self {
        let parts: Vec<&str> =
            name.split(['/', '.', ':']).flat_map(|part| part.split("__")).filter(|part| !part.is_empty()).collect();
        let (tool, server) = parts.split_last().unwrap_or((&name, &[]));
        Self { server: server.iter().flat_map(|part| split_words(part)).collect(), own: split_words(tool) }
    }

    fn has(&self, words: &str) -> bool {
        self.server.iter().chain(&self.own).any(|word| has_word(words, word))
    }

    pub(super) fn verb(&self) -> Option<ToolVerb> {
        verb_of(&self.own)
    }

    /// Whether texts that it gets are command lines.
    pub(super) fn is_shell(&self) -> bool {
        self.has(SHELL_WORDS)
    }

    /// Whether it is named after what it does with a command line: `run_command`, `ssh_exec`, `send_keys`.
    pub(super) fn is_runner(&self) -> bool {
        let is_any = |lists: &[&str], word: &String| lists.iter().any(|words| has_word(words, word));
        self.own.iter().all(|word| is_any(&[SHELL_WORDS, RUN_WORDS, COMMAND_WORDS], word))
            && self.own.iter().any(|word| is_any(&[SHELL_WORDS, "exec keys keystrokes stdin process input"], word))
            && self.language() != Some("node")
    }

    /// Whether it types what it gets into a terminal or a program.
    pub(super) fn types(&self) -> bool {
        self.is_runner() && self.own.iter().any(|word| has_word(TYPING_WORDS, word))
    }

    /// Whether it applies patches.
    pub(super) fn is_patcher(&self) -> bool {
        self.own.iter().any(|word| has_word("patch diff apply", word))
    }

    /// Whether it runs the code that it gets.
    pub(super) fn is_interpreter(&self) -> bool {
        let is_language = |word: &String| language_of(word).is_some();
        self.has("interpreter repl sandbox")
            || self.own.iter().any(|word| has_word(RUN_WORDS, word))
            || !self.own.is_empty() && self.own.iter().all(is_language)
    }

    pub(super) fn is_database(&self) -> bool {
        self.has(DATABASE_WORDS)
    }

    pub(super) fn language(&self) -> Option<&'static str> {
        self.own.iter().chain(&self.server).find_map(|word| language_of(word))
    }

    /// The shell whose command lines it gets.
    pub(super) fn shell(&self) -> ShellLanguage {
        if self.has("powershell pwsh") { ShellLanguage::PowerShell } else { ShellLanguage::Bash }
    }

    /// The program that it is named after, with the subcommand: `git push` for `git_push`.
    pub(super) fn program(&self) -> Option<(&str, &[String])> {
        let is_program = |word: &String| has_word(PROGRAMS, word);
        let (program, words) = match self.own.iter().position(is_program) {
            Some(index) => (self.own.get(index)?, self.own.get(index + 1..)?),
            None => (self.server.iter().find(|word| is_program(word))?, self.own.as_slice()),
        };
        Some((program, words))
    }
}

/// The interpreter that a word stands for.
pub(super) fn language_of(word: &str) -> Option<&'static str> {
    LANGUAGES.iter().find(|(_, words)| has_word(words, word)).map(|(language, _)| *language)
}

/// What words say is done with files.
pub(super) fn verb_of(words: &[String]) -> Option<ToolVerb> {
    let verb = words.iter().filter_map(|word| verb_of_word(word)).max()?;
    let is_directory = words.iter().any(|word| has_word("directory directories dir folder folders", word));
    let makes = words.iter().any(|word| matches!(word.as_str(), "create" | "make" | "new"));
    Some(if verb == Write && is_directory && makes { MakeDirectory } else { verb })
}

fn verb_of_word(word: &str) -> Option<ToolVerb> {
    if NO_VERBS.contains(&word) {
        return None;
    }
    let is_verb = |verb: &str| verb == word || verb.len() >= 4 && word.starts_with(verb);
    VERBS.iter().filter(|(_, words)| words.split_whitespace().any(is_verb)).map(|(verb, _)| *verb).max()
}

/// Whether a tool only reads, as far as its name says.
#[must_use]
pub fn is_reading_tool(name: &str) -> bool {
    ToolName::new(name).verb().is_some_and(|verb| verb <= Read)
}

/// The words of a name in lower case: `readFile`, `read_file` and `read-file` have the same.
pub(super) fn split_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut can_continue = false;
    let mut was_lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() {
            can_continue = false;
            continue;
        }
        let starts = !can_continue || was_lower && letter.is_uppercase();
        match words.last_mut() {
            Some(word) if !starts => word.extend(letter.to_lowercase()),
            _ => words.push(letter.to_lowercase().collect()),
        }
        can_continue = true;
        was_lower = letter.is_lowercase() || letter.is_numeric();
    }
    words
}
