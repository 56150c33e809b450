//! The command line that a host runs.

use std::path::{Path, PathBuf};

use super::Entry;
use crate::{Host, Row};

/// How long a host waits longer than we take, in milliseconds.
const GRACE_MS: u64 = 20_000;
/// The same where the host's own time-out is short.
const SHORT_GRACE_MS: u64 = 300;

/// What an installed command line is made of besides the host and the event.
#[derive(Debug, Clone)]
pub struct Options {
    /// The `pintle` program: a path, or a name that the host's shell finds.
    pub program: String,
    /// Hooks in the place of the project's. Those of the organisation and the person are loaded as ever.
    pub hooks: Vec<PathBuf>,
    /// The events; empty for all that guard or tell something worth a process.
    pub events: Vec<String>,
}

/// The events that are installed.
///
/// # Errors
/// With the word that is no event.
pub(super) fn rows(host: &'static Host, events: &[String]) -> Result<Vec<&'static Row>, String> {
    if events.is_empty() {
        return Ok(host.rows.iter().filter(|row| !row.noisy && !row.fires.is_empty()).collect());
    }
    let row = |event: &String| {
        host.row(event).ok_or_else(|| {
            let near = pintle::did_you_mean(event, host.rows.iter().map(|row| row.name));
            let meant = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            format!("`{event}` is no event of {}{meant}", host.title)
        })
    };
    events.iter().map(row).collect()
}

/// The command line of an event and the host's time-out for it, in milliseconds.
///
/// The answer is held back until the program has ended well, so that half an answer never leaves. A program that was
/// killed, ran out of memory or is not there any more leaves a status that is neither 0 nor 2; a guarded event is then
/// denied in the host's own terms.
pub(super) fn line(host: &'static Host, row: &'static Row, options: &Options) -> (String, u64) {
    let short = host.install.short.iter().find(|(event, _)| *event == row.name).map(|(_, limit_ms)| *limit_ms);
    let timeout_ms = short.unwrap_or(host.deadline_ms + GRACE_MS);
    let mut call = format!("{} hook {} {}", quoted(&options.program), host.name, row.name);
    for path in &options.hooks {
        call.push_str(&format!(" --hooks {}", quoted(&path.to_string_lossy())));
    }
    if let Some(limit_ms) = short {
        call.push_str(&format!(" --deadline-ms {}", limit_ms.saturating_sub(SHORT_GRACE_MS)));
    }
    (format!("{ANSWER}=$({call}{AFTER}{}", otherwise(host, row)), timeout_ms)
}

/// Some hosts fill in variables of their own environment before the shell sees the line; nobody has these.
const ANSWER: &str = "pintle_answer";
const STATUS: &str = "pintle_status";
/// What an installed line says when the program did not answer.
pub(crate) const UNASKED: &str = "pintle could not be asked";
/// What stands after the call of the program.
const AFTER: &str = "); pintle_status=$?; ";

fn otherwise(host: &'static Host, row: &'static Row) -> String {
    let reason = format!("{UNASKED}; `pintle doctor {}` says why", host.name);
    let decided = format!("case ${STATUS} in 0|2) printf '%s' \"${ANSWER}\"; exit ${STATUS};; esac; ");
    if !row.guards {
        return format!("{decided}echo {} >&2; exit 1", quoted(&reason));
    }
    let answer = host.fallback(row, &format!("refused: {reason}"));
    let mut text = decided;
    if !answer.stdout.is_empty() {
        text.push_str(&format!("printf '%s' {}; ", quoted(&answer.stdout)));
    }
    if !answer.stderr.is_empty() {
        text.push_str(&format!("printf '%s' {} >&2; ", quoted(&answer.stderr)));
    }
    text.push_str(&format!("exit {}", answer.exit_code));
    text
}

/// A word that a POSIX shell takes as it is.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Whether an entry is what this Pintle writes for its event, whatever program and hooks it names.
#[must_use]
pub fn is_current(host: &'static Host, entry: &Entry) -> bool {
    let (Some(row), Some(program)) = (host.row(&entry.event), ours(&entry.command, host.name)) else { return false };
    let (today, _) = line(host, row, &Options { program, hooks: Vec::new(), events: Vec::new() });
    let parts = |line: &str| line.split_once(AFTER).map(|(call, rest)| (call.to_owned(), rest.to_owned()));
    match (parts(&today), parts(&entry.command)) {
        (Some((call, rest)), Some((its_call, its_rest))) => its_call.starts_with(&call) && its_rest == rest,
        _ => false,
    }
}

/// The program of a command line of ours for a host; nothing when it is somebody else's.
#[must_use]
pub fn ours(line: &str, host: &str) -> Option<String> {
    let before = line.get(..line.find(&format!(" hook {host} "))?)?;
    // All that may stand before the program is where its answer goes.
    let word = before.strip_prefix(ANSWER).and_then(|rest| rest.strip_prefix("=$(")).unwrap_or(before);
    let program = match word.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(inner) => inner.replace(r"'\''", "'"),
        None if word.contains(char::is_whitespace) => return None,
        None => word.to_owned(),
    };
    let name = Path::new(&program).file_stem()?;
    (name == "pintle").then_some(program)
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
            ("pintle hook codex PreToolUse", None),
            ("/opt/spindle hook claude PreToolUse", None),
            ("echo pintle hook claude", None),
            ("x=$(pintle hook claude Stop)", None),
            ("pintle run agent.yaml", None),
        ];
        for (line, program) in cases {
            assert_eq!(ours(line, "claude").as_deref(), program, "{line}");
        }
    }

    #[test]
    fn a_quote_in_a_path_stays_in_the_word() {
        assert_eq!(quoted("/it's here/pintle"), r"'/it'\''s here/pintle'");
    }
}
