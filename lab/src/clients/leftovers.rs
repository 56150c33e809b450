//! Kills programs that outlive the client that started them, such as a background service.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

/// The number of attempts.
const LOOKS: usize = 50;
/// How many attempts in a row must find nothing, because a program that is just starting shows no variables yet.
const QUIET_LOOKS: usize = 3;
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// Kills every program with this home directory, which only programs started in the sandbox have. Finds none if the
/// system has no `/proc`.
pub(super) fn kill_leftovers(home: &Path) {
    let mut quiet_looks = 0;
    for _ in 0..LOOKS {
        let left = find_processes(home);
        quiet_looks = if left.is_empty() { quiet_looks + 1 } else { 0 };
        if quiet_looks == QUIET_LOOKS {
            return;
        }
        if !left.is_empty() {
            // A process that has ended meanwhile needs no kill.
            drop(Command::new("kill").arg("-9").args(&left).status());
        }
        thread::sleep(BETWEEN_LOOKS);
    }
}

/// The ids of the processes with this home directory.
fn find_processes(home: &Path) -> Vec<String> {
    let wanted = format!("HOME={}", home.display());
    let has_home = |process: &fs::DirEntry| {
        let variables = fs::read(process.path().join("environ")).unwrap_or_default();
        variables.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let is_process = |name: &String| name.bytes().all(|byte| byte.is_ascii_digit());
    processes.filter(has_home).filter_map(|entry| entry.file_name().into_string().ok()).filter(is_process).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_with_the_home_is_ended_and_another_is_not() {
        let homes = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let start = |home: &Path| {
            let child = Command::new("sleep").arg("600").env("HOME", home).spawn().unwrap();
            while find_processes(home).is_empty() {
                thread::yield_now();
            }
            child
        };
        let [mut one, mut other] = homes.each_ref().map(|home| start(home.path()));
        kill_leftovers(homes[0].path());
        assert_eq!(one.wait().unwrap().code(), None);
        assert_eq!(other.try_wait().unwrap(), None);
        kill_leftovers(homes[1].path());
        assert_eq!(other.wait().unwrap().code(), None);
    }
}
