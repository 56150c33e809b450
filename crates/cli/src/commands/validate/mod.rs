//! `pintle validate`: compiles and checks everything, and reports every fault of every file at once.

mod models;

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use pintle::tape::show::Tone;
use pintle::{AgentSpec, BuiltRuntime, Diagnostic, Severity};

use crate::fault::{Fault, Status};
use crate::options::{Global, Places, UserOptions, builder, consent};
use crate::render::diagnostic::{self, Finding};
use crate::render::{count, tone};
use crate::terminal::Terminal;

/// From so many files on, a person who waits is told that something happens.
const MANY_FILES: usize = 200;

#[derive(Debug, Args)]
pub(crate) struct Validate {
    /// Projects, `.harness` folders, docker-agent YAML files, folders of hooks or hook files. Default: the current
    /// directory.
    path: Vec<PathBuf>,
    /// Count warnings as errors.
    #[arg(long)]
    deny_warnings: bool,
    #[command(flatten)]
    user: UserOptions,
}

impl Validate {
    pub(crate) fn execute(self, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
        let places = Places::named_or_here(self.path.clone()).listing();
        let paths = &places.paths;
        if let Some(missing) = paths.iter().find(|path| !path.exists()) {
            return Err(Fault::invalid(format!("there is no `{}`", missing.display())));
        }
        if terminal.shows_progress() && paths.iter().map(|path| artifacts(path, MANY_FILES)).sum::<usize>() >= MANY_FILES {
            terminal.note("checking more than 200 files");
        }
        let mut built = builder(&places, &self.user)?.build();
        let members = built.team.iter().flat_map(|team| &team.agents).map(AsRef::as_ref);
        let found: Vec<Diagnostic> = built.agent.iter().chain(members).flat_map(models::check).collect();
        built.diagnostics.extend(found);
        built.diagnostics.sort_by_key(place);
        // Whoever names a path wants it checked, and nothing was.
        for finding in built.diagnostics.iter_mut().filter(|finding| finding.code == "no_files" && !self.path.is_empty()) {
            finding.severity = Severity::Error;
        }
        let is_denied =
            self.deny_warnings && built.diagnostics.iter().any(|finding| finding.severity == Severity::Warning);
        consent::tell(&built, terminal);
        if global.json {
            terminal.json(&built.diagnostics.iter().map(Finding::from).collect::<Vec<_>>());
        } else {
            for finding in &built.diagnostics {
                terminal.out(diagnostic::text(finding));
                terminal.out("");
            }
            terminal.out(summary(&built));
        }
        Ok(if built.has_errors() || is_denied { Status::Invalid } else { Status::Done })
    }
}

/// By file, then by place in it; what belongs to no file comes first.
fn place(finding: &Diagnostic) -> (Option<PathBuf>, usize) {
    (finding.location.path().map(Path::to_owned), finding.location.span.start)
}

fn summary(built: &BuiltRuntime) -> String {
    let (mut tools, mut agents) = (0, 0);
    if let Some(agent) = &built.agent {
        count_agent(agent, &mut tools, &mut agents);
    }
    let mut hooks = built.declarations.len();
    for member in built.team.iter().flat_map(|team| &team.agents) {
        hooks += member.hooks.len();
        tools += member.member.as_ref().map_or(0, |member| member.toolsets.len());
        agents += 1;
    }
    let tool = if built.team.is_some() { "toolset" } else { "tool" };
    let what = format!(
        "{}, {}, {} in {}",
        count(hooks, "hook"),
        count(tools, tool),
        count(agents, "agent"),
        count(built.files, "file"),
    );
    let of = |severity| built.diagnostics.iter().filter(|finding| finding.severity == severity).count();
    match (of(Severity::Error), of(Severity::Warning)) {
        (0, 0) => format!("{what}: {}", tone::piece(Tone::Good, "no faults")),
        (0, warnings) => format!("{what}: {}", tone::piece(Tone::Warn, count(warnings, "warning"))),
        (errors, warnings) => {
            format!("{what}: {}, {}", tone::piece(Tone::Bad, count(errors, "error")), count(warnings, "warning"))
        }
    }
}

fn count_agent(agent: &AgentSpec, tools: &mut usize, agents: &mut usize) {
    *tools += agent.tools.len();
    *agents += 1;
    for child in &agent.agents {
        count_agent(child, tools, agents);
    }
}

/// How many Markdown files are below a path, counted up to `most`.
fn artifacts(path: &Path, most: usize) -> usize {
    let mut folders = vec![path.to_owned()];
    let mut found = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found += 1;
            }
            if found >= most {
                return found;
            }
        }
    }
    found
}
