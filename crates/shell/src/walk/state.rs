//! What a line sets for its later commands, and the courses that it may take.
//!
//! Which commands run is often not known: behind `&&` and `||`, in branches and loops, or after a `cd` that may fail. The
//! walk follows all courses: its state, and the forks beside it. A list runs its commands in each of them.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::shared::SharedTable;
use super::{CommandWalk, ShellArg, TextFlow, TextTaint};
use crate::syntax::BashCommand;

/// The most courses that are followed one by one.
const MAX_STATES: usize = 6;
/// How many commands run in all courses if only the files count that they name.
const MAX_PRECISE: usize = 100;
/// The most variables or links that are kept: a copy of the state may copy them all.
pub(super) const MAX_ENTRIES: usize = 128;
/// The most traps of one shell.
const MAX_TRAPS: usize = 8;

/// How a command ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    #[default]
    Unknown,
    Success,
    Failure,
}

impl ExitStatus {
    pub(super) fn negated(self) -> Self {
        match self {
            Self::Unknown => Self::Unknown,
            Self::Success => Self::Failure,
            Self::Failure => Self::Success,
        }
    }
}

/// What a shell keeps from one command to the next. Copies share their tables until one of them changes.
#[derive(Debug, Clone, Default)]
pub(crate) struct WalkState {
    /// The working directory; `None` if it cannot be known.
    pub(crate) cwd: Option<Rc<Path>>,
    /// How the line names the working directory, if it cannot be known.
    pub(crate) cwd_source: Option<Rc<str>>,
    /// The one before, for `cd -`.
    pub(super) previous_cwd: Option<Rc<Path>>,
    /// Those that `pushd` left.
    pub(super) directories: Vec<Option<Rc<Path>>>,
    pub(super) variables: SharedTable<String, Vec<ShellArg>>,
    /// Arrays whose elements are in no known order.
    pub(super) unordered: SharedTable<String, ()>,
    /// Variables that are other names of variables.
    pub(super) references: SharedTable<String, String>,
    pub(super) functions: SharedTable<String, Rc<BashCommand>>,
    pub(super) aliases: SharedTable<String, String>,
    /// The links that the line makes.
    pub(super) links: SharedTable<PathBuf, PathBuf>,
    /// File descriptors that are connections, with their hosts.
    pub(super) connections: SharedTable<String, String>,
    /// What is read from other file descriptors.
    pub(super) inputs: SharedTable<String, TextFlow>,
    pub(super) status: ExitStatus,
    /// The course in which a `cd` failed that nothing depends on: it stays in the directory before.
    pub(super) is_stuck: bool,
    /// `set -e`.
    pub(super) stops_on_error: bool,
    /// Nothing more runs in this course.
    pub(super) is_over: bool,
}

impl WalkState {
    /// Gives a variable the value that it had before; `None` for none.
    pub(super) fn restore_variable(&mut self, name: &str, values: Option<Vec<ShellArg>>) {
        match values {
            Some(values) => drop(self.variables.insert(name.to_owned(), values)),
            None => drop(self.variables.remove(name)),
        }
    }

    /// One state for two: a directory or a variable that differs is unknown. Returns whether anything else differs, which
    /// is lost. `keeps_either`: a variable with two values has either.
    fn blur(&mut self, other: &Self, keeps_either: bool) -> bool {
        if self.cwd != other.cwd {
            self.cwd = None;
            self.cwd_source = None;
        }
        if self.previous_cwd != other.previous_cwd {
            self.previous_cwd = None;
        }
        if self.directories != other.directories {
            self.directories.clear();
        }
        if !self.variables.is_same(&other.variables, PartialEq::eq) {
            self.variables.add_missing(&other.variables, PartialEq::eq);
            for (name, values) in self.variables.to_mut() {
                let others = other.variables.get(name);
                if others != Some(values) {
                    let either = others.and_then(|others| either_value(values, others)).filter(|_| keeps_either);
                    if let Some(either) = either {
                        *values = vec![either];
                        continue;
                    }
                    let taint = taint_of(values) | others.map_or(TextTaint::NONE, |values| taint_of(values));
                    *values = vec![ShellArg::unknown(taint)];
                }
            }
        }
        self.status = ExitStatus::Unknown;
        self.unordered.add_missing(&other.unordered, PartialEq::eq);
        let agrees = [
            self.references.add_missing(&other.references, PartialEq::eq),
            self.functions.add_missing(&other.functions, Rc::ptr_eq),
            self.aliases.add_missing(&other.aliases, PartialEq::eq),
            self.links.add_missing(&other.links, PartialEq::eq),
            self.connections.add_missing(&other.connections, PartialEq::eq),
            self.inputs.add_missing(&other.inputs, PartialEq::eq),
        ];
        agrees.contains(&false)
    }

    /// Whether a directory exists for certain.
    fn has_directory(&self, path: &Path, walk: &CommandWalk<'_>) -> bool {
        let is_above = |known: Option<&Path>| known.is_some_and(|known| known.starts_with(path));
        is_above(self.cwd.as_deref())
            || is_above(Some(walk.site.project))
            || is_above(walk.site.home)
            || ["/tmp", "/var/tmp"].iter().any(|known| Path::new(known) == path)
            || walk.made_dirs.iter().any(|made| made.starts_with(path))
            || walk.is_dir_on_disk(path)
    }
}

impl PartialEq for WalkState {
    fn eq(&self, other: &Self) -> bool {
        self.status == other.status
            && self.is_stuck == other.is_stuck
            && self.is_over == other.is_over
            && self.stops_on_error == other.stops_on_error
            && is_same_path(self.cwd.as_ref(), other.cwd.as_ref())
            && is_same_path(self.previous_cwd.as_ref(), other.previous_cwd.as_ref())
            && self.directories == other.directories
            && self.variables.is_same(&other.variables, PartialEq::eq)
            && self.unordered.is_same(&other.unordered, PartialEq::eq)
            && self.references.is_same(&other.references, PartialEq::eq)
            && self.aliases.is_same(&other.aliases, PartialEq::eq)
            && self.links.is_same(&other.links, PartialEq::eq)
            && self.inputs.is_same(&other.inputs, PartialEq::eq)
            && self.connections.is_same(&other.connections, PartialEq::eq)
            && self.functions.is_same(&other.functions, Rc::ptr_eq)
    }
}

fn is_same_path(one: Option<&Rc<Path>>, other: Option<&Rc<Path>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => Rc::ptr_eq(one, other) || one.as_os_str() == other.as_os_str(),
        (one, other) => one.is_none() && other.is_none(),
    }
}

/// One of two known values.
fn either_value(values: &[ShellArg], others: &[ShellArg]) -> Option<ShellArg> {
    let ([one], [other]) = (values, others) else { return None };
    let mut texts = vec![&one.text];
    let more = one.otherwise.iter().chain([&other.text]).chain(&other.otherwise);
    more.for_each(|text| {
        if !texts.contains(&text) {
            texts.push(text)
        }
    });
    let [text, otherwise] = texts.as_slice() else { return None };
    Some(ShellArg {
        text: (*text).clone(),
        otherwise: Some((*otherwise).clone()),
        taint: one.taint | other.taint,
        is_pattern: one.is_pattern || other.is_pattern,
        ..ShellArg::default()
    })
}

fn taint_of(values: &[ShellArg]) -> TextTaint {
    values.iter().fold(TextTaint::NONE, |taint, value| taint | value.taint)
}

/// Which loops and functions a command leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExitReach {
    /// `break`, `continue`.
    Loop,
    /// `break 2`.
    Loops,
    /// `return`.
    Function,
}

impl CommandWalk<'_> {
    /// Runs in a shell of its own: what it sets is gone afterwards, but not what it did to files.
    pub(crate) fn in_subshell(&mut self, run: impl FnOnce(&mut Self) -> TextFlow) -> TextFlow {
        let before = self.state.clone();
        let (forks, exits) = (std::mem::take(&mut self.forks), std::mem::take(&mut self.exits));
        let traps = std::mem::take(&mut self.traps);
        let flow = run(self);
        self.run_traps();
        self.traps = traps;
        let ends = std::mem::replace(&mut self.forks, forks);
        self.exits = exits;
        let after = std::mem::replace(&mut self.state, before);
        // Links are files.
        for end in ends.iter().filter(|end| !end.links.is_same(&after.links, PartialEq::eq)) {
            self.forks.push(WalkState { links: end.links.clone(), ..self.state.clone() });
        }
        self.state.links = after.links;
        self.state.status = ExitStatus::Unknown;
        flow
    }

    /// Runs in another process of the shell. It has the functions that are exported: all of them, or none.
    pub(crate) fn in_new_shell(&mut self, mut run: impl FnMut(&mut Self) -> TextFlow) -> TextFlow {
        self.in_subshell(|walk| {
            // No shell takes it over.
            walk.state.variables.remove("IFS");
            if !walk.state.functions.is_empty() {
                let with_functions = walk.state.clone();
                walk.state.functions = SharedTable::default();
                walk.forks.push(with_functions);
            }
            walk.in_each_state(|walk| run(walk))
        })
    }

    /// Runs what leaves its own forks, beside those that are there.
    pub(super) fn with_own_forks<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::take(&mut self.forks);
        let done = run(self);
        self.forks.extend(outer);
        done
    }

    /// Runs in each course that the line may have taken.
    pub(super) fn in_each_state(&mut self, mut run: impl FnMut(&mut Self) -> TextFlow) -> TextFlow {
        if self.forks.is_empty() {
            let flow = if self.state.is_over { TextFlow::known("") } else { run(self) };
            if !self.forks.is_empty() {
                let ends = self.take_states();
                self.set_states(ends);
            }
            return flow;
        }
        let states = self.take_states();
        let mut ends = Vec::with_capacity(states.len());
        let mut flow: Option<TextFlow> = None;
        for state in states {
            self.state = state;
            if !self.state.is_over {
                let printed = run(self);
                flow = Some(match flow {
                    Some(before) => before.either(printed),
                    None => printed,
                });
            }
            ends.extend(self.take_states());
        }
        self.set_states(ends);
        flow.unwrap_or_else(|| TextFlow::known(""))
    }

    /// The state and its forks.
    pub(super) fn take_states(&mut self) -> Vec<WalkState> {
        let mut states = vec![std::mem::take(&mut self.state)];
        states.append(&mut self.forks);
        states
    }

    /// Goes on in these states, each of them once. What are too many become one.
    pub(super) fn set_states(&mut self, states: Vec<WalkState>) {
        let mut kept: Vec<WalkState> = Vec::with_capacity(states.len());
        let mut over = None;
        for state in states {
            if state.is_over {
                over = Some(state);
            } else if !kept.contains(&state) {
                kept.push(state);
            }
        }
        let most = match self.command_count > self.most_commands() / 2 {
            true => 1,
            false if self.notes.named.is_some() && self.command_count > MAX_PRECISE => 1,
            false => MAX_STATES,
        };
        if kept.len() > most {
            kept = self.blurred(kept);
        }
        let mut kept = kept.into_iter();
        self.state = kept.next().or(over).unwrap_or_default();
        self.forks.extend(kept);
    }

    /// Forgets how the last command ended, so that courses that differ in nothing else become one.
    pub(super) fn forget_status(&mut self) {
        if self.forks.is_empty() {
            self.state.status = ExitStatus::Unknown;
            return;
        }
        let mut states = self.take_states();
        for state in &mut states {
            state.status = ExitStatus::Unknown;
        }
        self.set_states(states);
    }

    /// Notes the state in which a loop or a function may be left.
    pub(super) fn note_exit(&mut self, span: ExitReach) {
        let is_inside = if span == ExitReach::Function { !self.running.is_empty() } else { self.loop_depth > 0 };
        if is_inside {
            self.exits.push((span, self.state.clone()));
            self.state.is_over = self.state.is_stuck;
        }
    }

    /// `exit`: a course that is assumed ends here. Any other goes on, for the command may be another one by that name.
    pub(super) fn note_end(&mut self) {
        self.state.is_over = self.state.is_stuck;
    }

    /// `set -e`.
    pub(crate) fn stop_on_error(&mut self, stops: bool) {
        self.state.stops_on_error = stops;
    }

    /// `pushd`: keeps the directory for `popd`.
    pub(crate) fn push_directory(&mut self) {
        let directory = self.state.cwd.clone();
        self.state.directories.push(directory);
    }

    pub(crate) fn pop_directory(&mut self) -> Option<Rc<Path>> {
        self.state.directories.pop().flatten()
    }

    /// `trap`: its text runs where it is set, and where the shell ends.
    pub(crate) fn set_trap(&mut self, text: &str) {
        if self.traps.len() < MAX_TRAPS && !self.traps.iter().any(|(_, known)| known == text) {
            self.traps.push((self.grammar, text.to_owned()));
        }
        self.in_subshell(|walk| walk.run_own_line(text, &TextFlow::default()));
    }

    /// Runs the traps of a shell that ends, in each of its states.
    pub(crate) fn run_traps(&mut self) {
        // A trap may set another one.
        let mut traps = std::mem::take(&mut self.traps);
        for _ in 0..2 {
            for (grammar, text) in traps {
                self.forget_status();
                self.in_each_state(|walk| walk.run_line_in(grammar, &text, &TextFlow::default()));
            }
            traps = std::mem::take(&mut self.traps);
        }
    }

    /// `cd`: in the course in which it fails, the directory stays, and so with the next ones.
    pub(crate) fn change_directory(&mut self, directory: Option<Rc<Path>>, source: Option<Rc<str>>) {
        let is_certain = directory.as_ref().is_some_and(|path| self.state.has_directory(path, self));
        let is_above =
            directory.as_ref().is_some_and(|path| self.state.cwd.as_ref().is_some_and(|cwd| cwd.starts_with(path)));
        if self.state.is_stuck && (is_above || !is_certain) {
            self.state.status = ExitStatus::Failure;
            return;
        }
        let before = self.state.clone();
        self.state.previous_cwd = std::mem::replace(&mut self.state.cwd, directory);
        self.state.cwd_source = source;
        self.state.is_stuck = false;
        if !is_certain && self.state.cwd != before.cwd {
            self.forks.push(WalkState { is_stuck: true, status: ExitStatus::Failure, ..before });
        }
    }

    /// A table of the state is full. It is said once.
    pub(super) fn push_full(&mut self) {
        if !std::mem::replace(&mut self.is_full, true) {
            self.push_unknown("", "it sets more variables or makes more links than can be looked at");
        }
    }

    /// At most two states: what they have in common, and the same for the stuck ones.
    pub(super) fn blurred(&mut self, states: Vec<WalkState>) -> Vec<WalkState> {
        let mut kept: Vec<WalkState> = Vec::with_capacity(2);
        let mut loses = false;
        let keeps_either = self.notes.named.is_some();
        for state in states {
            match kept.iter_mut().find(|known| known.is_stuck == state.is_stuck) {
                Some(known) => loses |= known.blur(&state, keeps_either),
                None => kept.push(state),
            }
        }
        if loses {
            self.push_unknown("", "it may take more courses than can be followed");
        }
        kept
    }
}
