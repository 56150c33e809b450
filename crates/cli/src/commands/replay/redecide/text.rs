//! The report as text.

use std::path::PathBuf;

use jiff::tz::TimeZone;
use pintle_host::redecide::{ChangeDirection, ChangeGroup, ChangeSource, PolicyAnswer, PolicyResult, RedecidedCall};
use pintle_host::tape::decisions::describe_payload;
use pintle_host::tape::show::{StyledLine, Tone, single_line};
use pintle_log::time_text;

use super::{ComparisonTask, ExampleCount, ReadTape, RedecisionResult};
use crate::render::count_text;
use crate::terminal::Terminal;

/// Most characters of a call and of a reason.
const LONG_CHARS: usize = 300;
/// Most characters of a name.
const NAME_CHARS: usize = 40;
/// How much of a session's ID names its file.
const SESSION_DIGITS: usize = 8;
/// The most lines about who decides what.
const MOST_SOURCES: usize = 12;
/// The most tapes that are named because they cannot be read.
const MOST_NOTES: usize = 3;

/// Prints the report.
pub(super) fn print_result(result: &RedecisionResult, task: &ComparisonTask<'_>, terminal: &Terminal) {
    let report = &result.report;
    let names = |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    let hooks = names(task.hooks);
    let title = match task.base {
        Some(base) => format!("decided by {} -> {hooks}", names(base)),
        None => format!("decided again by {hooks}"),
    };
    let words = if task.base.is_some() { ["before", "after"] } else { ["then", "now"] };
    let calls = count_text(to_usize(report.calls), "tool call");
    let events = count_text(to_usize(report.events), "other event");
    let compared = match &result.examples {
        Some(_) => String::from("from examples of both; no recorded calls"),
        None => format!("of {}", count_text(result.tapes.len(), "session")),
    };
    let mut lines = vec![
        StyledLine::new(Tone::Plain, format!("{title}: {calls} and {events} {compared}")),
        StyledLine::new(Tone::Quiet, format!("unchanged: {}", report.unchanged)),
    ];
    for ((before, after), group) in &report.changes {
        let tone = match ChangeDirection::between(*before, *after) {
            ChangeDirection::Looser => Tone::Bad,
            ChangeDirection::Stricter | ChangeDirection::Other => Tone::Warn,
        };
        let changed = if before == after { "rewritten -> rewritten otherwise" } else { "" };
        let title = match changed {
            "" => format!("{} -> {}", before.as_str(), after.as_str()),
            title => title.to_owned(),
        };
        lines.push(StyledLine::new(tone, format!("{title}: {}", group.count)));
        push_group(&mut lines, group, result, words);
    }
    let undecided: u64 = report.undecided.values().map(|group| group.count).sum();
    if undecided > 0 {
        lines.push(StyledLine::new(Tone::Warn, format!("not decided: {undecided}")));
        for (gap, group) in &report.undecided {
            let name = single_line(&gap.hook, NAME_CHARS);
            lines.push(StyledLine::new(
                Tone::Plain,
                format!("  {} {name} {}", group.count, single_line(&gap.reason, LONG_CHARS)),
            ));
            group.examples.iter().for_each(|call| lines.push(call_line(call, result, None)));
        }
    }
    terminal.print_lines(&lines);
    print_notes(result, terminal);
}

fn push_group(lines: &mut Vec<StyledLine>, group: &ChangeGroup, result: &RedecisionResult, words: [&str; 2]) {
    let [before_word, after_word] = words;
    let mut sources: Vec<(&ChangeSource, u64)> = group.by.iter().map(|(source, count)| (source, *count)).collect();
    sources.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (source, count) in sources.iter().take(MOST_SOURCES) {
        let by = source.rule.as_deref().or(source.hook.as_deref()).unwrap_or("no hook");
        let (by, subject) = (single_line(by, NAME_CHARS), single_line(&source.subject, NAME_CHARS));
        lines.push(StyledLine::new(Tone::Plain, format!("  {count:>6}  {subject}  by {by}")));
    }
    if let Some(more) = sources.len().checked_sub(MOST_SOURCES).filter(|more| *more > 0) {
        lines.push(StyledLine::new(Tone::Quiet, format!("          and {more} more, which `--json` lists")));
    }
    for call in &group.examples {
        let (answer, word) = match call.after.result > call.before.result {
            true => (&call.after, after_word),
            false => (&call.before, before_word),
        };
        lines.push(call_line(call, result, Some((answer, word))));
    }
}

/// A call: its time, ID and agent, unless it is an example, what it does, and why the stricter answer is as it is.
fn call_line(call: &RedecidedCall, result: &RedecisionResult, answer: Option<(&PolicyAnswer, &str)>) -> StyledLine {
    let mut line = StyledLine::new(Tone::Quiet, String::from("  "));
    if result.examples.is_none() {
        line.push(Tone::Quiet, record_text(call, result));
    }
    let text = format!("{}: {}", single_line(&call.subject(), NAME_CHARS), single_line(&call.call, LONG_CHARS));
    line.push(Tone::Plain, text.strip_suffix(": ").unwrap_or(&text).to_owned());
    if let Some((answer, word)) = answer {
        let by = answer.rule.as_deref().or(answer.hook.as_deref()).map(|by| single_line(by, NAME_CHARS));
        let reason = single_line(&answer.reason, LONG_CHARS);
        let what = [by.unwrap_or_default(), reason].into_iter().filter(|text| !text.is_empty());
        let what = what.collect::<Vec<_>>().join(": ");
        let left = answer.rewritten.as_ref().filter(|_| answer.result == PolicyResult::Rewritten && call.is_tool_call);
        let changed =
            left.map(|left| format!(" to {}", single_line(&describe_payload(&call.event, left).1, LONG_CHARS)));
        if !what.is_empty() {
            line.push(Tone::Quiet, format!("  {word} {what}{}", changed.unwrap_or_default()));
        }
    }
    line
}

/// The time, ID and agent of a recorded call.
fn record_text(call: &RedecidedCall, result: &RedecisionResult) -> String {
    let tape = result.tapes.get(call.tape);
    let id = tape.and_then(|tape| tape.entry_id(call)).unwrap_or_else(|| {
        let is_tape = tape.is_none_or(|tape| tape.client.is_none());
        let session = call.session.chars().take(SESSION_DIGITS).collect::<String>();
        if is_tape {
            format!("record {}", call.seq)
        } else {
            format!("{}:{}", single_line(&session, NAME_CHARS), call.seq)
        }
    });
    let agent = tape.and_then(|tape| tape.location.host.as_deref()).unwrap_or(&call.agent);
    let time = time_text(call.at_ms, &TimeZone::system());
    format!("{time}  {id:<10}  {:<8}  ", single_line(agent, NAME_CHARS))
}

fn print_notes(result: &RedecisionResult, terminal: &Terminal) {
    let report = &result.report;
    if result.tapes.is_empty() {
        match &result.examples {
            None => terminal.print_note("no session is recorded here that these options select"),
            Some(examples) => print_example_notes(examples, result, terminal),
        }
        return;
    }
    if report.own_denials > 0 {
        let calls = count_text(to_usize(report.own_denials), "call");
        terminal.print_note(format!("{calls} that Pintle itself denied left out: other hooks do not change that"));
    }
    if report.unfinished > 0 {
        let count = report.unfinished;
        terminal.print_note(format!("{count} left out, because the tapes end before the decision about them"));
    }
    if !result.unheard_events.is_empty() {
        let events = result.unheard_events.join(", ");
        terminal.print_note(format!("hooks listen to events that no tape has, and were not called for them: {events}"));
    }
    let problems: Vec<(&ReadTape, &String)> =
        result.tapes.iter().filter_map(|tape| Some((tape, tape.problem.as_ref()?))).collect();
    for (tape, problem) in problems.iter().take(MOST_NOTES) {
        let path = tape.location.path.display();
        terminal.print_note(format!("`{path}` was decided as far as it can be read: {}", single_line(problem, 400)));
    }
    if let Some(more) = problems.len().checked_sub(MOST_NOTES).filter(|more| *more > 0) {
        terminal.print_note(format!("{more} more tapes cannot be read to their end"));
    }
}

/// What the calls of examples are, and what they do not show.
fn print_example_notes(examples: &ExampleCount, result: &RedecisionResult, terminal: &Terminal) {
    let ExampleCount { written, derived, left_out } = examples;
    terminal.print_note(format!(
        "{written} from the examples of hooks, packs and rules and from case files, and {derived} derived from those and from \
         the words of rules; equal answers about them do not prove that the sets are equal"
    ));
    if *left_out > 0 {
        terminal.print_note(format!("{left_out} more were left out"));
    }
    if !result.unheard_events.is_empty() {
        let events = result.unheard_events.join(", ");
        terminal
            .print_note(format!("hooks listen to events without an example, and were not called for them: {events}"));
    }
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
