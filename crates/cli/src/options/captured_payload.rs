//! What `fire` and `explain` are about: an event of Pintle, or a payload that another agent sent.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use clap::Args;
use pintle_bridge::{HOSTS, HostDef, HostEventDef, hosts_reading, recognise_payload};
use pintle_host::contract::suggest_nearest;
use pintle_host::dialects::command_hooks::ROWS;
use pintle_host::tape::show::single_line;
use serde_json::Value;

use super::payload::{PayloadInput, example_input, parse_payload, read_payload_bytes, to_payload_input};
use super::{EventArgument, HostArgument};
use crate::error::CliError;

/// The first argument: an event, or the first path if the payload tells the event.
#[derive(Debug, Clone)]
pub(crate) struct EventOrPath {
    text: String,
    event: Option<EventArgument>,
}

impl FromStr for EventOrPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_known = || HOSTS.iter().any(|host| host.find_event(text).is_some()) || Path::new(text).exists();
        let event = match text.parse() {
            Ok(event) => Some(event),
            Err(_) if is_known() => None,
            Err(error) => return Err(error),
        };
        Ok(Self { text: text.to_owned(), event })
    }
}

#[derive(Debug, Clone, Args)]
pub(crate) struct FiredEventArgs {
    /// Event, by its own name (`tool.pre`), by docker-agent's name (`pre_tool_use`) or by that of another agent
    /// (`PreToolUse`). It may be omitted if the payload is one that another agent sent. The payload is read from
    /// standard input as JSON; at a terminal, the example of `pintle events` is used. The payload of `tool.pre` needs
    /// only one of `args` and `arguments`, and no `id`. The input of a docker-agent hook is accepted, too.
    #[arg(value_name = "EVENT")]
    first: Option<EventOrPath>,
    /// Paths to load hooks from, in addition to `--hooks`.
    path: Vec<PathBuf>,
    /// Agent that sent the payload, for example `claude`: the hooks are called as `pintle hook claude` calls them. The
    /// payload is what the agent writes to the standard input of its hooks [default: recognised by the payload].
    #[arg(long, value_name = "HOST")]
    host: Option<HostArgument>,
    /// Use the example of `pintle events` instead of reading standard input.
    #[arg(long, conflicts_with = "host")]
    pub(crate) example: bool,
}

/// What is fired or explained.
pub(crate) enum FiredInput {
    /// An event of Pintle with its payload.
    Event(EventArgument, PayloadInput),
    /// A payload of another agent.
    Host(CapturedPayload),
}

/// A payload that another agent sent.
#[derive(Debug)]
pub(crate) struct CapturedPayload {
    pub(crate) host: &'static HostDef,
    pub(crate) event_def: &'static HostEventDef,
    pub(crate) bytes: Arc<Vec<u8>>,
    pub(crate) value: Value,
    /// Whether the agent was not named.
    pub(crate) is_recognised: bool,
}

/// An event of a host.
type HostEventMatch = (&'static HostDef, &'static HostEventDef);

impl FiredEventArgs {
    /// Returns the named paths. A first argument that is not an event is a path.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        let first = self.first.as_ref().filter(|_| self.word().is_none()).map(|first| PathBuf::from(&first.text));
        first.into_iter().chain(self.path.iter().cloned()).collect()
    }

    /// Returns the event as it was typed, if the first argument is one.
    fn word(&self) -> Option<&str> {
        let first = self.first.as_ref()?;
        let is_event = first.event.is_some() || HOSTS.iter().any(|host| host.find_event(&first.text).is_some());
        is_event.then_some(first.text.as_str())
    }

    fn event(&self) -> Option<&EventArgument> {
        self.first.as_ref()?.event.as_ref()
    }

    /// Reads the payload from standard input, unless the example is asked for. Without one, the input is the example of
    /// the event if `may_be_blank`, or if standard input is a terminal.
    pub(crate) fn read_input(&self, may_be_blank: bool) -> Result<FiredInput, CliError> {
        let Some(bytes) = (if self.example { None } else { read_payload_bytes(may_be_blank)? }) else {
            return self.example();
        };
        let value = parse_payload(&bytes, self.event())?;
        if let Some((host, event_def)) = self.find_sender(&value)? {
            let is_recognised = self.host.is_none();
            let bytes = Arc::new(bytes);
            return Ok(FiredInput::Host(CapturedPayload { host, event_def, bytes, value, is_recognised }));
        }
        let event = self.event().ok_or_else(|| {
            CliError::invalid_input("the event is not known: none is named, and no known agent sends such a payload")
                .help("name the event, as in `pintle fire tool.pre PATH`; `pintle events` lists them")
        })?;
        Ok(FiredInput::Event(event.clone(), to_payload_input(event, value)?))
    }

    /// Returns the example of the named event.
    fn example(&self) -> Result<FiredInput, CliError> {
        match (self.host, self.event()) {
            (None, Some(event)) => Ok(FiredInput::Event(event.clone(), example_input(event))),
            (None, None) => Err(CliError::invalid_input("neither an event nor a payload is given")
                .help("name an event, as in `pintle fire tool.pre`, or write a payload to standard input")),
            (Some(host), _) => {
                let error = format!("there is no example of what {} sends", host.0.title);
                Err(CliError::invalid_input(error).help("write a payload of the agent to standard input"))
            }
        }
    }

    /// Finds the agent that sent a payload, and its event; `None` if it is a payload of Pintle's own.
    fn find_sender(&self, payload: &Value) -> Result<Option<HostEventMatch>, CliError> {
        if let Some(HostArgument(host)) = self.host {
            return self.find_event_of(host, payload).map(|def| Some((host, def)));
        }
        let mut found = recognise_payload(payload);
        // A name of docker-agent, such as `stop`, means an input of its hooks.
        let is_of_docker_agent = |word: &&str| ROWS.iter().any(|row| row.name == *word);
        if let (true, Some(word)) = (found.is_empty(), self.word().filter(|word| !is_of_docker_agent(word))) {
            found = hosts_reading(payload, word);
        }
        let fitting: Vec<HostEventMatch> = found.iter().copied().filter(|(_, def)| self.fits(def)).collect();
        match (found.as_slice(), fitting.as_slice()) {
            ([], _) => Ok(None),
            (_, [only]) => Ok(Some(*only)),
            ([(host, def), ..], []) => Err(self.conflict(host, def)),
            (_, several) => Err(ambiguous(several)),
        }
    }

    /// Finds the event of a payload that a host sent.
    fn find_event_of(&self, host: &'static HostDef, payload: &Value) -> Result<&'static HostEventDef, CliError> {
        let told = (host.event_name)(payload).or_else(|| (host.recognise)(payload));
        let told = told.and_then(|event| host.find_event(event));
        let named = self.word().and_then(|word| host.find_event(word));
        match (named, told, self.word()) {
            (Some(named), Some(told), _) if named.name != told.name => Err(self.conflict(host, told)),
            (Some(named), _, _) => Ok(named),
            (None, Some(told), _) if self.fits(told) => Ok(told),
            (None, Some(told), Some(_)) => Err(self.conflict(host, told)),
            (None, _, Some(word)) => {
                let near = suggest_nearest(word, host.events.iter().map(|def| def.name));
                let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                Err(CliError::invalid_input(format!("{} has no event `{word}`{near}", host.title)))
            }
            (None, _, None) => {
                let error = format!("the payload does not tell which event of {} it is of", host.title);
                let names: Vec<&str> = host.events.iter().map(|def| def.name).take(3).collect();
                Err(CliError::invalid_input(error).help(format!("name the event, such as `{}`", names.join("`, `"))))
            }
        }
    }

    /// Whether the named event, if any, is this one or one that it fires.
    fn fits(&self, def: &HostEventDef) -> bool {
        let fires = |event: &EventArgument| def.fired_events().any(|fired| fired == event.0);
        self.word().is_none_or(|word| def.name == word || self.event().is_some_and(fires))
    }

    fn conflict(&self, host: &HostDef, def: &HostEventDef) -> CliError {
        let word = single_line(self.word().unwrap_or_default(), 80);
        let what = format!("the payload is what {} sends for `{}`, which is not `{word}`", host.title, def.name);
        CliError::invalid_input(what).help(format!("name the event `{}`", def.name))
    }
}

fn ambiguous(several: &[HostEventMatch]) -> CliError {
    let titles: Vec<&str> = several.iter().map(|(host, _)| host.title).collect();
    let options: Vec<String> = several.iter().map(|(host, _)| format!("`--host {}`", host.name)).collect();
    let what = format!("several agents send such a payload: {}", titles.join(", "));
    CliError::invalid_input(what).help(format!("name the agent that sent it: {}", options.join(", ")))
}
