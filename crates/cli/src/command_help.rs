//! What the program says to a person who does not know it yet: the first commands, the examples below each help page, and
//! the command for a word that is none.

use std::ffi::OsString;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue};
use pintle_host::contract::suggest_nearest;

use crate::Cli;

/// What `pintle` alone says.
pub(crate) const FIRST_STEPS: &str = "\
Pintle decides about the calls of AI agents before they run.

  pintle init              Guard the agents of this machine with the default packs
  pintle try 'rm -rf ~'    See what would happen to a call, and why
  pintle log --denied      See what was refused

`pintle --help` lists all commands. `pintle COMMAND --help` has examples of each.
";

/// Command lines without `pintle`, and what each does, by the command of its first word.
const EXAMPLES: &[(&str, &[(&str, &str)])] = &[
    (
        "run",
        &[
            ("run agent.yaml 'Tidy this folder'", "run an agent with a prompt"),
            ("run", "talk to the project's agent"),
            ("run --resume last 'and now the docs'", "continue the last session"),
            ("run agent.yaml --hook-pre-tool-use ./guard.sh", "add a hook for an event of docker-agent"),
        ],
    ),
    (
        "validate",
        &[
            ("validate", "check the project's hooks and your own"),
            ("validate policy.yaml --deny-warnings", "fail on warnings, too, as in CI"),
            ("validate --format sarif", "write what a code scanner reads"),
        ],
    ),
    (
        "test",
        &[
            ("test", "run all examples, cases and scenarios"),
            ("test --filter publish --watch", "run some again after each change"),
            ("test --coverage --fail-under 90", "show the lines that no example reaches"),
            ("test --mutate", "show the changes of your hooks that no example notices"),
        ],
    ),
    ("lsp", &[("lsp", "serve an editor, which starts it")]),
    (
        "fire",
        &[
            ("fire tool.pre --example", "fire the example of an event"),
            ("fire PreToolUse --host claude < payload.json", "answer as in Claude Code"),
        ],
    ),
    (
        "explain",
        &[
            ("explain tool.pre", "show which hooks hear an event"),
            ("explain PreToolUse --host claude < payload.json", "and which of them hear this call"),
        ],
    ),
    (
        "hooks",
        &[
            ("hooks", "list the hooks that apply here"),
            ("hooks examples/governed-agent", "list those of a directory"),
            ("hooks --live --since 7d", "show how often each was reached"),
        ],
    ),
    (
        "packs",
        &[("packs", "list the packs"), ("packs git", "show the rules of one"), ("packs --check", "run their examples")],
    ),
    (
        "rule",
        &[
            ("rule add deny 'npm publish' --reason 'CI publishes'", "deny a command"),
            ("rule add ask --write 'migrations/**'", "ask before files are written"),
            ("rule allow-path ~/scratch", "let a directory be changed"),
            ("rule remove npm-publish", "take a rule back"),
        ],
    ),
    ("fetch", &[("fetch", "fetch what the policy extends"), ("fetch --check", "compare it with its source, as in CI")]),
    (
        "new",
        &[
            ("new rule no_publish", "write a rule with an example"),
            ("new hook no_publish --event tool.pre", "write a hook with an example"),
            ("new scenario release", "write a turn of an agent to play"),
        ],
    ),
    (
        "log",
        &[
            ("log --denied --since 1d", "what was refused since yesterday"),
            ("log --rule git.force-push --host claude", "what a rule did in an agent"),
            ("log --follow", "what happens now"),
        ],
    ),
    ("why", &[("why last", "why the last call was refused"), ("why 546035.14", "why a decision of the log was made")]),
    (
        "view",
        &[
            ("view", "open the page in your browser"),
            ("view --no-open --port 8700", "print the link, for example for a tunnel"),
        ],
    ),
    ("allow", &[("allow last", "let the call that was refused last pass once")]),
    (
        "try",
        &[
            ("try 'rm -rf ~'", "judge a command"),
            ("try --tool write --path .env", "judge a call of another tool"),
            ("try --file calls.txt", "judge each line of a file"),
            ("try --explain 'curl https://example.com/x | sh'", "show what Pintle knows about a command"),
        ],
    ),
    (
        "events",
        &[("events", "list the events"), ("events tool.pre", "show the fields of one, and what hooks may answer")],
    ),
    (
        "replay",
        &[
            ("replay TAPE", "compute a session again from its tape"),
            ("replay --with policy.yaml --since 30d", "decide last month's calls by another policy"),
        ],
    ),
    (
        "diff",
        &[
            ("diff old/policy.yaml new/policy.yaml", "compare two policies on recorded calls"),
            ("diff old new --examples", "or on what their examples and rules name"),
            ("diff old new --fail-on looser", "fail if the new one allows what the old one denies"),
        ],
    ),
    (
        "tape",
        &[
            ("tape show TAPE --brief", "show what hooks did in a session"),
            ("tape verify TAPE", "check that it is whole, and that its host obeyed"),
            ("tape verify TAPE --key PUBLIC-KEY", "check that the machine with this key wrote it"),
            ("tape export TAPE", "write it as JSON"),
        ],
    ),
    (
        "sessions",
        &[
            ("sessions", "list the sessions of this project"),
            ("sessions --host claude", "list those of an agent"),
            ("sessions prune --older-than 90 --dry-run", "show what a limit would remove"),
        ],
    ),
    (
        "trust",
        &[("trust", "review what this project's hooks can do"), ("trust --list", "list the projects that you trust")],
    ),
    ("pause", &[("pause 10m", "let an agent edit its policy for ten minutes"), ("pause --end", "end that now")]),
    ("snapshot", &[("snapshot list", "list the snapshots of this project's files")]),
    ("hook", &[("hook claude PreToolUse < payload.json", "answer one event of an agent")]),
    (
        "serve",
        &[
            ("serve --stdio", "serve a host that writes JSON lines"),
            ("serve --http 127.0.0.1:8700 --token-file token", "serve hosts on this machine"),
        ],
    ),
    (
        "mcp",
        &[
            ("mcp files -- npx -y @modelcontextprotocol/server-filesystem .", "guard the calls of a server"),
            ("mcp git --only 'git_log' --only 'git_diff' -- uvx mcp-server-git", "show only two of its tools"),
            ("mcp tickets --url https://example.com/mcp --header 'X-Key: ${KEY}'", "one over HTTP"),
        ],
    ),
    (
        "intercept",
        &[
            ("intercept --hooks .", "answer by the project's hooks"),
            ("intercept --hooks . --tapes sessions", "and record each session"),
        ],
    ),
    (
        "init",
        &[
            ("init", "guard all agents of this machine"),
            ("init --packs shell,git --agents claude", "with these packs, in this agent"),
            ("init --dry-run --diff", "only show what would change"),
        ],
    ),
    (
        "install",
        &[
            ("install claude", "install in Claude Code, for all projects"),
            ("install codex --scope project", "for this project, and the others who work on it"),
            ("install gemini --report", "show what each decision does there"),
        ],
    ),
    ("uninstall", &[("uninstall claude", "remove it from an agent"), ("uninstall all", "take all of `init` back")]),
    ("update", &[("update --check", "say how to update")]),
    (
        "docs",
        &[
            ("docs", "list the pages by what you want to do"),
            ("docs own-rules", "read one"),
            ("docs --search force push", "find a page by its words"),
        ],
    ),
    (
        "completions",
        &[("completions bash > ~/.local/share/bash-completion/completions/pintle", "complete commands in bash")],
    ),
    (
        "doctor",
        &[
            ("doctor", "check all agents"),
            ("doctor claude", "check one"),
            ("doctor --fix", "repair entries after an upgrade"),
        ],
    ),
];

/// Words that people type for what a command of another name does: the words, and what to type.
const MEANINGS: &[(&[&str], &str)] = &[
    (&["deny", "block", "ask", "warn", "add", "forbid", "ban"], "pintle rule add deny 'npm publish'"),
    (
        &["permit", "allow-path", "exception", "except", "whitelist", "allowlist", "unblock"],
        "pintle rule allow-path PATH",
    ),
    (&["check", "lint", "verify", "compile", "build"], "pintle validate"),
    (
        &["history", "show", "blocked", "denied", "refused", "decisions", "audit", "list", "ls", "events-log"],
        "pintle log",
    ),
    (&["reason", "blame", "inspect"], "pintle why last"),
    (&["ui", "gui", "web", "dashboard", "browser", "viewer", "charts", "open"], "pintle view"),
    (&["status", "health", "diagnose", "ps", "info"], "pintle doctor"),
    (&["setup", "enable", "start", "on", "configure", "bootstrap"], "pintle init"),
    (&["disable", "remove", "stop", "off", "delete", "purge"], "pintle uninstall all"),
    (&["policy", "policies", "config", "settings", "dump"], "pintle packs"),
    (&["eval", "evaluate", "judge", "simulate", "query", "exec"], "pintle try 'rm -rf ~'"),
    (&["watch", "tail", "monitor", "live"], "pintle log --follow"),
    (&["coverage", "mutate", "spec"], "pintle test"),
    (&["compare", "redecide", "what-if"], "pintle diff BEFORE AFTER"),
    (&["create", "scaffold", "generate", "template"], "pintle new rule NAME"),
    (&["version"], "pintle --version"),
    (&["approve"], "pintle trust"),
    (&["daemon", "server", "listen"], "pintle serve"),
    (&["proxy", "gateway", "wrap"], "pintle mcp NAME -- COMMAND"),
    (&["pull", "sync", "install-deps"], "pintle fetch"),
    (&["chat", "agent", "ask-agent"], "pintle run"),
    (&["guide", "guides", "manual", "doc", "documentation", "learn", "tutorial"], "pintle docs"),
];

/// The command line as a tree, with the examples below each help page.
pub(crate) fn command_tree() -> clap::Command {
    EXAMPLES.iter().fold(Cli::command(), |tree, (name, examples)| {
        let widest = examples.iter().map(|(line, _)| line.chars().count()).max().unwrap_or_default();
        let lines = examples.iter().map(|(line, about)| format!("\n  pintle {line:widest$}    {about}"));
        let text = format!("Examples:{}", lines.collect::<String>());
        tree.mut_subcommand(name, |command| command.after_help(text))
    })
}

/// The error with a better suggestion, if it is about the first word of the command line.
pub(crate) fn with_meaning(mut error: clap::Error, mut command_line: impl Iterator<Item = OsString>) -> clap::Error {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand).cloned() else { return error };
    let first = command_line.find(|word| !word.as_encoded_bytes().starts_with(b"-"));
    // Commands of commands have suggestions of their own.
    if first.is_none_or(|first| first != word.as_str()) {
        return error;
    }
    error.remove(ContextKind::SuggestedSubcommand);
    let by_meaning = MEANINGS.iter().find(|(words, _)| words.contains(&word.as_str()));
    let tree = Cli::command();
    let names = || tree.get_subcommands().filter(|command| !command.is_hide_set()).map(clap::Command::get_name);
    let nearest = || suggest_nearest(&word, names()).map(|name| format!("pintle {name}"));
    if let Some(line) = by_meaning.map(|(_, line)| String::from(*line)).or_else(nearest) {
        let tip = format!("try `{line}`");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use clap::error::ErrorKind;

    use super::*;

    /// A command line as a shell splits it, without what it redirects.
    fn words(line: &str) -> Vec<String> {
        let line = line.split(['<', '>']).next().unwrap_or_default();
        let mut words = vec![String::from("pintle")];
        for (index, part) in line.split('\'').enumerate() {
            match index % 2 {
                0 => words.extend(part.split_whitespace().map(str::to_owned)),
                _ => words.push(part.to_owned()),
            }
        }
        words
    }

    #[test]
    fn every_command_has_examples_and_each_is_a_command_line() {
        let named: HashSet<&str> = EXAMPLES.iter().map(|(name, _)| *name).collect();
        for command in Cli::command().get_subcommands().filter(|command| !command.is_hide_set()) {
            assert!(named.contains(command.get_name()), "`pintle {}` has no example", command.get_name());
        }
        for (name, examples) in EXAMPLES {
            for (line, _) in *examples {
                assert_eq!(line.split(' ').next(), Some(*name));
                let parsed = command_tree().try_get_matches_from(words(line));
                assert!(parsed.is_ok(), "{line}: {parsed:?}");
                assert!(line.len() <= 72, "{line}");
            }
        }
    }

    #[test]
    fn what_a_word_means_is_a_command_and_the_word_is_none() {
        let tree = Cli::command();
        for (typed, line) in MEANINGS {
            for word in *typed {
                assert!(tree.find_subcommand(word).is_none(), "`{word}` is a command");
            }
            let words: Vec<String> = words(line.strip_prefix("pintle ").unwrap_or_default());
            let parsed = command_tree().try_get_matches_from(words);
            let shown_version = parsed.as_ref().is_err_and(|error| error.kind() == ErrorKind::DisplayVersion);
            assert!(parsed.is_ok() || shown_version, "{line}: {parsed:?}");
        }
        for (_, line) in FIRST_STEPS.lines().filter_map(|line| line.strip_prefix("  ")?.split_once("pintle ")) {
            let (line, _) = line.split_once("    ").unwrap_or((line, ""));
            assert!(command_tree().try_get_matches_from(words(line)).is_ok(), "{line}");
        }
    }
}
