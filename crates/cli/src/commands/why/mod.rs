//! `pintle why`: says why a decision was made.

mod story;

use std::path::Path;

use clap::Args;
use jiff::tz::TimeZone;
use pintle_host::tape::decisions::{DecisionLabel, RecordedDecision};
use pintle_host::tape::record::VerdictLabel;
use pintle_host::tape::show::{StyledLine, Tone, single_line};
use pintle_host::{Decision, files};
use pintle_log::{LogEntry, LogQuery, call_text, time_text};

pub(super) use self::story::StoryReader;
use self::story::{DispatchStory, RecordedCall};
use super::log::{agent_text, word_tone};
use crate::error::{CliError, CliStatus};
use crate::options::{FollowedLog, GlobalOptions, LAST, LogTapeOptions};
use crate::render::path_text;
use crate::render::wrap::{render_indented, render_labelled};
use crate::terminal::Terminal;

pub(crate) const LONG_ABOUT: &str = "Say why a decision of the log was made: each hook that was called with its verdict, its time and its file, and what \
     the hooks changed. `pintle log` lists the IDs.";

/// Most characters of a text.
const TEXT_CHARS: usize = 4_000;

#[derive(Debug, Args)]
pub(crate) struct WhyArgs {
    /// ID of a decision, as `pintle log` lists it, or `last`: the newest one that was not simply allowed.
    #[arg(value_name = "ID", default_value = LAST)]
    id: String,
    #[command(flatten)]
    tapes: LogTapeOptions,
}

impl WhyArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let mut log = self.tapes.open_log(terminal)?;
        let entry = find_entry(&mut log, &self.id)?;
        let story = DispatchStory::read(&entry)
            .map_err(|error| CliError::invalid_input(format!("`{}`: {error}", entry.tape.display())))?;
        if global.json {
            terminal.print_json(&story.to_json(&entry));
        } else {
            terminal.print_lines(&story.render(&entry));
        }
        Ok(CliStatus::Done)
    }
}

pub(super) fn find_entry(log: &mut FollowedLog, id: &str) -> Result<LogEntry, CliError> {
    if id == LAST {
        let words = vec![DecisionLabel::Denied, DecisionLabel::Asked, DecisionLabel::Rewritten];
        let newest = LogQuery { limit: Some(1), words, with_failures: true, ..LogQuery::default() };
        let found = log.find_entries(&newest)?;
        return found.into_iter().next_back().ok_or_else(|| {
            CliError::invalid_input("nothing was denied, asked, changed or failed yet")
                .help("`pintle log` lists every decision")
        });
    }
    let mut found = log.find_by_id(id)?;
    match found.len() {
        0 => Err(CliError::invalid_input(format!("the log has no decision `{id}`"))
            .help("`pintle log` lists the IDs; `last` is the newest decision that was not simply allowed")),
        1 => Ok(found.remove(0)),
        count => {
            let ids: Vec<String> = found.iter().take(3).map(|entry| format!("`{}`", entry.long_id)).collect();
            Err(CliError::invalid_input(format!("`{id}` is ambiguous: {count} decisions have this ID"))
                .help(format!("type more of the ID: {}", ids.join(", "))))
        }
    }
}

impl DispatchStory {
    fn render(&self, entry: &LogEntry) -> Vec<StyledLine> {
        let decision = &entry.decision;
        let mut head = StyledLine::new(word_tone(decision.word()), decision.word().as_str());
        head.push(Tone::Plain, format!(": {}", call_text(decision, TEXT_CHARS)));
        let mut lines = vec![head];
        let mut add = |label: &str, tone: Tone, text: &str| lines.extend(render_labelled(label, tone, text));
        let time = time_text(decision.at_ms, &TimeZone::system());
        let turn = decision.origin.turn;
        add("when", Tone::Plain, &if turn == 0 { time } else { format!("{time}, turn {turn}") });
        let agent = agent_text(entry);
        let project = entry.project.as_deref().map(|project| format!(" in {}", shown_path(Path::new(project))));
        add("agent", Tone::Plain, &format!("{agent}{}", project.unwrap_or_default()));
        add(
            "event",
            Tone::Plain,
            &format!("{} of session {}, {}", decision.event, single_line(&entry.session, 80), entry.id),
        );
        match (decision.rule(), decision.deciding_hook()) {
            (Some(rule), _) => add("rule", Tone::Plain, rule),
            (None, Some(hook)) => add("by", Tone::Plain, &single_line(hook, 80)),
            (None, None) => {}
        }
        if !decision.reasons.is_empty() {
            add("reason", Tone::Plain, &single_line(&decision.reason(), TEXT_CHARS));
        }
        if decision.decision == Some(Decision::Ask) && decision.told == Some(Decision::Deny) {
            add("note", Tone::Warn, &format!("{agent} cannot ask its user here, so the call was denied instead"));
        }
        for failed in &decision.failures {
            let effect = if failed.denied { "which denies" } else { "and was left out" };
            let message = single_line(&failed.message, TEXT_CHARS);
            add("failed", Tone::Warn, &format!("{}, {effect}: {message}", single_line(&failed.hook, 80)));
        }
        if self.calls.is_empty() {
            add("hooks", Tone::Quiet, "none was called");
        } else {
            lines.push(StyledLine::new(Tone::Quiet, format!("hooks of {}", decision.event)));
            lines.extend(self.calls.iter().flat_map(|call| call.render(decision)));
        }
        if self.changed.is_some() {
            lines.push(StyledLine::new(Tone::Quiet, "changed by hooks"));
            lines.extend(self.render_changes());
        }
        lines.push(StyledLine::new(Tone::Quiet, format!("all of it: pintle tape show {}", shown_path(&entry.tape))));
        lines
    }

    /// The fields that differ, as they were and as they are.
    fn render_changes(&self) -> Vec<StyledLine> {
        let mut lines = Vec::new();
        for change in self.changes() {
            let field = single_line(&change.field, 120);
            let sides = [("-", Tone::Bad, change.before), ("+", Tone::Good, change.after)];
            for (sign, tone, value) in sides {
                let Some(value) = value else { continue };
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let text = self.removed.display_text(&text, TEXT_CHARS);
                lines.extend(render_indented(2, tone, &format!("{sign} {field}: {text}")));
            }
        }
        lines
    }
}

impl RecordedCall {
    fn render(&self, decision: &RecordedDecision) -> Vec<StyledLine> {
        let decides = decision.reasons.iter().any(|reason| reason.hook.as_str() == self.hook);
        let tone = match self.verdict.as_ref().map(|verdict| verdict.kind) {
            Some(VerdictLabel::Deny | VerdictLabel::Failed) => Tone::Bad,
            Some(VerdictLabel::Ask | VerdictLabel::Rewrite) => Tone::Warn,
            Some(VerdictLabel::Allow) => Tone::Good,
            _ if self.skipped.is_some() => Tone::Warn,
            _ => Tone::Quiet,
        };
        let recheck = if self.is_recheck { ", again" } else { "" };
        let place = self.place().map(|place| format!(", {place}")).unwrap_or_default();
        let text = format!("{}: {}{recheck}, {} us{place}", single_line(&self.hook, 80), self.word(), self.duration_us);
        let mut lines = render_indented(2, tone, &text);
        let verdict = self.verdict.as_ref();
        // The reasons that decided are said above.
        let reason = verdict.and_then(|verdict| verdict.reason.as_deref()).filter(|_| !decides);
        let failure = verdict.and_then(|verdict| verdict.failure.as_ref()).map(|failure| {
            let line = failure.line.map(|line| format!(", line {line}")).unwrap_or_default();
            format!("{}: {}{line}", failure.kind, failure.message)
        });
        let texts = [reason.map(str::to_owned), failure, self.skipped.clone()];
        for text in texts.into_iter().flatten().filter(|text| !text.is_empty()) {
            lines.extend(render_indented(4, Tone::Plain, &single_line(&text, TEXT_CHARS)));
        }
        for (number, text) in self.deciding_lines() {
            lines.extend(render_indented(4, Tone::Plain, &format!("line {number}: {}", single_line(text.trim(), 200))));
        }
        let warnings = verdict.iter().flat_map(|verdict| verdict.warnings.iter());
        lines.extend(warnings.flat_map(|text| render_indented(4, Tone::Warn, &single_line(text, TEXT_CHARS))));
        lines
    }

    /// The file and line where the hook is declared.
    fn place(&self) -> Option<String> {
        let declared = self.declared.as_ref()?;
        let path = shown_path(Path::new(declared.path.as_ref()?));
        Some(declared.line.map_or_else(|| path.clone(), |line| format!("{path}:{line}")))
    }

    /// The lines of the hook's file that hold its reason, if the file is still the one that was loaded.
    fn deciding_lines(&self) -> Vec<(usize, String)> {
        let Some(reason) = self.verdict.as_ref().and_then(|verdict| verdict.reason.as_deref()) else {
            return Vec::new();
        };
        let Some(declared) = &self.declared else { return Vec::new() };
        let text = declared.path.as_ref().and_then(|path| files::read_text(path).ok());
        let text = text.filter(|text| declared.was_loaded_from(text)).unwrap_or_default();
        let holds = |line: &&(usize, &str)| !reason.is_empty() && line.1.contains(reason);
        let numbered: Vec<(usize, &str)> = text.lines().enumerate().map(|(index, line)| (index + 1, line)).collect();
        numbered.iter().filter(holds).map(|(number, line)| (*number, (*line).to_owned())).take(3).collect()
    }
}

/// A path that a tape names, which may be anything.
fn shown_path(path: &Path) -> String {
    single_line(&path_text(path), TEXT_CHARS)
}
