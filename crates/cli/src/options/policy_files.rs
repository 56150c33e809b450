//! The policy files whose rules a person edits.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_host::contract::{Severity, SourceFile};
use pintle_host::dialects::{PolicyBase, policy_bases, read_policy};
use pintle_host::files::private_dir_builder;
use pintle_host::loader::{LayerDirs, UserDirs};
use pintle_host::packs::PolicyRuleSpec;

use super::current_dir;
use crate::error::CliError;
use crate::render::path_text;

/// The name of a directory's first policy file.
pub(crate) const POLICY_FILE: &str = "policy.yaml";

/// A directory with policy files.
#[derive(Debug)]
pub(crate) struct PolicyPlace {
    dir: PathBuf,
}

/// A policy file, as it is read.
#[derive(Debug)]
pub(crate) struct PolicySource {
    path: PathBuf,
    text: String,
    rules: Vec<PolicyRuleSpec>,
}

impl PolicyPlace {
    /// The directory of the user, or that of the project.
    pub(crate) fn find(is_project: bool, config_dir: Option<&Path>) -> Result<Self, CliError> {
        let layers = LayerDirs::find(current_dir(), config_dir, None)?;
        if is_project {
            return Ok(Self { dir: project_dir(&layers.cwd).join(".harness") });
        }
        let dir = match layers.config {
            Some(dir) => dir,
            None => find_user_dir().map_err(|error| error.help("name it with `--config-dir`"))?,
        };
        Ok(Self { dir })
    }

    /// The directory itself.
    pub(crate) fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    /// The directories of the organisation, the user and the project.
    pub(crate) fn find_all(config_dir: Option<&Path>) -> Result<Vec<Self>, CliError> {
        let layers = LayerDirs::find(current_dir(), config_dir, None)?;
        let dirs = layers.managed.into_iter().chain(layers.config).chain([project_dir(&layers.cwd).join(".harness")]);
        Ok(dirs.map(Self::new).collect())
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The file that rules are added to. It may not exist yet.
    pub(crate) fn own_file(&self) -> Result<PolicySource, CliError> {
        PolicySource::read(self.dir.join(POLICY_FILE))
    }

    /// The files that exist, as they are read.
    pub(crate) fn files(&self) -> Result<Vec<PolicySource>, CliError> {
        self.paths().into_iter().map(PolicySource::read).collect()
    }

    /// The same, and the files that these extend.
    pub(crate) fn files_with_bases(&self) -> Result<Vec<PolicySource>, CliError> {
        let mut files = self.files()?;
        let mut index = 0;
        while let Some(file) = files.get(index) {
            let bases: Vec<PathBuf> = file.bases().iter().map(|base| base.file(&file.path)).collect();
            for base in bases.into_iter().filter(|base| base.is_file()) {
                if files.iter().all(|known| known.path != base) {
                    files.push(PolicySource::read(base)?);
                }
            }
            index += 1;
        }
        Ok(files)
    }

    /// The paths of the files that exist.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        let rules = fs::read_dir(self.dir.join("rules")).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut rules: Vec<PathBuf> = rules.filter(|path| path.extension().is_some_and(|end| end == "yaml")).collect();
        rules.sort();
        std::iter::once(self.dir.join(POLICY_FILE)).chain(rules).filter(|path| path.is_file()).collect()
    }
}

/// The directory of the user's own hooks, which may not exist yet.
pub(crate) fn find_user_dir() -> Result<PathBuf, CliError> {
    UserDirs::from_env()
        .to_absolute()
        .config
        .ok_or_else(|| CliError::invalid_input("the directory of your own hooks is not known: `HOME` is not set"))
}

/// The nearest directory upwards that has hooks or a repository, otherwise the current one.
fn project_dir(cwd: &Path) -> PathBuf {
    let is_project = |dir: &&Path| [".harness", ".git"].iter().any(|name| dir.join(name).exists());
    cwd.ancestors().find(is_project).unwrap_or(cwd).to_owned()
}

impl PolicySource {
    /// Reads a file. A mistake in it is an error.
    pub(crate) fn read(path: PathBuf) -> Result<Self, CliError> {
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(CliError::failure(format!("cannot read `{}`: {error}", path_text(&path)))),
        };
        let (rules, errors) = read_rules(&path, &text);
        match errors.first() {
            Some(error) => Err(CliError::invalid_input(format!("`{}` has a mistake: {error}", path_text(&path)))
                .help("correct it first; `pintle validate` shows where it is")),
            None => Ok(Self { path, text, rules }),
        }
    }

    /// What the file extends.
    pub(crate) fn bases(&self) -> Vec<PolicyBase> {
        policy_bases(&Arc::new(SourceFile { path: self.path.clone(), text: self.text.clone() }))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn rules(&self) -> &[PolicyRuleSpec] {
        &self.rules
    }

    /// Why the rule has to be added by hand.
    pub(crate) fn hand_error(&self, key: &str, item: &[String]) -> CliError {
        let message = format!("`{key}` of `{}` is not a list with a line for each rule", path_text(&self.path));
        CliError::invalid_input(message).help(format!("add the rule by hand: {{{}}}", item.join(", ")))
    }

    /// Writes an edited text, if its rules are those of the old one but for the one that was added (`change` is 1) or
    /// removed (-1). Returns that one.
    pub(crate) fn save(&self, text: String, change: i32) -> Result<PolicyRuleSpec, CliError> {
        let (rules, errors) = read_rules(&self.path, &text);
        if let Some(error) = errors.first() {
            return Err(CliError::invalid_input(error));
        }
        let (more, fewer) = if change > 0 { (&rules, &self.rules) } else { (&self.rules, &rules) };
        let is_same = |one: &PolicyRuleSpec, other: &PolicyRuleSpec| {
            (&one.subject, one.severity, &one.reason) == (&other.subject, other.severity, &other.reason)
        };
        let changed = more.iter().zip(fewer).position(|(one, other)| !is_same(one, other)).unwrap_or(fewer.len());
        let others = more.iter().enumerate().filter(|(index, _)| *index != changed).map(|(_, rule)| rule);
        let is_one = more.len() == fewer.len() + 1 && others.zip(fewer).all(|(one, other)| is_same(one, other));
        let Some(rule) = more.get(changed).filter(|_| is_one) else {
            let message = format!("`{}` cannot be edited without changing its other rules", path_text(&self.path));
            return Err(CliError::failure(message).help("edit it by hand"));
        };
        self.write(&text)?;
        Ok(rule.clone())
    }

    /// Writes the file as a whole: one that is cut would turn every guard in it off.
    fn write(&self, text: &str) -> Result<(), CliError> {
        let failed =
            |error: std::io::Error| CliError::failure(format!("cannot write `{}`: {error}", path_text(&self.path)));
        if let Some(dir) = self.path.parent() {
            private_dir_builder().recursive(true).create(dir).map_err(failed)?;
        }
        pintle_host::files::replace_file(&self.path, text.as_bytes()).map_err(failed)
    }
}

fn read_rules(path: &Path, text: &str) -> (Vec<PolicyRuleSpec>, Vec<String>) {
    let file = Arc::new(SourceFile { path: path.to_owned(), text: text.to_owned() });
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let (rules, findings) = read_policy(&file, &name);
    let errors = findings.into_iter().filter(|found| found.severity == Severity::Error);
    (rules, errors.map(|found| found.message).collect())
}
