//! Checks that parts of the sources do not use what they must not, as `ARCHITECTURE.md` says.

use pintle_contract::EventKind;
use xtask::{SOURCE_FOLDERS, SourceWorkspace};

use crate::tidy::code::{has_word, is_test_file, shipped_lines};

/// Something that a part of the sources must not contain.
struct ForbiddenPattern<'a> {
    /// The rule in words.
    rule: &'static str,
    /// Any of these words breaks it.
    words: &'a [&'a str],
    /// Where the rule applies: prefixes of paths.
    scope: &'static [&'static str],
    /// Where it does not apply, because the place exists for this purpose.
    allowed_in: &'static [&'static str],
    /// Deliberate exceptions, with the reason. An unused exception is an error.
    excused: &'static [(&'static str, &'static str)],
}

const EVERYWHERE: &[&str] = &SOURCE_FOLDERS;

const ABSENCES: &[ForbiddenPattern<'_>] = &[
    ForbiddenPattern {
        rule: "the middle does no I/O, reads no clock and starts no thread",
        words: &[
            "std::fs",
            "std::net",
            "std::process",
            "std::thread",
            "std::env",
            "SystemTime",
            "Instant",
            "tokio",
            "async fn",
            "async move",
        ],
        scope: &["crates/contract/src/", "crates/engine/src/compose", "crates/engine/src/select"],
        allowed_in: &[],
        excused: &[],
    },
    ForbiddenPattern {
        rule: "only handlers start processes",
        words: &["process::Command", "Command::new", "CommandExt"],
        scope: EVERYWHERE,
        allowed_in: &["crates/handlers/", "crates/xtask/", "lab/"],
        excused: &[
            (
                "crates/bridge/src/doctor/",
                "the doctor runs the installed command line as the host would, and asks a client for its version",
            ),
            (
                "crates/cli/src/pager.rs",
                "the pager is the user's own program on their terminal, which it needs as a whole; it is for no hook and no agent",
            ),
            (
                "crates/cli/src/commands/view/browser.rs",
                "the user's own browser is opened at the page that they asked for; it is for no hook and no agent",
            ),
            (
                "crates/cli/src/commands/mcp/program.rs",
                "the MCP server is the command that the user wrote into the settings of the client; no hook and no model names it",
            ),
            (
                "crates/hook/src/",
                "the program that agents start becomes `pintle`, and starts a resident; it links no hooks",
            ),
            (
                "crates/testkit/src/program.rs",
                "a test's program is written by another process, so that it can be run at once",
            ),
            (
                "fleet/src/policy/",
                "`minisign` signs a bundle, `git` fetches one, and `pintle` says whether it loads; each is the user's own program",
            ),
            (
                "crates/loader/src/layers/account.rs",
                "only a program of the system knows the accounts of a directory service",
            ),
        ],
    },
    ForbiddenPattern {
        rule: "only handlers opens connections for a hook",
        words: &["TcpStream", "TcpListener", "UdpSocket", "reqwest"],
        scope: EVERYWHERE,
        allowed_in: &["crates/handlers/"],
        excused: &[
            ("crates/agent/src/model/remote/", "the agent calls its model; hooks do not"),
            ("crates/testkit/src/model_server/", "tests call a model server on this machine"),
            (
                "crates/cli/src/commands/mcp/http.rs",
                "the user wrote the address of the MCP server into the settings of the client",
            ),
            ("crates/cli/src/commands/serve/http.rs", "hosts of this machine ask `pintle serve --http`"),
            ("crates/cli/src/commands/view/mod.rs", "the user's browser asks `pintle view`"),
            ("crates/cli/src/loopback/", "programs of this machine ask `pintle serve --http` and `pintle view`"),
            ("fleet/", "machines send their tapes to a collector; it runs no hooks"),
        ],
    },
    ForbiddenPattern {
        rule: "only loader, tape and files touch files",
        words: &["std::fs", "fs::read", "fs::write", "File::open", "File::create", "OpenOptions", "cap_std"],
        scope: EVERYWHERE,
        allowed_in: &["crates/files/", "crates/loader/", "crates/tape/", "crates/xtask/", "lab/"],
        excused: &[
            (
                "crates/agent/src/workspace/",
                "the files that tools change; every path is opened within the workspace's directory",
            ),
            ("crates/testkit/src/example.rs", "the cases of a test"),
            ("crates/shell/build.rs", "the texts of its own tables, when the crate is built"),
            ("crates/bridge/src/install/", "the settings of other agents, which are changed and restored"),
            ("crates/bridge/src/doctor/", "the files of other agents with their hooks and trust"),
            ("crates/bridge/src/resident/", "the resident's program and log, and what it says of its memory"),
            ("crates/hook/src/", "the socket of a resident, and which program listens on it"),
            ("crates/cli/", "the files that its user names on the command line"),
            ("fleet/src/policy/", "the bundles of a machine, and the files of which one is made"),
            ("fleet/src/commands/bundle.rs", "the bundle that its user names on the command line"),
            (
                "crates/handlers/src/builtin/",
                "facts about the host for built-ins, and results that are too large for a conversation",
            ),
            (
                "crates/handlers/src/jail/",
                "the files that hooks and tools read; every path is opened within the project's directory",
            ),
            (
                "crates/handlers/src/command/detached.rs",
                "the input of a program that is not waited for, only in memory",
            ),
            (
                "crates/handlers/src/snapshot/",
                "snapshots are of files: they are read and restored, and copies are stored",
            ),
            (
                "crates/handlers/src/process/",
                "the ids of its own child processes and the pipes of its host, which the system shows as files",
            ),
        ],
    },
    ForbiddenPattern {
        rule: "nothing under the program prints",
        words: &["println!", "print!", "eprintln!", "eprint!", "dbg!", "io::stdout", "io::stderr"],
        scope: EVERYWHERE,
        allowed_in: &["crates/cli/", "crates/xtask/", "fleet/", "lab/"],
        excused: &[
            ("crates/testkit/src/bench/", "a bench prints its measurements"),
            ("crates/shell/build.rs", "it tells cargo which texts it reads"),
            ("crates/hook/src/", "it is a program, which writes the answer of the resident"),
        ],
    },
    ForbiddenPattern {
        rule: "only script knows the interpreter",
        words: &["starlark::", "use starlark", "starlark_syntax"],
        scope: EVERYWHERE,
        allowed_in: &["crates/script/"],
        excused: &[],
    },
    ForbiddenPattern {
        rule: "no dialect is named outside of dialects and of the vocabularies of tools",
        words: &["ai_harness", "docker_agent", "harness_framework", "claude_code"],
        scope: EVERYWHERE,
        allowed_in: &["crates/dialects/", "crates/clients/", "crates/tools/"],
        excused: &[("crates/loader/src/client_files.rs", "its settings may also be The Harness Framework's")],
    },
    ForbiddenPattern {
        rule: "docker-agent's words for what the loop does are written by its codec only",
        words: &[
            "tool_input_transform_deny",
            "tool_guard_deny",
            "pre_tool_use_hook_allow",
            "pre_tool_use_hook_deny",
            "permission_request_hook_allow",
            "permission_request_hook_deny",
            "team_permissions_allow",
            "team_permissions_deny",
            "session_permissions_allow",
            "mode_legacy",
            "mode_balanced",
            "mode_restricted",
            "readonly_hint",
            "user_approved",
            "user_approved_tool",
            "user_approved_session",
            "user_rejected",
            "non_interactive_deny",
            "context_canceled",
            "tool_input_transform hook",
            "pre_tool_use hook",
            "post_tool_use hook",
            "permission_request hook",
            "hook_blocked",
            "loop_detected",
            "force_handoff",
            "prompt_input_exit",
            "transfer_task_return",
        ],
        scope: EVERYWHERE,
        allowed_in: &["crates/dialects/", "lab/src/seeds/"],
        excused: &[("crates/clients/src/payload_values.rs", "Claude Code has the same word for a session's end")],
    },
];

/// Names of events as literals. The words are those of the catalogue, except names of one plain word.
const EVENT_NAMES: ForbiddenPattern<'_> = ForbiddenPattern {
    rule: "code matches `EventKind`; names of events are read and written at the rim",
    words: &[],
    scope: EVERYWHERE,
    allowed_in: &["crates/contract/src/event/catalogue/", "crates/testkit/", "lab/src/seeds/"],
    excused: &[("crates/clients/src/opencode/events.rs", "OpenCode has events of its own with these names")],
};

pub(super) fn find_violations(workspace: &SourceWorkspace) -> Vec<String> {
    let sources: Vec<_> = workspace.sources().filter(|(name, _)| !is_test_file(name) && *name != file!()).collect();
    let mut faults: Vec<String> = ABSENCES.iter().flat_map(|absence| find_matches(absence, &sources)).collect();
    faults.extend(find_event_literals(&sources));
    faults.extend(check_interpreter_dependency(workspace));
    faults
}

fn find_event_literals(sources: &[(&str, &str)]) -> Vec<String> {
    let names = EventKind::ALL.iter().filter(|kind| kind.name().contains('.'));
    let literals: Vec<String> = names.map(|kind| format!("\"{kind}\"")).collect();
    let literals: Vec<&str> = literals.iter().map(String::as_str).collect();
    find_matches(&ForbiddenPattern { words: &literals, ..EVENT_NAMES }, sources)
}

fn find_matches(absence: &ForbiddenPattern<'_>, sources: &[(&str, &str)]) -> Vec<String> {
    let starts = |name: &str, paths: &[&str]| paths.iter().any(|path| name.starts_with(path));
    let mut faults = Vec::new();
    let mut used = vec![false; absence.excused.len()];
    for (name, text) in sources {
        if !starts(name, absence.scope) || starts(name, absence.allowed_in) {
            continue;
        }
        let found = shipped_lines(text).filter_map(|(line, code)| {
            absence.words.iter().find(|word| has_word(code, word)).map(|word| (line, *word))
        });
        for (line, word) in found {
            match absence.excused.iter().position(|(path, _)| name.starts_with(path)) {
                Some(index) => used.iter_mut().skip(index).take(1).for_each(|mark| *mark = true),
                None => faults.push(format!("{name}:{line}: `{word}`, but {}", absence.rule)),
            }
        }
    }
    let idle = absence.excused.iter().zip(used).filter(|(_, used)| !used);
    faults.extend(idle.map(|((path, _), _)| format!("`{path}` needs no exception from `{}`", absence.rule)));
    faults
}

/// Checks that only one crate depends on the interpreter.
fn check_interpreter_dependency(workspace: &SourceWorkspace) -> Vec<String> {
    match workspace.packages() {
        Ok(packages) => {
            let interpreter = |name: &String| ["starlark", "pintle-starlark"].contains(&name.as_str());
            let depends = packages.into_iter().filter(|package| package.all_dependencies.iter().any(interpreter));
            let others = depends.filter(|package| package.folder != "script");
            others.map(|package| format!("`{}` depends on the interpreter; only script may", package.folder)).collect()
        }
        Err(error) => vec![error],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: ForbiddenPattern<'_> = ForbiddenPattern {
        rule: "nobody shouts",
        words: &["SHOUT"],
        scope: &["crates/"],
        allowed_in: &["crates/stage/"],
        excused: &[("crates/a/loud.rs", "it is far away"), ("crates/a/quiet.rs", "it might")],
    };

    #[test]
    fn words_are_found_where_the_rule_holds_and_idle_excuses_too() {
        let sources = [
            ("crates/a/b.rs", "fn a() {}\nSHOUT;\n"),
            ("crates/a/loud.rs", "SHOUT"),
            ("crates/a/quiet.rs", "// SHOUT"),
            ("crates/stage/c.rs", "SHOUT"),
        ];
        let expected = [
            "crates/a/b.rs:2: `SHOUT`, but nobody shouts",
            "`crates/a/quiet.rs` needs no exception from `nobody shouts`",
        ];
        assert_eq!(find_matches(&RULE, &sources), expected);
    }

    #[test]
    fn a_literal_is_found_only_if_it_is_the_name_of_an_event() {
        let sources = [
            ("crates/a/b.rs", "// \"tool.pre\"\nis(\"tool.pre\");\nis(\"no tool.pre\");\nis(\"error\");\n"),
            ("crates/clients/src/opencode/events.rs", "is(\"session.idle\")"),
            ("crates/contract/src/event/catalogue/tool_pre.rs", "is(\"tool.pre\")"),
        ];
        let expected =
            ["crates/a/b.rs:2: `\"tool.pre\"`, but code matches `EventKind`; names of events are read and written at \
                         the rim"];
        assert_eq!(find_event_literals(&sources), expected);
    }
}
