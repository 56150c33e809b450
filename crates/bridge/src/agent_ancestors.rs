//! Tells a user's own terminal from one that an agent started.
//!
//! An agent can open a terminal for a program as easily as a user can. So a program that only a user may run looks at the
//! processes that it was started from, and at the variables that agents set for their programs.

use std::env;
use std::fmt;
use std::io;

use pintle_host::clients::AgentMarks;
use pintle_host::process::{AncestorProcess, list_ancestors};

use crate::HOSTS;

/// Pintle's own loop. A script of this name only starts the program, as the package of npm does for its user.
const OWN_LOOP: (&str, AgentMarks) = ("Pintle", AgentMarks { programs: &["pintle"], ..AgentMarks::NONE });

/// Agents that are not hosts.
const OTHER_AGENTS: [(&str, AgentMarks); 6] = [
    ("docker-agent", AgentMarks { programs: &["docker-agent", "cagent"], ..AgentMarks::NONE }),
    ("Goose", AgentMarks { programs: &["goose"], variables: &["GOOSE_TERMINAL"], ..AgentMarks::NONE }),
    ("Amp", AgentMarks { programs: &["amp"], packages: &["@sourcegraph/amp"], ..AgentMarks::NONE }),
    ("Aider", AgentMarks { programs: &["aider"], ..AgentMarks::NONE }),
    ("Crush", AgentMarks { programs: &["crush"], variables: &["CRUSH"], ..AgentMarks::NONE }),
    ("an agent", AgentMarks { variables: &["AI_AGENT"], ..AgentMarks::NONE }),
];

/// Programs that open a terminal for another program and type into it. Editors whose terminals are a user's run on Node.js,
/// so that it is not among them.
const TERMINAL_DRIVERS: [&str; 7] = ["script", "expect", "unbuffer", "socat", "python", "perl", "ruby"];

/// The names of the first process of a system or of a user's session, which adopts what others leave behind.
const ADOPTING: [&str; 3] = ["systemd", "launchd", "init"];

/// The variable with which a user's set-up says that the variables of agents around it are the user's own.
const USER_SETUP: &str = "PINTLE_USER_SETUP";

/// The reason to believe that an agent started this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentAncestor {
    /// The agent's title.
    pub agent: &'static str,
    /// What shows it.
    pub evidence: String,
}

impl fmt::Display for AgentAncestor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} started it: {}", self.agent, self.evidence)
    }
}

/// Finds an agent that started this process, directly or not, or a program that drives its terminal.
///
/// # Errors
/// When the processes that it was started from cannot be examined.
pub fn find_agent_above() -> io::Result<Option<AgentAncestor>> {
    let (above, end) = list_ancestors();
    end?;
    Ok(find_agent(&own_variables(), &above).or_else(|| find_detached_driver(&above)))
}

/// Finds an agent that started this process, as far as that can be known. For commands that a set-up runs as well as a
/// user: a program in the background may be the set-up. If it says that the user wrote it, variables do not count.
#[must_use]
pub fn find_agent_behind() -> Option<AgentAncestor> {
    let (mut above, _) = list_ancestors();
    let is_set_up = env::var_os(USER_SETUP).is_some_and(|value| !value.is_empty());
    if is_set_up {
        above.iter_mut().for_each(|process| process.variables.clear());
    }
    find_agent(&if is_set_up { Vec::new() } else { own_variables() }, &above)
}

/// The names of the variables of this process.
fn own_variables() -> Vec<String> {
    env::vars_os().filter_map(|(name, _)| name.into_string().ok()).collect()
}

/// Finds an agent by the variables of a process, and by the processes above it.
fn find_agent(variables: &[String], above: &[AncestorProcess]) -> Option<AgentAncestor> {
    let agents = || HOSTS.iter().map(|host| (host.title, &host.marks)).chain(OTHER_AGENTS.iter().map(|(t, m)| (*t, m)));
    let by_variables = |names: &[String]| {
        agents().find_map(|(agent, marks)| {
            let name = marks.variables.iter().find(|mark| names.iter().any(|name| name == *mark))?;
            Some(AgentAncestor { agent, evidence: format!("the variable `{name}` is set") })
        })
    };
    let by_program = |process: &AncestorProcess| {
        let (name, arguments) = (process.name.as_str(), process.arguments.as_slice());
        let found = agents().find(|(_, marks)| marks.match_program(name, arguments)).map(|(agent, _)| agent);
        let found = found.or_else(|| OWN_LOOP.1.match_binary(name, arguments).then_some(OWN_LOOP.0));
        found.map(|agent| AgentAncestor { agent, evidence: format!("process {} is `{name}`", process.id) })
    };
    let first = by_variables(variables);
    first
        .or_else(|| above.iter().find_map(by_program))
        .or_else(|| above.iter().find_map(|process| by_variables(&process.variables)))
}

/// Finds a program that drives the terminal after the process that started it has ended.
fn find_detached_driver(above: &[AncestorProcess]) -> Option<AgentAncestor> {
    let is_driver = |process: &AncestorProcess| {
        // The name of an interpreter may have a version.
        let name = process.name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        TERMINAL_DRIVERS.contains(&name)
    };
    let is_adopted = |process: &AncestorProcess| {
        let parent = above.iter().find(|parent| parent.id == process.parent_id);
        process.parent_id == 1 || parent.is_some_and(|parent| ADOPTING.contains(&parent.name.as_str()))
    };
    let found = above.iter().find(|process| is_driver(process) && is_adopted(process))?;
    let evidence = format!("process {} is `{}`, which no terminal started", found.id, found.name);
    Some(AgentAncestor { agent: "a program in the background", evidence })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The agent that is found above a shell, for a list of processes from the nearest on.
    fn agent_above(lines: &[&str], variables: &[&str]) -> Option<&'static str> {
        let count = u32::try_from(lines.len()).unwrap();
        let processes = lines.iter().zip((1..=count).rev()).map(|(line, id)| {
            let (line, variable) = line.split_once(" +").unwrap_or((line, ""));
            let arguments: Vec<String> = line.split(' ').map(str::to_owned).collect();
            AncestorProcess {
                id,
                parent_id: id - 1,
                name: arguments[0].rsplit('/').next().unwrap().to_owned(),
                arguments,
                variables: vec![variable.to_owned()],
            }
        });
        let own: Vec<String> = variables.iter().map(|name| (*name).to_owned()).collect();
        let above: Vec<AncestorProcess> = processes.collect();
        find_agent(&own, &above).or_else(|| find_detached_driver(&above)).map(|found| found.agent)
    }

    #[test]
    fn agent_is_found_by_program_or_variable_at_any_distance() {
        let terminal = ["bash", "gnome-terminal-server", "systemd", "systemd"];
        assert_eq!(agent_above(&terminal, &["HOME", "TERM", "CLAUDE_CODE_SSE_PORT"]), None);
        for host in HOSTS {
            for name in host.marks.variables {
                assert_eq!(agent_above(&terminal, &[name]), Some(host.title));
                assert_eq!(agent_above(&["sh", &format!("bash +{name}"), "login", "init"], &[]), Some(host.title));
            }
            for name in host.marks.programs {
                for chain in [["sh", name, "bash", "init"], ["script -qec x", "sh", name, "systemd"]] {
                    assert_eq!(agent_above(&chain, &[]), Some(host.title), "{chain:?}");
                }
            }
            for package in host.marks.packages {
                let line = format!("node /usr/lib/node_modules/{package}/cli.js");
                assert_eq!(agent_above(&["sh", &line, "zsh", "init"], &[]), Some(host.title));
            }
        }
        assert_eq!(agent_above(&["sh", "/usr/local/bin/pintle run", "bash", "init"], &[]), Some("Pintle"));
        // Node.js starts the program for a user who installed it with npm, and the loop is found itself.
        assert_eq!(agent_above(&["node /usr/local/bin/pintle init", "bash", "login", "init"], &[]), None);
        assert_eq!(agent_above(&["sh", "pintle run", "node /usr/local/bin/pintle run", "bash"], &[]), Some("Pintle"));
        assert_eq!(agent_above(&["sh", "cagent run", "bash", "init"], &[]), Some("docker-agent"));
        assert_eq!(agent_above(&terminal, &["AI_AGENT"]), Some("an agent"));
    }

    #[test]
    fn terminal_that_a_program_left_behind_is_not_a_users_own() {
        for chain in [
            &["sh", "script -qec pintle /dev/null", "init"][..],
            &["python3.12 -c x", "init"],
            &["sh", "expect", "systemd", "systemd"],
            &["script", "launchd"],
        ] {
            assert_eq!(agent_above(chain, &[]), Some("a program in the background"), "{chain:?}");
        }
        for chain in [
            &["bash", "init"][..],
            &["bash", "script typescript", "bash", "sshd", "sshd", "init"],
            &["xonsh", "python3 /usr/bin/xonsh", "bash", "init"],
            &["zsh", "tmux: server", "init"],
            &["bash", "terminator", "systemd", "systemd"],
            &["bash", "node", "sh", "init"],
            &["bash", "node", "systemd", "systemd"],
        ] {
            assert_eq!(agent_above(chain, &[]), None, "{chain:?}");
        }
    }
}
