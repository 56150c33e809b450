//! The hosts.

use pintle::dialects::tools::ToolVocabulary;
use pintle::suggest_nearest;
use serde_json::Value;

use crate::hosts;
use crate::install::Install;
use crate::{Answer, Asked, Row, Ruling, Unreadable, Whose};

/// An agent that asks Pintle.
#[derive(Debug)]
pub struct Host {
    /// The word for it on the command line.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Its events.
    pub rows: &'static [Row],
    /// How it calls its tools.
    pub tools: &'static ToolVocabulary,
    /// The dialect whose hooks it runs itself, which are therefore left out.
    pub own_dialect: Option<&'static str>,
    /// How long `pintle hook` takes at most when nobody says otherwise, in milliseconds. Below the time-out that is
    /// installed with the command line.
    pub deadline_ms: u64,
    /// How Pintle gets into it.
    pub install: &'static Install,
    /// Which event a payload is of, in the host's words, when the payload says.
    pub event: fn(payload: &Value) -> Option<&str>,
    /// The environment variable in which it names the project's folder.
    pub project_variable: Option<&'static str>,
    /// What it does without asking any hook, for reports.
    pub unasked: &'static [&'static str],
    /// Another host that runs this one's entries, where a payload is of its making.
    pub sender: Option<fn(payload: &Value) -> Option<&'static Self>>,
    /// Whose life a payload is about.
    pub whose: fn(payload: &Value) -> Result<Whose, Unreadable>,
}

/// All hosts, in the order of help texts.
pub static HOSTS: &[&Host] = &[
    &hosts::claude::HOST,
    &hosts::codex::HOST,
    &hosts::gemini::HOST,
    &hosts::qwen::HOST,
    &hosts::copilot::HOST,
    &hosts::cline::HOST,
    &hosts::cursor::HOST,
];

/// A word that is no host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown host `{name}`, expected one of {known}{meant}")]
pub struct UnknownHost {
    name: String,
    known: String,
    meant: String,
}

impl Host {
    /// The host of a name.
    ///
    /// # Errors
    /// With the names there are.
    pub fn named(name: &str) -> Result<&'static Self, UnknownHost> {
        let found = HOSTS.iter().find(|host| host.name == name).copied();
        found.ok_or_else(|| {
            let names = || HOSTS.iter().map(|host| host.name);
            let meant = suggest_nearest(name, names()).map(|near| format!("; did you mean `{near}`?"));
            let known = names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            UnknownHost { name: name.to_owned(), known, meant: meant.unwrap_or_default() }
        })
    }

    /// The row of an event, by the host's name of it.
    #[must_use]
    pub fn row(&'static self, event: &str) -> Option<&'static Row> {
        self.rows.iter().find(|row| row.name == event)
    }

    /// What a host is told when `pintle hook` could not answer itself: a written deny of a guarded event.
    ///
    /// Installed command lines carry it, for a program that was killed, ran out of memory or is not there any more.
    #[must_use]
    pub fn fallback(&self, row: &'static Row, reason: &str) -> Answer {
        if !row.guards {
            return Answer::silent();
        }
        (row.answer)(&Asked { row, payload: &Value::Null }, &Ruling::deny(reason))
    }
}
