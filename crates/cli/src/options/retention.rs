//! How long the sessions of other agents are kept.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use pintle_bridge::{
    RetentionPlan, RetentionResult, find_agent_behind, hosts_dir, is_retention_due, mark_retention_checked,
};
use pintle_host::contract::TapeRetention;
use pintle_host::loader::{LayerDirs, find_tape_retention, state_dir};
use pintle_log::LogIndex;
use serde_json::{Value, json};

use super::log_tapes::INDEX;
use crate::error::CliError;
use crate::render::{count_text, location_text, size_text};
use crate::terminal::Terminal;

/// The most sessions that are removed on the side of another command. The next one continues.
const MOST_AT_ONCE: usize = 200;

/// What is recorded of the agents under `pintle hook`, and how long it is kept.
pub(crate) struct RecordedSessions {
    folder: PathBuf,
    count: usize,
    size_bytes: u64,
    retention: Result<TapeRetention, CliError>,
}

impl RecordedSessions {
    /// Finds those of a state directory, which may not exist yet.
    pub(crate) fn find(state: &Path) -> Self {
        let plan = RetentionPlan::new(state, &TapeRetention::default(), SystemTime::now());
        let (count, size_bytes) = (plan.kept_count, plan.kept_bytes);
        Self { folder: hosts_dir(state), count, size_bytes, retention: configured_retention() }
    }

    /// Says what is recorded where, and how long it is kept. `show` formats a path.
    pub(crate) fn text(&self, show: impl Fn(&Path) -> String) -> String {
        let number = match self.count {
            0 => String::new(),
            count => format!(" ({}, {})", count_text(count, "session"), size_text(self.size_bytes)),
        };
        let kept = match &self.retention {
            Ok(retention) => format!("They are kept {}", retention_text(retention)),
            Err(error) => format!("Nothing is removed: {}", error.message),
        };
        let folder = show(&self.folder);
        format!("Sessions are recorded, with prompts and results, in `{folder}`{number}. {kept}.")
    }

    /// Says how to limit it, if nothing is limited.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        self.retention.as_ref().ok().filter(|retention| retention.keeps_everything()).map(|_| {
            "`tapes: {keep_days: 30}` in your `config.yaml` removes older ones; `pintle sessions prune` does it now."
        })
    }

    pub(crate) fn to_json(&self) -> Value {
        let retention = self.retention.as_ref().ok();
        json!({
            "path": self.folder,
            "count": self.count,
            "size_bytes": self.size_bytes,
            "keep_days": retention.and_then(|retention| retention.keep_days),
            "max_size_bytes": retention.and_then(|retention| retention.max_size_bytes),
        })
    }
}

/// Finds what the settings of the user and the organisation say. A project has no say.
pub(crate) fn configured_retention() -> Result<TapeRetention, CliError> {
    retention_of(&LayerDirs::find(PathBuf::new(), None, None)?)
}

fn retention_of(dirs: &LayerDirs) -> Result<TapeRetention, CliError> {
    find_tape_retention(dirs).map_err(|error| {
        let place = location_text(&error.location).map(|place| format!("{place}: ")).unwrap_or_default();
        CliError::invalid_input(format!("it is not known how long sessions are kept: {place}{}", error.message))
            .help("nothing is removed until `pintle validate` finds no error in your settings")
    })
}

/// Says how long sessions are kept.
pub(crate) fn retention_text(retention: &TapeRetention) -> String {
    let days = retention.keep_days.map(|days| count_text(usize::try_from(days).unwrap_or(usize::MAX), "day"));
    match (days, retention.max_size_bytes.map(size_text)) {
        (None, None) => String::from("until you delete them"),
        (Some(days), None) => format!("for {days}"),
        (None, Some(size)) => format!("up to {size} in all"),
        (Some(days), Some(size)) => format!("for {days}, and up to {size} in all"),
    }
}

/// Removes the first `limit` expired sessions, and what the log has of them.
pub(crate) fn remove_expired(state: &Path, plan: RetentionPlan, limit: usize) -> RetentionResult {
    let result = plan.execute(limit);
    let index = state.join(INDEX);
    if !result.removed.is_empty() && index.is_file() {
        // If this fails, the next command that reads the log does it.
        let _ = LogIndex::open(&index).and_then(|mut log| log.forget_missing());
    }
    result
}

/// Removes expired sessions once a day, after a command of the user. The command of an agent does not.
pub(crate) fn remove_expired_after_command(terminal: &Terminal) {
    let Some(state) = state_dir().filter(|state| state.is_dir()) else { return };
    if !is_retention_due(&state, SystemTime::now()) || find_agent_behind().is_some() {
        return;
    }
    // Where a directory is missing, its settings are not known.
    if let Ok(dirs) = LayerDirs::find(PathBuf::new(), None, None)
        && let Some(text) = remove_expired_now(&state, &dirs)
    {
        terminal.print_note(text);
    }
}

/// Removes expired sessions once a day, in a process that agents started. What their environment and their command lines
/// name may be a project's, so only the directories of the account count. Returns what was removed.
#[cfg(target_os = "linux")]
pub(crate) fn remove_expired_of_account(state: &Path) -> Option<String> {
    use pintle_host::files::canonicalize;
    use pintle_host::loader::{MANAGED_DIR, UserDirs, resolve_named_dir};
    let account = UserDirs::of_each_account();
    let own = |dir: Option<PathBuf>| dir.and_then(|dir| resolve_named_dir(&dir));
    let own_state = canonicalize(own(account.state)?).ok()?;
    if canonicalize(state).ok()? != own_state || !is_retention_due(state, SystemTime::now()) {
        return None;
    }
    let managed = vec![PathBuf::from(MANAGED_DIR)];
    remove_expired_now(state, &LayerDirs { managed, config: own(account.config), ..LayerDirs::default() })
}

/// Removes expired sessions, and says how many.
fn remove_expired_now(state: &Path, dirs: &LayerDirs) -> Option<String> {
    let retention = retention_of(dirs).unwrap_or_default();
    let mut text = None;
    let mut is_last = true;
    if !retention.keeps_everything() {
        let plan = RetentionPlan::new(state, &retention, SystemTime::now());
        is_last = plan.expired.len() <= MOST_AT_ONCE;
        let result = remove_expired(state, plan, MOST_AT_ONCE);
        let (count, size) = (count_text(result.removed.len(), "session"), size_text(result.removed_bytes()));
        text = (!result.removed.is_empty())
            .then(|| format!("removed {count} ({size}): sessions are kept {}", retention_text(&retention)));
    }
    if is_last {
        let _ = mark_retention_checked(state);
    }
    text
}
