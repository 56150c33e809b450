//! `cargo xtask timings [PROFILE]`: what a build of the program from an empty directory spends its time on.

use std::fs;
use std::process::Command;

use serde::Deserialize;
use xtask::{ChoreReport, SourceWorkspace};

/// How many units are shown.
const SHOWN: usize = 10;

/// One unit of a build: a crate, a build script, or a run of one.
#[derive(Debug, Deserialize)]
struct BuildUnit {
    name: String,
    version: String,
    /// Which part of the package it is, such as ` build-script`; empty for its library.
    target: String,
    /// Seconds from the start of the build.
    start: f64,
    /// Seconds.
    duration: f64,
}

/// Builds the program in a directory of its own, and lists the dearest units.
pub(crate) fn run(workspace: &SourceWorkspace, arguments: &[String]) -> Result<ChoreReport, String> {
    let profile = match arguments {
        [] => "dev",
        [profile] => profile.as_str(),
        _ => return Err(String::from("pass at most one profile: `cargo xtask timings [PROFILE]`")),
    };
    let target = workspace.root.join("target/timings");
    let in_target = |error| format!("cannot use `{}`: {error}", target.display());
    fs::create_dir_all(&target).map_err(in_target)?;
    fs::remove_dir_all(&target).map_err(in_target)?;
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| String::from("cargo"));
    let mut build = Command::new(cargo);
    build.args(["build", "--locked", "--timings", "--package", "pintle-cli", "--profile", profile, "--target-dir"]);
    let status = build.arg(&target).current_dir(&workspace.root).env("CARGO_INCREMENTAL", "0").status();
    if !status.map_err(|error| format!("cannot run cargo: {error}"))?.success() {
        return Err(format!("the build with the profile `{profile}` failed"));
    }
    let report = target.join("cargo-timings/cargo-timing.html");
    let page = fs::read_to_string(&report).map_err(|error| format!("cannot read `{}`: {error}", report.display()))?;
    let lines = describe_units(parse_units(&page)?);
    fs::remove_dir_all(&target).map_err(in_target)?;
    Ok(ChoreReport { lines, passed: true })
}

/// The units of a page that `cargo build --timings` wrote.
fn parse_units(page: &str) -> Result<Vec<BuildUnit>, String> {
    let (_, from) = page.split_once("const UNIT_DATA = ").ok_or("the report of cargo has no `UNIT_DATA`")?;
    let (list, _) = from.split_once("];").ok_or("the list `UNIT_DATA` in the report of cargo does not end")?;
    serde_json::from_str(&format!("{list}]")).map_err(|error| format!("cannot read the report of cargo: {error}"))
}

fn describe_units(mut units: Vec<BuildUnit>) -> Vec<String> {
    units.sort_by(|one, other| other.duration.total_cmp(&one.duration));
    let describe = |unit: &BuildUnit| {
        format!("{:>7.1} s  {} {}{}", unit.duration, unit.name, unit.version.trim_start_matches('v'), unit.target)
    };
    let total: f64 = units.iter().map(|unit| unit.duration).sum();
    let end = units.iter().map(|unit| unit.start + unit.duration).fold(0.0, f64::max);
    let summary = format!("{} units, {total:.0} unit-seconds, {end:.0} s in all", units.len());
    units.iter().take(SHOWN).map(describe).chain([summary]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dearest_units_come_first() {
        let page = r#"<script>
const UNIT_DATA = [
  {"i": 0, "name": "serde", "version": "1.0.0", "mode": "todo", "target": "", "start": 0.5, "duration": 2.25, "unblocked_units": [1]},
  {"i": 1, "name": "starlark", "version": "0.14.2", "mode": "todo", "target": "", "start": 2.75, "duration": 31.0},
  {"i": 2, "name": "ring", "version": "0.17.0", "mode": "run-custom-build", "target": " build-script (run)", "start": 1.0, "duration": 9.04}
];
const CONCURRENCY_DATA = [];
</script>"#;
        let lines = describe_units(parse_units(page).unwrap());
        assert_eq!(
            lines,
            [
                "   31.0 s  starlark 0.14.2",
                "    9.0 s  ring 0.17.0 build-script (run)",
                "    2.2 s  serde 1.0.0",
                "3 units, 42 unit-seconds, 34 s in all"
            ]
        );
        assert!(parse_units("<html>").unwrap_err().contains("UNIT_DATA"));
    }
}
