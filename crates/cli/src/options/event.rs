//! Event names as users type them.

use std::str::FromStr;
use std::sync::Arc;

use pintle_host::HookSet;
use pintle_host::contract::suggest_nearest;
use pintle_host::dialects::DIALECTS;
use pintle_host::event::{CATALOGUE, EventDef};
use pintle_host::{Event, EventKind, EventName, Hook, Origin};
use serde_json::Value;

/// An event named on the command line, and the dialect's alias for it if that is what was typed.
#[derive(Debug, Clone)]
pub(crate) struct EventArgument(pub(crate) EventName, pub(crate) Option<String>);

/// A host fires the first of these events before the second; some dialect has the same alias for both.
const ASKED_FIRST: (EventKind, EventKind) = (EventKind::ToolGuard, EventKind::ToolPre);

impl EventArgument {
    /// Returns the event that a host fires before this one, if hooks listen to it under the typed alias.
    pub(crate) fn preceding_event(&self, hooks: &HookSet, payload: &Value, origin: &Arc<Origin>) -> Option<Event> {
        let typed = self.1.as_deref().filter(|_| self.0.kind() == ASKED_FIRST.1)?;
        let listens = |hook: &Hook| hook.event.kind() == ASKED_FIRST.0 && &*hook.event_alias == typed;
        hooks.hooks().find(|(_, hook)| listens(hook))?;
        let name = EventName::from(ASKED_FIRST.0);
        let mut payload = payload.clone();
        name.complete(&mut payload).ok()?;
        Some(Event::new(name, payload, Arc::clone(origin)))
    }
}

impl FromStr for EventArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let of_dialect = || DIALECTS.iter().find_map(|dialect| dialect.events.find(text).ok());
        let unknown = match EventName::parse(text) {
            // A name that fits a family may be a dialect's alias for another event of that family
            // (`meta.tool_register`).
            Ok(name) if name.def().family().is_some() => return Ok(Self(of_dialect().unwrap_or(name), None)),
            Ok(name) => return Ok(Self(name, None)),
            Err(unknown) => unknown,
        };
        if CATALOGUE.iter().any(|def| def.name == text) {
            let one = text.replace('*', "NAME");
            return Err(format!("`{text}` is a family of events; name one of them, such as `{one}` in lower case"));
        }
        // A mistyped alias is nearer to that alias than to a canonical name.
        let near = || suggest_nearest(text, DIALECTS.iter().flat_map(|dialect| dialect.events.names()));
        of_dialect().map(|name| Self(name, Some(text.to_owned()))).ok_or_else(|| {
            match near().filter(|_| unknown.suggestion.is_none()) {
                Some(near) => format!("{unknown}; did you mean `{near}`?"),
                None => format!("{unknown}; `pintle events` lists them"),
            }
        })
    }
}

/// An event definition named on the command line: by one of its events, or by its family.
#[derive(Debug, Clone)]
pub(crate) struct RowArgument(pub(crate) &'static EventDef);

impl FromStr for RowArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match CATALOGUE.iter().find(|def| def.name == text) {
            Some(def) => Ok(Self(def)),
            None => text.parse::<EventArgument>().map(|event| Self(event.0.def())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_leads_to_the_nearest_name_of_any_dialect() {
        let cases = [("pre_tol_use", "`pre_tool_use`"), ("tol.pre", "`tool.pre`"), ("zzz", "`pintle events`")];
        for (typed, near) in cases {
            let error = typed.parse::<EventArgument>().unwrap_err();
            assert!(error.contains(near), "{error}");
        }
    }

    #[test]
    fn a_dialects_name_is_its_event_and_a_canonical_one_itself() {
        let cases = [
            ("tool.pre", "tool.pre"),
            ("meta.register_tool", "meta.register_tool"),
            ("meta.tool_register", "meta.register_tool"),
            ("meta.hook_register", "meta.register_hook"),
            ("custom.deploy", "custom.deploy"),
        ];
        for (typed, event) in cases {
            assert_eq!(typed.parse::<EventArgument>().unwrap().0.as_str(), event);
        }
    }
}
