//! Kills programs that outlive the client that started them, such as a background service.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

/// The number of attempts, because a program that is just starting is not seen at once.
const LOOKS: usize = 50;
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// Kills every program with this home directory, which only programs started in the sandbox have. Finds none if the
/// system has no `/proc`.
pub(super) fn kill_leftovers(home: &Path) {
    for _ in 0..LOOKS {
        let left = find_processes(home);
        if left.is_empty() {
            return;
        }
        // A process that has ended meanwhile needs no kill.
        drop(Command::new("kill").arg("-9").args(&left).status());
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
        let start = |home: &Path| Command::new("sleep").arg("600").env("HOME", home).spawn().unwrap();
        let [mut one, mut other] = homes.each_ref().map(|home| start(home.path()));
        kill_leftovers(homes[0].path());
        assert_eq!(one.wait().unwrap().code(), None);
        assert_eq!(other.try_wait().unwrap(), None);
        kill_leftovers(homes[1].path());
        assert_eq!(other.wait().unwrap().code(), None);
    }
}
