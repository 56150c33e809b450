//! Getting into Cline.

use super::doctor;
use crate::install::{Form, Install, Place, Scope};

/// How Pintle gets into Cline.
pub(super) static INSTALL: Install = Install {
    program: "cline",
    user: Place { variable: "", folder: ".cline", file: "hooks" },
    project: Place { variable: "", folder: ".clinerules", file: "hooks" },
    form: Form::Programs,
    short: &[],
    shell: &["/bin/sh", "-c"],
    hints,
    trust: doctor::trust,
};

fn hints(_scope: Scope) -> Vec<String> {
    vec![String::from(
        "Cline ends the whole task where a hook refuses a call, and without a terminal it tells nobody why",
    )]
}
