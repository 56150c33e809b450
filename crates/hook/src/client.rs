//! The client of a resident.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, ErrorKind, IsTerminal, Seek, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use rustix::fs::{MemfdFlags, memfd_create};

use crate::program::fail;
use crate::{CallMessage, FrameError, HookAnswer, ResidentReply, ResidentRequest, ServeDir, SocketPeer};
use crate::{environment_digest, is_volatile, read_first_object, read_frame, write_frame};

/// The options of `pintle hook` that matter here.
const STATE_OPTION: &str = "--state-dir";
const DEADLINE_OPTION: &str = "--deadline-ms";
/// The variable that keeps residents from being started, with the value `off`.
const OFF: &str = "PINTLE_SERVE";
/// The largest answer.
const MAX_ANSWER_BYTES: usize = 64 << 20;
/// How long a resident may take until it says that it handles the call, and for each write.
const ACCEPTING: Duration = Duration::from_secs(2);
/// How much longer than it said a resident may take: it answers in time by itself, unless it hangs.
const GRACE: Duration = Duration::from_secs(1);
/// The most residents of a user. Agents whose environment differs from call to call must not leave one for each.
const MAX_RESIDENTS: usize = 8;

/// How asking the resident ended.
enum AskedResident {
    Answered(HookAnswer),
    /// None listens, and one may be started.
    Missing,
    /// It cannot be asked, or gave no whole answer.
    Failed,
    /// It accepted the call and let its time pass: what is left to do is to say so.
    TimedOut,
}

/// Answers as the full program would.
pub(crate) fn run(program: &Path, arguments: &[OsString]) -> ExitCode {
    let is_call = arguments.first().is_some_and(|first| first == "hook") && !io::stdin().is_terminal();
    let Some(state) = state_dir(arguments).filter(|_| is_call) else {
        return become_program(program, arguments, None);
    };
    let mut payload = Vec::new();
    if read_first_object(&mut io::stdin().lock(), &mut payload).is_err() {
        // The full program meets the same error, and reports it as the agent expects.
        return become_program(program, arguments, None);
    }
    let environment = environment_digest(env::vars_os());
    let call = CallMessage {
        version: env!("CARGO_PKG_VERSION").as_bytes().to_vec(),
        arguments: arguments.iter().map(|argument| argument.as_bytes().to_vec()).collect(),
        cwd: env::current_dir().map(|cwd| cwd.into_os_string().into_vec()).unwrap_or_default(),
        payload,
    };
    let request = ResidentRequest::Call(call);
    let asked = ask(program, &state, &environment, &request);
    let ResidentRequest::Call(CallMessage { payload, .. }) = request else { return ExitCode::from(1) };
    match asked {
        AskedResident::Answered(answer) => write_answer(&answer),
        AskedResident::Missing => {
            start_resident(program, &state);
            become_program(program, arguments, Some(payload))
        }
        AskedResident::Failed => become_program(program, arguments, Some(payload)),
        AskedResident::TimedOut => become_program(program, &with_deadline_over(arguments), Some(payload)),
    }
}

/// The state directory, as `pintle` finds it. Where finding it takes more than this, no resident is asked.
fn state_dir(arguments: &[OsString]) -> Option<PathBuf> {
    let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let below = |name: &str, path: &str| Some(variable(name)?.join(path));
    let named = option_value(arguments, STATE_OPTION).map(PathBuf::from).or_else(|| variable("PINTLE_STATE_DIR"));
    let default = || below("XDG_STATE_HOME", "pintle").or_else(|| below("HOME", ".local/state/pintle"));
    named.or_else(default).filter(|dir| dir.is_absolute())
}

/// The value of an option, as its own argument or behind `=`.
fn option_value(arguments: &[OsString], option: &str) -> Option<OsString> {
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_bytes().strip_prefix(option.as_bytes()) {
            Some(b"") => return arguments.next().cloned(),
            Some([b'=', value @ ..]) => return Some(OsStr::from_bytes(value).to_owned()),
            _ => {}
        }
    }
    None
}

/// The arguments with a time limit that is over at once.
fn with_deadline_over(arguments: &[OsString]) -> Vec<OsString> {
    let limit = option_value(arguments, DEADLINE_OPTION);
    let is_limit = |argument: &OsString| {
        argument.as_bytes().starts_with(DEADLINE_OPTION.as_bytes()) || Some(argument) == limit.as_ref()
    };
    let rest = arguments.iter().filter(|argument| limit.is_none() || !is_limit(argument)).cloned();
    rest.chain([DEADLINE_OPTION.into(), "1".into()]).collect()
}

/// Asks the resident of an environment.
fn ask(program: &Path, state: &Path, environment: &str, request: &ResidentRequest) -> AskedResident {
    let connected = ServeDir::open(state).and_then(|dir| dir.connect(environment));
    let stream = match connected {
        Ok(stream) => stream,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => {
            return AskedResident::Missing;
        }
        Err(_) => return AskedResident::Failed,
    };
    // A payload is shown, and an answer believed, only if the program behind the socket is the one that would run here.
    let is_pintle = || Some(SocketPeer::from_stream(&stream).ok()?.runs(&fs::metadata(program).ok()?));
    match is_pintle() {
        Some(true) => converse(stream, request).unwrap_or(AskedResident::Failed),
        _ => AskedResident::Failed,
    }
}

/// Sends a call, and waits for its answer as long as the resident said.
fn converse(mut stream: UnixStream, request: &ResidentRequest) -> Result<AskedResident, FrameError> {
    stream.set_write_timeout(Some(ACCEPTING))?;
    stream.set_read_timeout(Some(ACCEPTING))?;
    write_frame(&mut stream, &request.to_bytes())?;
    let mut is_accepted = false;
    loop {
        let body = match read_frame(&mut stream, MAX_ANSWER_BYTES) {
            Err(FrameError::Io(error))
                if is_accepted && matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
            {
                return Ok(AskedResident::TimedOut);
            }
            read => read?,
        };
        match ResidentReply::from_bytes(&body)? {
            ResidentReply::Accepted { within_ms } if !is_accepted => {
                is_accepted = true;
                stream.set_read_timeout(Some(Duration::from_millis(u64::from(within_ms)) + GRACE))?;
            }
            ResidentReply::Answer(answer) if is_accepted => return Ok(AskedResident::Answered(answer)),
            _ => return Ok(AskedResident::Failed),
        }
    }
}

/// Writes an answer as the full program does. One that could not be written decides nothing, unless its status denies.
fn write_answer(answer: &HookAnswer) -> ExitCode {
    let write = |output: &mut dyn Write, text: &[u8]| {
        if text.is_empty() { Ok(()) } else { output.write_all(text).and_then(|()| output.flush()) }
    };
    let written = write(&mut io::stdout(), &answer.stdout).and(write(&mut io::stderr(), &answer.stderr));
    let is_undecided = written.is_err() && answer.exit_code == 0;
    ExitCode::from(if is_undecided { 1 } else { answer.exit_code })
}

/// Starts a resident for the calls that follow. It is not waited for.
fn start_resident(program: &Path, state: &Path) {
    let is_crowded = ServeDir::open(state).is_ok_and(|dir| dir.environments().len() >= MAX_RESIDENTS);
    if is_crowded || env::var_os(OFF).is_some_and(|value| value == "off") {
        return;
    }
    let mut command = Command::new(program);
    command.arg("serve").arg("--resident").arg(STATE_OPTION).arg(state);
    command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    env::vars_os().filter(|(name, _)| is_volatile(name)).for_each(|(name, _)| {
        command.env_remove(name);
    });
    // Without one, calls are answered as they are now.
    let _ = command.spawn();
}

/// Becomes the full program, with a payload that was read already.
fn become_program(program: &Path, arguments: &[OsString], payload: Option<Vec<u8>>) -> ExitCode {
    let mut command = Command::new(program);
    command.args(arguments);
    if let Some(payload) = payload {
        match as_input(&payload) {
            Ok(input) => command.stdin(input),
            Err(error) => return fail(&format!("cannot hand on the payload: {error}")),
        };
    }
    let error = command.exec();
    fail(&format!("cannot start `{}`: {error}", program.display()))
}

/// An open file in memory with a payload.
fn as_input(payload: &[u8]) -> io::Result<File> {
    let mut file = File::from(memfd_create("payload", MemfdFlags::CLOEXEC)?);
    file.write_all(payload)?;
    file.rewind()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn options_are_found_in_both_forms() {
        for (line, value) in [
            ("hook claude Stop --state-dir /s", Some("/s")),
            ("hook claude --state-dir=/s Stop", Some("/s")),
            ("hook claude --state-dir", None),
            ("hook claude --state-directory /s", None),
            ("hook claude", None),
        ] {
            assert_eq!(option_value(&words(line), STATE_OPTION), value.map(OsString::from), "{line}");
        }
        for line in ["hook claude Stop", "hook claude --deadline-ms 5 Stop", "hook claude --deadline-ms=5 Stop"] {
            let cut = with_deadline_over(&words(line));
            let rest: Vec<_> = cut.iter().filter(|word| !word.as_bytes().starts_with(b"--")).cloned().collect();
            assert_eq!(
                (option_value(&cut, DEADLINE_OPTION), rest),
                (Some("1".into()), words("hook claude Stop 1")),
                "{line}"
            );
        }
    }
}
