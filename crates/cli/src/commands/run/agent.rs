//! Which agent, which model, and where its tape goes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle::{AgentSpec, ModelSpec};
use pintle_agent::OpenModel;
use pintle_agent::model::{self, Model, ModelError, ScriptModel};

use crate::fault::Fault;

/// The file that makes a folder an agent's.
const AGENT_FILE: &str = "harness.md";

/// The agent's folder, and what the person typed behind it.
pub(super) struct Place {
    pub(super) folder: PathBuf,
    pub(super) prompt: Option<String>,
}

impl Place {
    /// Reads the arguments. A first argument with a space in it is no folder but the beginning of the prompt.
    pub(super) fn find(agent: Option<PathBuf>, mut prompt: Vec<String>) -> Result<Self, Fault> {
        let folder = match agent {
            None => PathBuf::from("."),
            Some(path) if path.is_dir() => path,
            Some(path) if path.is_file() && path.file_name().is_some_and(|name| name == AGENT_FILE) => {
                path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
            }
            Some(path) if path.is_file() => {
                return Err(Fault::invalid(format!("`{}` is no agent", path.display()))
                    .help(format!("name a folder with a `{AGENT_FILE}`; `--hooks` adds hooks")));
            }
            Some(words) if words.to_string_lossy().contains(char::is_whitespace) => {
                prompt.insert(0, words.to_string_lossy().into_owned());
                PathBuf::from(".")
            }
            Some(path) => {
                return Err(Fault::invalid(format!("there is no folder `{}`", path.display())).help(format!(
                    "name the agent's folder first, then what to tell it, as in `pintle run . \"{}\"`",
                    path.display()
                )));
            }
        };
        let prompt = (!prompt.is_empty()).then(|| prompt.join(" "));
        Ok(Self { folder, prompt })
    }
}

/// An agent with its model.
pub(super) struct Chosen {
    pub(super) spec: AgentSpec,
    pub(super) model: Arc<dyn Model>,
    /// What the model's script shows.
    pub(super) about: String,
    /// What the model's script lets the person say.
    pub(super) prompts: Vec<String>,
}

/// Joins the agent of the folder and the model that was named, either of which may be missing, but not both.
pub(super) fn choose(agent: Option<AgentSpec>, named: Option<&str>, folder: &Path) -> Result<Chosen, Fault> {
    let nothing = |what: String| {
        Fault::invalid(what).help("name a model, such as `--model anthropic:claude-sonnet-4-5` or `--model script:FILE`")
    };
    let found = agent.is_some();
    let mut spec = agent.unwrap_or_else(|| AgentSpec { name: String::from("root"), ..AgentSpec::default() });
    // A script that the agent names stands beside it; one that the person names stands where the person is.
    let (declared, beside) = match named {
        Some(typed) => (model::choose(typed, spec.model.as_ref()).map_err(Fault::invalid)?, Path::new("")),
        None => match spec.model.clone() {
            Some(declared) => (declared, folder),
            None if found => return Err(nothing(format!("agent `{}` declares no model", spec.name))),
            None => {
                let fault = nothing(format!("no agent found in `{}`: there is no `{AGENT_FILE}`", folder.display()));
                return Err(fault);
            }
        },
    };
    let unusable = |fault: ModelError| Fault::invalid(fault);
    let (model, about, prompts): (Arc<dyn Model>, _, _) = if declared.provider == "script" {
        let text = read(beside, &declared.name).map_err(Fault::invalid)?;
        let script = ScriptModel::parse(&declared.name, &text).map_err(unusable)?;
        let (about, prompts) = (script.about().to_owned(), script.prompts().to_vec());
        (Arc::new(script), about, prompts)
    } else {
        (model::open(&declared, &|file| read(beside, file)).map_err(unusable)?, String::new(), Vec::new())
    };
    spec.model = Some(declared);
    Ok(Chosen { spec, model, about, prompts })
}

/// Opens the models that delegated agents declare.
pub(super) fn opener(folder: PathBuf) -> Box<OpenModel> {
    Box::new(move |spec: &ModelSpec| model::open(spec, &|file| read(&folder, file)))
}

fn read(folder: &Path, file: &str) -> Result<String, String> {
    let path = folder.join(file);
    fs::read_to_string(&path).map_err(|fault| format!("cannot read the script `{}`: {fault}", path.display()))
}

/// A session's name: when it began, as `20260131-235959-123` in universal time.
pub(super) fn session_name(unix_ms: u64) -> String {
    let (days, ms) = (unix_ms / 86_400_000, unix_ms % 86_400_000);
    // The civil date of a day count, by the usual arithmetic on years that begin in March.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1_000 % 60);
    format!("{year:04}{month:02}{day:02}-{hour:02}{minute:02}{second:02}-{:03}", ms % 1_000)
}

/// Where a session's tape goes when nobody says: beside the agent, and out of sight of its version control.
pub(super) fn tape_path(folder: &Path, session: &str) -> Result<PathBuf, Fault> {
    let own = folder.join(".pintle");
    let fault = |fault| {
        Fault::failed(format!("cannot write to `{}`: {fault}", own.display()))
            .help("`--tape FILE` puts the tape elsewhere")
    };
    fs::create_dir_all(&own).map_err(fault)?;
    let ignore = own.join(".gitignore");
    if !ignore.exists() {
        fs::write(ignore, "*\n").map_err(fault)?;
    }
    Ok(own.join("tapes").join(format!("{session}.jsonl")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_named_after_their_beginning() {
        let cases = [
            (0, "19700101-000000-000"),
            (951_782_399_999, "20000228-235959-999"),
            (951_782_400_000, "20000229-000000-000"),
            (1_767_225_599_001, "20251231-235959-001"),
        ];
        for (unix_ms, name) in cases {
            assert_eq!(session_name(unix_ms), name);
        }
    }
}
