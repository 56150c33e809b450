//! `pintle-fleet ship`.

use std::path::PathBuf;

use clap::Args;
use pintle_fleet::{FleetError, MachineToken, ShipReport, ShipperOptions, SystemTimer, TapeShipper};

use super::follow::FollowArgs;
use crate::output::{print_line, print_note};

#[derive(Debug, Args)]
pub(super) struct ShipArgs {
    /// Address of the collector, such as `https://collector.example:7420`.
    #[arg(long, value_name = "URL")]
    to: String,
    /// File with the token of this machine.
    #[arg(long, value_name = "FILE")]
    token_file: PathBuf,
    #[command(flatten)]
    follow: FollowArgs,
}

impl ShipArgs {
    pub(super) async fn execute(self) -> Result<bool, FleetError> {
        let token = MachineToken::load(&self.token_file)?;
        let (collector, once) = (self.to, self.follow.once);
        let options = ShipperOptions { collector: collector.clone(), token, follow: self.follow.into_options()? };
        let mut shipper = TapeShipper::new(options, SystemTimer::default(), print_note)?;
        if !once {
            print_note(&format!("shipping to {collector} until stopped"));
            shipper.follow().await?;
            return Ok(true);
        }
        let ShipReport { line_count, tape_count, problems, .. } = shipper.ship_all().await?;
        print_line(&format!("shipped {line_count} records of {tape_count} tapes"))?;
        Ok(problems.is_empty())
    }
}
