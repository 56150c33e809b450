//! `pintle events`: shows the event catalogue.

use clap::Args;
use pintle::dialects::{DIALECTS, EventSupport};
use pintle::event::{CATALOGUE, EventDef, RewriteTarget};
use pintle::tape::show::{StyledLine, Tone};
use serde_json::{Map, Value, json};

use crate::error::{CliError, CliStatus};
use crate::options::{RowArgument, GlobalOptions};
use crate::render::{table, style};
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
            (None, true) => terminal.print_json(&CATALOGUE.iter().map(|row| event_def_to_json(row)).collect::<Vec<_>>()),
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
        .map(|row| {
            let subject = row.subject.unwrap_or("-");
            // An alias that equals the event's name is not listed.
            let others: Vec<String> = aliases_of(row).filter_map(|(_, name)| name).filter(|name| name != row.name).collect();
            let others = if others.is_empty() { String::from("-") } else { others.join(", ") };
            [row.name, &others, row.class.to_string().as_str(), subject, row.fires_when].map(str::to_owned)
        })
        .collect();
    table::render_table(["EVENT", "ALSO", "CLASS", "SUBJECT", "FIRES WHEN"], &rows)
}

/// Prints the definition of one event.
fn print_event(row: &EventDef, terminal: &Terminal) {
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap_or_default();
    let fact = |name: &str, text: &str| terminal.print_line(format!("{}  {text}", style::paint_text(Tone::Quiet, format!("{name:<12}"))));
    terminal.print_line(row.name);
    terminal.print_line("");
    fact("fires", row.fires_when);
    fact("class", &row.class.to_string());
    fact("subject", row.subject.unwrap_or("none"));
    fact("rewrites", &target_text(row.target));
    fact("deny", row.deny_means);
    fact("context", &enum_word(&row.context));
    fact("failure", &format!("{} unless the hook sets another policy", enum_word(&row.on_failure)));
    for (dialect, name) in aliases_of(row) {
        fact(dialect, &name.unwrap_or_else(|| String::from("not supported")));
    }
    terminal.print_line("\nexample payload");
    terminal.print_line(pretty(&(row.example)()));
    terminal.print_line("\nschema of the payload");
    terminal.print_line(pretty(&(row.schema)()));
}

fn event_def_to_json(row: &EventDef) -> Value {
    let dialects: Map<String, Value> =
        aliases_of(row).map(|(dialect, name)| (dialect.to_owned(), name.map_or(Value::Null, Value::String))).collect();
    json!({
        "name": row.name,
        "fires": row.fires_when,
        "class": row.class,
        "subject": row.subject,
        "target": row.target,
        "deny": row.deny_means,
        "context": row.context,
        "on_failure": row.on_failure,
        "dialects": dialects,
        "example": (row.example)(),
        "schema": (row.schema)(),
    })
}

/// Returns the event's alias in each dialect, `None` if the dialect does not support it.
fn aliases_of(row: &EventDef) -> impl Iterator<Item = (&'static str, Option<String>)> {
    DIALECTS.iter().map(move |dialect| {
        let name = match dialect.support(row) {
            EventSupport::Native(name) => Some(name.to_owned()),
            EventSupport::Addition => Some(row.name.to_owned()),
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

/// Returns the serialized name of an enum variant.
fn enum_word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        other => other.unwrap_or_default().to_string(),
    }
}
