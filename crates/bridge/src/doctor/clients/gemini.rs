//! Checks what prevents Gemini CLI from running hooks.

use crate::HostDef;
use crate::doctor::{DoctorFinding, SettingsDocument};
use crate::install::{InstallEnvironment, InstallScope};

/// Whether the directory is trusted: by the environment, or by an earlier answer of the user.
pub(super) fn check_trust(host: &'static HostDef, environment: &InstallEnvironment) -> Vec<DoctorFinding> {
    if environment.variable("GEMINI_CLI_TRUST_WORKSPACE") == Some("true") {
        return Vec::new();
    }
    let dir = environment.host_dir(InstallScope::User, &host.install.user);
    let answers = SettingsDocument::read(&dir.join("trustedFolders.json"));
    let fields = answers.value.as_object().into_iter().flatten();
    // The nearest parent directory applies.
    let above = fields.filter_map(|(path, answer)| {
        let answer = answer.as_str()?;
        let path = match answer {
            "TRUST_PARENT" => std::path::Path::new(path).parent()?,
            _ => std::path::Path::new(path),
        };
        environment.project.starts_with(path).then(|| (path.components().count(), answer.to_owned()))
    });
    let trusted = matches!(above.max(), Some((_, answer)) if answer != "DO_NOT_TRUST");
    let what = format!(
        "`{}` is not a trusted directory, so Gemini CLI runs no hooks there, not even your own",
        environment.display_path(&environment.project)
    );
    let help = "start `gemini` there and trust it; in CI set `GEMINI_CLI_TRUST_WORKSPACE=true`";
    if trusted { Vec::new() } else { vec![DoctorFinding::problem(what).help(help)] }
}
