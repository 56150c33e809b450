//! Writes the command line that a host runs.

use std::path::{Path, PathBuf};

use pintle_host::loader::UserDirs;

use crate::{HostDef, HostEventDef};

/// The host's timeout exceeds Pintle's deadline by this many milliseconds.
const GRACE_MS: u64 = 20_000;
/// The same for hosts with a short timeout.
const SHORT_GRACE_MS: u64 = 300;

/// The options of an installed command line other than the host and the event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InstallOptions {
    /// The `pintle` program: a path, or a name that the host's shell finds.
    pub program: String,
    /// Hooks instead of the project's. Those of the organisation and the user are loaded as usual.
    pub hooks: Vec<PathBuf>,
    /// The user's directories, which take precedence over every variable that a project may set. Default: none, and the
    /// environment names them.
    pub folders: UserDirs,
    /// The events; empty for all events that can block an action or report something useful.
    pub events: Vec<String>,
}

/// The events to install.
///
/// # Errors
/// With the first unknown event name.
pub(super) fn selected_events(host: &'static HostDef, events: &[String]) -> Result<Vec<&'static HostEventDef>, String> {
    if events.is_empty() {
        return Ok(host.host_events().filter(|def| !def.high_volume).collect());
    }
    let def = |event: &String| {
        host.find_event(event).ok_or_else(|| {
            let near = pintle_host::contract::suggest_nearest(event, host.host_events().map(|def| def.name));
            let meant = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            format!("`{event}` is not an event of {}{meant}", host.title)
        })
    };
    events.iter().map(def).collect()
}

/// The command line of an event and the host's timeout for it, in milliseconds.
///
/// The output is held back until the program has exited successfully, so that no partial response is written. A program
/// that was killed, ran out of memory or does not exist any more leaves a status other than 0 and 2; a guarded event is
/// then denied in the host's own format.
pub(super) fn command_line(
    host: &'static HostDef,
    def: &'static HostEventDef,
    options: &InstallOptions,
) -> (String, u64) {
    let short = timeout_limit_ms(host, def);
    let timeout_ms = written_timeout_ms(host, def);
    let mut call = format!("{} hook {} {}", shell_quote(&options.program), host.name, def.name);
    let UserDirs { config, state, managed } = &options.folders;
    let folders = [(CONFIG, config), (STATE, state), (MANAGED, managed)];
    let folders = folders.into_iter().filter_map(|(name, dir)| Some((name, dir.as_ref()?)));
    for (name, path) in folders.chain(options.hooks.iter().map(|path| (HOOKS, path))) {
        call.push_str(&format!("{OPTION}{name} {}", shell_quote(&path.to_string_lossy())));
    }
    if let Some(limit_ms) = short {
        call.push_str(&format!("{OPTION}{DEADLINE} {}", limit_ms.saturating_sub(SHORT_GRACE_MS)));
    }
    (format!("{ANSWER}=$({call}); {}", fallback_command(host, def)), timeout_ms)
}

/// The host's own timeout limit for an event, in milliseconds.
fn timeout_limit_ms(host: &HostDef, def: &HostEventDef) -> Option<u64> {
    host.install.timeout_limits.iter().find(|(event, _)| *event == def.name).map(|(_, limit_ms)| *limit_ms)
}

/// The host's timeout for an event as it is installed, in milliseconds.
#[must_use]
pub fn written_timeout_ms(host: &HostDef, def: &HostEventDef) -> u64 {
    timeout_limit_ms(host, def).unwrap_or(host.deadline_ms + GRACE_MS)
}

/// The prefix of an option.
pub(super) const OPTION: &str = " --";
pub(super) const CONFIG: &str = "config-dir";
pub(super) const STATE: &str = "state-dir";
pub(super) const MANAGED: &str = "managed-dir";
pub(super) const HOOKS: &str = "hooks";
pub(super) const DEADLINE: &str = "deadline-ms";
/// The shell variable that holds the output back.
///
/// Some hosts expand variables of their environment in the line before the shell sees it, and a project can set those.
/// So `$` is never directly followed by a name or a brace.
pub(super) const ANSWER: &str = "pintle_answer";
/// The message of an installed line if the program did not respond.
pub(crate) const NO_RESPONSE: &str = "Pintle did not answer";

fn fallback_command(host: &'static HostDef, def: &'static HostEventDef) -> String {
    let reason = format!(
        "{NO_RESPONSE}; `pintle doctor {}` shows why, unless this machine has no Pintle: then install it",
        host.name
    );
    let tell = format!("eval 'printf %s \"{APART}{ANSWER}\"'");
    let decided = format!("case $? in 0) {tell}; exit 0;; 2) {tell}; exit 2;; esac; ");
    if !def.is_guard {
        return format!("{decided}echo {} >&2; exit 1", shell_quote(&reason));
    }
    let answer = host.fallback_response(def, &format!("denied: {reason}"));
    let mut text = decided;
    if !answer.stdout.is_empty() {
        text.push_str(&format!("printf '%s' {}; ", shell_quote(&answer.stdout)));
    }
    if !answer.stderr.is_empty() {
        text.push_str(&format!("printf '%s' {} >&2; ", shell_quote(&answer.stderr)));
    }
    text.push_str(&format!("exit {}", answer.exit_code));
    text
}

/// A quote in a quoted word.
const QUOTE: &str = r"'\''";
/// A dollar sign in a quoted word, separated from the following name.
const APART: &str = "$''";

/// A word quoted for a POSIX shell.
pub(super) fn shell_quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', QUOTE).replace('$', APART))
}

/// The first word of a text, quoted as [`shell_quote`] does or plain, and the rest.
pub(super) fn parse_word(text: &str) -> Option<(String, &str)> {
    let Some(mut rest) = text.strip_prefix('\'') else {
        let (word, after) = text.split_at(text.find([' ', ')'])?);
        return Some((word.to_owned(), after));
    };
    let mut word = String::new();
    loop {
        let (piece, after) = rest.split_once('\'')?;
        word.push_str(piece);
        rest = match (after.strip_prefix(r"\''"), after.strip_prefix('\'')) {
            (Some(more), _) => {
                word.push('\'');
                more
            }
            (None, Some(more)) => more,
            (None, None) => return Some((word, after)),
        };
    }
}

/// The words of the call in a command line, without what the line does afterwards.
pub(crate) fn call_words(line: &str) -> Vec<String> {
    let call = line.strip_prefix(ANSWER).and_then(|rest| rest.strip_prefix("=$(")).unwrap_or(line);
    let call = format!("{call} ");
    let (mut words, mut rest) = (Vec::new(), call.trim_start());
    while let Some((word, after)) = parse_word(rest) {
        words.push(word);
        rest = after.trim_start_matches(' ');
        if rest.starts_with(')') {
            break;
        }
    }
    words
}

/// The program of an installed command line of a host; `None` if Pintle did not write the line.
#[must_use]
pub fn parse_own_command(line: &str, host: &str) -> Option<String> {
    // Only the assignment of the output may precede the program.
    let call = line.strip_prefix(ANSWER).and_then(|rest| rest.strip_prefix("=$(")).unwrap_or(line);
    let (program, arguments) = parse_word(call)?;
    arguments.strip_prefix(" hook ")?.strip_prefix(host)?.strip_prefix(' ')?;
    let name = Path::new(&program).file_stem()?;
    (name == "pintle" || name == "pintle-hook").then_some(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_ours_is_known_by_its_program_and_host() {
        let cases = [
            ("pintle_answer=$('/opt/my tools/pintle' hook claude Stop); x", Some("/opt/my tools/pintle")),
            ("pintle hook claude PreToolUse", Some("pintle")),
            ("'/usr/bin/pintle' hook claude PreToolUse --hooks 'a'", Some("/usr/bin/pintle")),
            ("x=1; pintle-hook hook claude Stop", None),
            ("pintle_answer=$('/usr/bin/pintle-hook' hook claude Stop", Some("/usr/bin/pintle-hook")),
            ("pintle_answer=$('/it'\\''s $''HOME/pintle' hook claude Stop", Some("/it's $HOME/pintle")),
            ("pintle hook codex PreToolUse", None),
            ("pintle hook claude", None),
            ("'pintle hook claude Stop", None),
            ("/opt/spindle hook claude PreToolUse", None),
            ("echo pintle hook claude", None),
            ("x=$(pintle hook claude Stop)", None),
            ("pintle run agent.yaml", None),
        ];
        for (line, program) in cases {
            assert_eq!(parse_own_command(line, "claude").as_deref(), program, "{line}");
        }
    }

    #[test]
    fn the_words_of_a_call_end_where_the_call_does() {
        let cases: [(&str, &[&str]); 4] = [
            (
                "pintle_answer=$('/my tools/pintle' hook claude Stop --shadow); case x",
                &["/my tools/pintle", "hook", "claude", "Stop", "--shadow"],
            ),
            ("pintle hook claude Stop --shadow", &["pintle", "hook", "claude", "Stop", "--shadow"]),
            (
                "pintle hook claude Stop --hooks 'a --shadow b'",
                &["pintle", "hook", "claude", "Stop", "--hooks", "a --shadow b"],
            ),
            ("", &[]),
        ];
        for (line, words) in cases {
            assert_eq!(call_words(line), words, "{line}");
        }
    }

    #[test]
    fn a_quoted_word_is_read_as_it_was_by_us_and_by_a_shell() {
        for text in ["/it's here/pintle", "$HOME/${HOME}/$$", "''$''", "", "a\\b \"c\" `d` $(e)"] {
            let quoted = shell_quote(text);
            assert_eq!(parse_word(&format!("{quoted} x")), Some((text.to_owned(), " x")), "{quoted}");
            let script = format!("printf %s {quoted}");
            let said = std::process::Command::new("/bin/sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&said.stdout), text, "{quoted}");
        }
    }

    #[test]
    fn no_line_has_a_variable_that_a_host_could_fill_in() {
        let path = PathBuf::from("/a $b/${c}/'$d");
        let options = InstallOptions {
            program: String::from("/$e/pintle"),
            hooks: vec![path.clone()],
            folders: UserDirs { config: Some(path.clone()), state: Some(path.clone()), managed: Some(path) },
            events: Vec::new(),
        };
        for host in crate::HOSTS {
            for def in host.host_events() {
                let (line, _) = command_line(host, def, &options);
                let mut behind = line.split('$').skip(1).filter_map(|rest| rest.chars().next());
                assert!(behind.all(|next| matches!(next, '(' | '?' | '\'')), "{line}");
            }
        }
    }
}
