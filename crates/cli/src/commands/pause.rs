//! `pintle pause`: opens a window in which agents may change their policy. Only a user on a terminal may open it.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::PathBuf;

use clap::Args;
use pintle_bridge::find_agent_above;
use pintle_host::loader::{MAX_PAUSE_MS, PauseFileError, PauseWindow, state_dir};
use pintle_host::{Clock, SystemClock};
use serde_json::json;

use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::options::trust::is_interactive;
use crate::terminal::Terminal;

/// What `--help` says.
pub(crate) const LONG_ABOUT: &str = "Pause self-protection for some minutes: agents may then change their policy, \
Pintle's files and the hook settings of agents. All other hooks still apply. Only a user on a terminal can pause, never \
an agent. The pause ends by itself, and each call that it lets through is on the session's tape";

/// The letters of the code that the user types; none of them looks like another one.
const CODE_LETTERS: [char; 16] = ['a', 'c', 'd', 'e', 'f', 'h', 'j', 'k', 'm', 'n', 'p', 'r', 't', 'w', 'x', 'y'];
/// The number of letters of the code.
const CODE_LENGTH: u32 = 6;

#[derive(Debug, Args)]
pub(crate) struct PauseArgs {
    /// Length of the pause: `30s`, `10m` or `1h`, at most `4h`.
    #[arg(value_name = "LENGTH", default_value = "10m", value_parser = parse_length)]
    length: PauseLength,
    /// Show whether self-protection is paused.
    #[arg(long, conflicts_with = "length")]
    status: bool,
    /// End the pause now.
    #[arg(long, conflicts_with_all = ["length", "status"])]
    end: bool,
    /// State directory of the installed hooks [default: `PINTLE_STATE_DIR`, otherwise `~/.local/state/pintle`].
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,
}

/// A length of time as the user wrote it.
#[derive(Debug, Clone)]
struct PauseLength {
    text: String,
    ms: u64,
}

impl PauseArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let state = self
            .state_dir
            .or_else(state_dir)
            .ok_or_else(|| CliError::invalid_input("no state directory").help("set HOME or PINTLE_STATE_DIR"))?;
        let clock = SystemClock::default();
        if self.end {
            let was_there = PauseWindow::end(&state).map_err(pause_error)?;
            match global.json {
                true => terminal.print_json(&json!({"ended": was_there})),
                false if was_there => terminal.print_line("self-protection is on again"),
                false => terminal.print_line("self-protection was not paused"),
            }
            return Ok(CliStatus::Done);
        }
        if self.status {
            print_status(PauseWindow::load(&state, clock.unix_ms()), clock.unix_ms(), terminal, global);
            return Ok(CliStatus::Done);
        }
        require_user("self-protection was not paused", "pause self-protection: run `pintle pause`")?;
        terminal.print_error_line(format!(
            "For {}, agents may change their policy, Pintle's own files and the hook settings of agents.\n\
             All other hooks still apply.",
            self.length.text
        ));
        if !confirm_with_code("pause self-protection", terminal)? {
            terminal.print_note("self-protection was not paused, because the code is not the one that was shown");
            return Ok(CliStatus::Denied);
        }
        let now_ms = clock.unix_ms();
        let window = PauseWindow::open(&state, now_ms, self.length.ms).map_err(pause_error)?;
        match global.json {
            true => terminal.print_json(&json!({"ends_at_ms": window.ends_at_ms})),
            false => terminal.print_line(format!(
                "self-protection is paused for {}; all other hooks still apply\nend it early with `pintle pause --end`",
                window.remaining_text(now_ms)
            )),
        }
        Ok(CliStatus::Done)
    }
}

/// Whether the user types a code that is shown on the terminal.
pub(super) fn confirm_with_code(action: &str, terminal: &Terminal) -> Result<bool, CliError> {
    let code = create_code();
    terminal.print_error_piece(format!("Type {code} to {action}: "));
    let mut line = String::new();
    io::stdin()
        .read_line(&mut line)
        .map_err(|error| CliError::failure(format!("cannot read from the terminal: {error}")))?;
    Ok(line.trim() == code)
}

/// Refuses everyone but a user on a terminal. `undone` says what did not happen, `action` what only a user can do.
pub(super) fn require_user(undone: &str, action: &str) -> Result<(), CliError> {
    let refuse =
        |reason: String| CliError { status: CliStatus::Denied, ..CliError::failure(format!("{undone}: {reason}")) };
    let help = &format!("only a user can {action} in a terminal that no agent started");
    // First, because what started a program without a terminal is different from one machine to the next.
    if !is_interactive() {
        return Err(refuse(String::from("standard input or standard error is not a terminal")).help(help));
    }
    if let Some(agent) = find_agent_above().map_err(|error| refuse(error.to_string()).help(help))? {
        return Err(refuse(agent.to_string()).help(help));
    }
    Ok(())
}

fn print_status(
    window: Result<Option<PauseWindow>, PauseFileError>,
    now_ms: u64,
    terminal: &Terminal,
    global: &GlobalOptions,
) {
    let ignored = window.as_ref().err().map(ToString::to_string);
    let window = window.ok().flatten();
    if global.json {
        let ends_at_ms = window.map(|window| window.ends_at_ms);
        terminal.print_json(&json!({"paused": window.is_some(), "ends_at_ms": ends_at_ms, "ignored": ignored}));
        return;
    }
    match window {
        Some(window) => terminal.print_line(format!(
            "self-protection is paused for another {}; all other hooks apply",
            window.remaining_text(now_ms)
        )),
        None => terminal.print_line("self-protection is on"),
    }
    if let Some(ignored) = ignored {
        terminal.print_note(ignored);
    }
}

fn parse_length(text: &str) -> Result<PauseLength, String> {
    let (digits, unit) = text.split_at(text.len() - text.chars().next_back().map_or(0, char::len_utf8));
    let unit_ms = match unit {
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err(String::from("expected a number and `s`, `m` or `h`, such as `10m`")),
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = digits.parse::<u64>().ok().filter(|_| is_number);
    let ms = number.and_then(|number| number.checked_mul(unit_ms));
    match ms {
        Some(0) => Err(String::from("a pause takes at least `1s`")),
        Some(ms) if ms <= MAX_PAUSE_MS => Ok(PauseLength { text: text.to_owned(), ms }),
        _ if is_number => Err(String::from("a pause takes at most `4h`")),
        _ => Err(String::from("expected a number and `s`, `m` or `h`, such as `10m`")),
    }
}

/// A code that cannot be known before it is shown.
fn create_code() -> String {
    let random = RandomState::new().build_hasher().finish();
    let letter = |index: u32| CODE_LETTERS.get((random >> (index * 4)) as usize & 0xf);
    (0..CODE_LENGTH).filter_map(letter).collect()
}

pub(super) fn pause_error(error: PauseFileError) -> CliError {
    CliError::failure(error).help("fix its permissions, or name another state directory with `--state-dir`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_is_a_number_with_a_unit_of_at_most_four_hours() {
        for (text, ms) in [("1s", 1_000), ("30s", 30_000), ("10m", 600_000), ("1h", 3_600_000), ("240m", MAX_PAUSE_MS)]
        {
            assert_eq!(parse_length(text).unwrap().ms, ms, "{text}");
        }
        for (text, reason) in [
            ("", "expected"),
            ("m", "expected"),
            ("10", "expected"),
            ("-1m", "expected"),
            ("+1m", "expected"),
            ("1.5h", "expected"),
            ("10 m", "expected"),
            ("1d", "expected"),
            ("1µ", "expected"),
            ("0s", "at least"),
            ("5h", "at most"),
            ("241m", "at most"),
            ("99999999999999999999h", "at most"),
            ("18446744073709551615h", "at most"),
        ] {
            assert!(parse_length(text).unwrap_err().contains(reason), "{text}");
        }
    }

    #[test]
    fn codes_are_short_and_differ() {
        let codes: std::collections::BTreeSet<String> = (0..64).map(|_| create_code()).collect();
        assert!(codes.len() > 60, "{codes:?}");
        assert!(codes.iter().all(|code| code.len() == CODE_LENGTH as usize));
    }
}
