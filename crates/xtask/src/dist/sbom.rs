//! The bill of materials: every crate that is in the programs, on any platform.

use std::fs;
use std::process::Command;

use xtask::run_tool;

use super::DistPlace;
use super::staging::write_file;
use super::targets::DistTarget;

const FILE_NAME: &str = "bill-of-materials";

/// Writes it as CycloneDX. The tool writes beside every manifest, so it works in a copy of the sources.
pub(super) fn write_sbom(place: &DistPlace<'_>, _targets: &[&'static DistTarget]) -> Result<(), String> {
    let copy = place.stage("sbom")?;
    run_tool(Command::new("git").args(["clone", "--quiet", "--shared"]).arg(place.root).arg(&copy))?;
    let mut cyclonedx = Command::new("cargo");
    cyclonedx.args(["cyclonedx", "-qq", "--format", "json", "--spec-version", "1.5", "--target", "all"]);
    cyclonedx.args(["--no-build-deps", "--manifest-path", "crates/cli/Cargo.toml", "--override-filename", FILE_NAME]);
    run_tool(cyclonedx.current_dir(&copy).env("SOURCE_DATE_EPOCH", &place.facts.time))?;
    let written = copy.join("crates/cli").join(FILE_NAME).with_extension("json");
    let text = fs::read_to_string(&written).map_err(|error| format!("cannot read `{}`: {error}", written.display()))?;
    let text = text.replace(&copy.display().to_string(), "/pintle");
    write_file(&place.out.join(format!("pintle-{}.cdx.json", place.facts.version)), text.as_bytes(), false)
}
