//! `pintle-fleet ship`.

use std::path::PathBuf;

use clap::Args;
use pintle_fleet::{
    BackoffPolicy, FleetError, MachineToken, ShipReport, ShipperOptions, SystemTimer, TapePlaces, TapeShipper,
};

use crate::{print_line, print_note};

/// After how many failures in a row `--once` gives up, unless the user says otherwise: after about two minutes.
const FAILURES_ONCE: u32 = 10;

#[derive(Debug, Args)]
pub(super) struct ShipArgs {
    /// Address of the collector, such as `https://collector.example:7420`.
    #[arg(long, value_name = "URL")]
    to: String,
    /// File with the token of this machine.
    #[arg(long, value_name = "FILE")]
    token_file: PathBuf,
    /// Directory in which `pintle hook` keeps sessions, and in which is noted how far they are shipped [default:
    /// `PINTLE_STATE_DIR`, otherwise `~/.local/state/pintle`].
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,
    /// Directory whose own sessions are shipped, beside those of other agents. Can be given several times [default: the
    /// current one].
    #[arg(long, value_name = "DIR")]
    directory: Vec<PathBuf>,
    /// Ship what there is now, and end.
    #[arg(long)]
    once: bool,
    /// Give up after this number of failures in a row [default: 10 with `--once`, otherwise never].
    #[arg(long, value_name = "COUNT")]
    failures: Option<u32>,
    /// Milliseconds between two looks at the tapes.
    #[arg(long, value_name = "MS", default_value_t = 2_000)]
    pause_ms: u64,
}

impl ShipArgs {
    pub(super) async fn execute(self) -> Result<bool, FleetError> {
        let token = MachineToken::load(&self.token_file)?;
        let state_dir = self.state_dir.or_else(pintle_files::state_dir).ok_or_else(|| {
            FleetError::invalid_input("the state directory is not known: there is no home directory")
                .help("name it with `--state-dir`")
        })?;
        let directories = if self.directory.is_empty() { vec![PathBuf::from(".")] } else { self.directory };
        let collector = self.to;
        let options = ShipperOptions {
            collector: collector.clone(),
            token,
            places: TapePlaces { state_dir: Some(state_dir.clone()), directories },
            state_dir,
            backoff: BackoffPolicy::default(),
            most_failures: self.failures.or(self.once.then_some(FAILURES_ONCE)),
            pause_ms: self.pause_ms,
        };
        let mut shipper = TapeShipper::new(options, SystemTimer::default(), print_note)?;
        if !self.once {
            print_note(&format!("shipping to {collector} until stopped"));
            shipper.follow().await?;
            return Ok(true);
        }
        let ShipReport { line_count, tape_count, problems } = shipper.ship_all().await?;
        print_line(&format!("shipped {line_count} records of {tape_count} tapes"))?;
        Ok(problems.is_empty())
    }
}
