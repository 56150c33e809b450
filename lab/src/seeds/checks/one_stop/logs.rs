//! The log files that the example's hooks write, which are always in `/tmp`.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use regex::Regex;

/// Where the example's hooks write.
const FOLDER: &str = "/tmp";

/// The lines of each existing log file, by the file's name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct HookLogs(BTreeMap<String, Vec<String>>);

/// Log files that are being written. They are removed when it is dropped.
pub(super) struct LogFileGuard(());

impl HookLogs {
    /// Starts watching the log files. None may exist yet, because it would belong to another program.
    pub(super) fn start_watching() -> Result<LogFileGuard, String> {
        match log_paths()?.first() {
            None => Ok(LogFileGuard(())),
            Some(path) => Err(format!(
                "`{}` already exists, and the example's hooks would write to it; move it, or wait until the other program \
                 that runs this check has ended",
                path.display()
            )),
        }
    }

    /// The names of the files.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Every file's name, followed by its lines.
    pub(super) fn text(&self) -> String {
        let files = self.0.iter().map(|(name, lines)| format!("{name}\n{}\n", lines.join("\n")));
        files.collect()
    }
}

impl LogFileGuard {
    /// Reads the files and removes them.
    pub(super) fn finish(self) -> Result<HookLogs, String> {
        let mut logs = HookLogs::default();
        for path in log_paths()? {
            let text =
                fs::read_to_string(&path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
            logs.0.insert(path.display().to_string(), text.lines().map(mask_time).collect());
        }
        Ok(logs)
    }
}

impl Drop for LogFileGuard {
    fn drop(&mut self) {
        for path in log_paths().unwrap_or_default() {
            // A file that cannot be removed is found when the next session starts.
            let _ = fs::remove_file(path);
        }
    }
}

fn log_paths() -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(FOLDER).map_err(|error| format!("cannot read `{FOLDER}`: {error}"))?;
    let is_log = |name: &str| name.starts_with("agent-") && name.ends_with(".log");
    let ours = entries.flatten().filter(|entry| is_log(&entry.file_name().to_string_lossy()));
    let mut paths: Vec<PathBuf> = ours.map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

/// A line with its time, as `date` prints it, replaced by the word `DATE`.
fn mask_time(line: &str) -> String {
    let dated = Regex::new(r"[A-Z][a-z]{2} [A-Z][a-z]{2} [ 0-9]?[0-9] [0-9:]{8} (?:[AP]M )?[A-Z]{2,5} [0-9]{4}");
    let dated = dated.map(|pattern| pattern.replace_all(line, "DATE").into_owned());
    dated.unwrap_or_else(|_| line.to_owned())
}
