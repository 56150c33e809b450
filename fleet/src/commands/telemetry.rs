//! `pintle-fleet telemetry`.

use std::path::PathBuf;

use clap::Args;
use pintle_fleet::{
    FleetError, OTLP_HEADERS_VARIABLE, OtlpHeaders, SystemTimer, TelemetryCounts, TelemetryExporter, TelemetryOptions,
    host_name,
};
use pintle_loader::find_telemetry;

use super::follow::FollowArgs;
use crate::output::{print_line, print_note};

#[derive(Debug, Args)]
pub(super) struct TelemetryArgs {
    /// Directory with your `config.yaml`, whose key `telemetry` names the endpoint [default: `PINTLE_CONFIG_DIR`, otherwise
    /// `~/.config/pintle`].
    #[arg(long, value_name = "DIR")]
    config_dir: Option<PathBuf>,
    #[command(flatten)]
    follow: FollowArgs,
}

impl TelemetryArgs {
    pub(super) async fn execute(self) -> Result<bool, FleetError> {
        let found = find_telemetry(self.config_dir.as_deref()).map_err(|error| {
            FleetError::invalid_input(format!("the settings of telemetry cannot be read: {}", error.message))
                .help("`pintle validate` says where the error is")
        })?;
        let settings = found.ok_or_else(|| {
            FleetError::invalid_input("telemetry is off")
                .help("write `telemetry: {otlp: http://localhost:4318}` into your `config.yaml` to turn it on")
        })?;
        let variable = std::env::var(OTLP_HEADERS_VARIABLE).ok();
        let headers = OtlpHeaders::load(settings.headers_file.as_deref(), variable.as_deref())?;
        let (once, otlp) = (self.follow.once, settings.otlp.clone());
        let options =
            TelemetryOptions { settings, headers, host_name: host_name(), follow: self.follow.into_options()? };
        let mut exporter = TelemetryExporter::new(options, SystemTimer::default(), print_note)?;
        if !once {
            print_note(&format!("sending telemetry to {otlp} until stopped"));
            exporter.follow().await?;
            return Ok(true);
        }
        let report = exporter.send_all().await?;
        let TelemetryCounts { span_count, log_count, dropped_count } = exporter.counts();
        let tapes = report.tape_count;
        print_line(&format!("sent {span_count} spans and {log_count} decisions of {tapes} tapes"))?;
        if dropped_count > 0 {
            print_note(&format!("the endpoint refused {dropped_count} items, which are not sent again"));
        }
        Ok(report.problems.is_empty() && dropped_count == 0)
    }
}
