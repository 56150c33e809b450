//! The options of commands that follow tapes.

use std::path::PathBuf;

use clap::Args;
use pintle_fleet::{BackoffPolicy, FleetError, FollowOptions, TapePlaces};

/// After how many failures in a row `--once` gives up, unless the user says otherwise: after about two minutes.
const FAILURES_ONCE: u32 = 10;

#[derive(Debug, Args)]
pub(super) struct FollowArgs {
    /// Directory in which `pintle hook` keeps sessions, and in which is noted how far they are sent [default:
    /// `PINTLE_STATE_DIR`, otherwise `~/.local/state/pintle`].
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,
    /// Directory whose own sessions are sent, beside those of other agents. Can be given several times [default: the
    /// current one].
    #[arg(long, value_name = "DIR")]
    directory: Vec<PathBuf>,
    /// Send what there is now, and end.
    #[arg(long)]
    pub(super) once: bool,
    /// Give up after this number of failures in a row [default: 10 with `--once`, otherwise never].
    #[arg(long, value_name = "COUNT")]
    failures: Option<u32>,
    /// Milliseconds between two looks at the tapes.
    #[arg(long, value_name = "MS", default_value_t = 2_000)]
    pause_ms: u64,
}

impl FollowArgs {
    pub(super) fn into_options(self) -> Result<FollowOptions, FleetError> {
        let state_dir = self.state_dir.or_else(pintle_files::state_dir).ok_or_else(|| {
            FleetError::invalid_input("the state directory is not known: there is no home directory")
                .help("name it with `--state-dir`")
        })?;
        let directories = if self.directory.is_empty() { vec![PathBuf::from(".")] } else { self.directory };
        Ok(FollowOptions {
            places: TapePlaces { state_dir: Some(state_dir.clone()), directories },
            state_dir,
            backoff: BackoffPolicy::default(),
            most_failures: self.failures.or(self.once.then_some(FAILURES_ONCE)),
            pause_ms: self.pause_ms,
        })
    }
}
