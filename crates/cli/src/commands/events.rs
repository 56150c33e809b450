//! `pintle events`: shows the event catalogue.

use clap::Args;
use pintle_host::dialects::{DIALECTS, EventSupport};
use pintle_host::event::{CATALOGUE, EventDef, RewriteTarget};
use pintle_host::tape::show::{StyledLine, Tone};
use serde_json::{Map, Value, json};

use crate::error::{CliError, CliStatus};
use crate::options::{GlobalOptions, RowArgument};
use crate::render::{enum_word, style, table};
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(crate) struct EventsArgs {
    /// Show everything about this event.
    #[arg(value_name = "EVENT")]
    event: Option<RowArgument>,
}

impl EventsArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        match (self.event, global.json) {
            (None, true) => {
                terminal.print_json(&CATALOGUE.iter().map(|def| event_def_to_json(def)).collect::<Vec<_>>())
            }
            (None, false) => terminal.print_lines(&render_overview()),
            (Some(event), true) => terminal.print_json(&event_def_to_json(event.0)),
            (Some(event), false) => print_event(event.0, terminal),
        }
        Ok(CliStatus::Done)
    }
}

fn render_overview() -> Vec<StyledLine> {
    let rows: Vec<[String; 5]> = CATALOGUE
        .iter()
        .map(|def| {
            let subject = def.subject.unwrap_or("-");
            // An alias that equals the event's name is not listed, and one of several dialects once.
            let mut others: Vec<String> = Vec::new();
            for name in aliases_of(def).filter_map(|(_, name)| name).filter(|name| name != def.name) {
                if !others.contains(&name) {
                    others.push(name);
                }
            }
            let others = if others.is_empty() { String::from("-") } else { others.join(", ") };
            [def.name, &others, def.class.to_string().as_str(), subject, def.fires_when].map(str::to_owned)
        })
        .collect();
    table::render_table(["EVENT", "ALSO", "CLASS", "SUBJECT", "FIRES WHEN"], &rows)
}

/// Prints the definition of one event.
fn print_event(def: &EventDef, terminal: &Terminal) {
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap_or_default();
    let fact = |name: &str, text: &str| {
        terminal.print_line(format!("{}  {text}", style::paint_text(Tone::Quiet, format!("{name:<12}"))))
    };
    terminal.print_line(def.name);
    terminal.print_line("");
    fact("fires", def.fires_when);
    fact("class", &def.class.to_string());
    fact("subject", def.subject.unwrap_or("none"));
    fact("rewrites", &target_text(def.target));
    fact("deny", def.deny_means);
    fact("context", &enum_word(&def.context));
    fact("failure", &format!("{} unless the hook sets another policy", enum_word(&def.on_failure)));
    for (dialect, name) in aliases_of(def) {
        fact(dialect, &name.unwrap_or_else(|| String::from("not supported")));
    }
    terminal.print_line("\nexample payload");
    terminal.print_line(pretty(&def.example()));
    terminal.print_line("\nschema of the payload");
    terminal.print_line(pretty(def.schema()));
}

fn event_def_to_json(def: &EventDef) -> Value {
    let dialects: Map<String, Value> =
        aliases_of(def).map(|(dialect, name)| (dialect.to_owned(), name.map_or(Value::Null, Value::String))).collect();
    json!({
        "name": def.name,
        "fires": def.fires_when,
        "class": def.class,
        "subject": def.subject,
        "target": def.target,
        "deny": def.deny_means,
        "context": def.context,
        "on_failure": def.on_failure,
        "dialects": dialects,
        "example": def.example(),
        "schema": def.schema(),
    })
}

/// Returns the event's alias in each dialect, `None` if the dialect does not support it.
fn aliases_of(def: &EventDef) -> impl Iterator<Item = (&'static str, Option<String>)> {
    DIALECTS.iter().map(move |dialect| {
        let name = match dialect.events.support(def) {
            EventSupport::Native(name) => Some(name.to_owned()),
            EventSupport::Addition => Some(def.name.to_owned()),
            EventSupport::Unsupported => None,
        };
        (dialect.name, name)
    })
}

fn target_text(target: RewriteTarget) -> String {
    match target {
        RewriteTarget::Nothing => String::from("nothing"),
        RewriteTarget::Whole => String::from("the whole payload"),
        RewriteTarget::Fields(fields) => fields.join(", "),
    }
}
