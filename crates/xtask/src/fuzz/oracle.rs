//! Compares the reader of command lines with the shells themselves.
//!
//! A program of the grammar runs in the real shell. If it makes the marker, the reader must have found the command that
//! makes it, or something unknown that the user is asked about.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use pintle_host::shell::{CallSite, OperationKind, ShellLanguage, operations_of_command};
use xtask::{ChoreReport, SourceWorkspace};

use super::grammar::{GrammarProgram, GrammarTable, MARKER};
use super::random::RandomNumbers;
use super::run_program::RealShell;

/// Programs that were once missed: they are tried first. A line is a shell, a blank and a program.
const ONCE_MISSED: &str = "crates/shell/tests/missed.txt";
/// The most misses that are made smaller.
const MAX_SHOWN: usize = 60;

/// What the reader says of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReaderAnswer {
    /// It runs the marker.
    Runs,
    /// It may run something that is not known.
    Unknown,
    /// Nothing runs.
    Silent,
}

/// What was counted.
#[derive(Debug, Default)]
struct OracleTally {
    ran: u64,
    /// The programs that ran, but of which something is unknown.
    unknown: u64,
    /// The programs that did not run, but the reader says so.
    over: u64,
    /// The programs that did not run, and are unknown.
    over_unknown: u64,
    /// Smallest programs, with the seed and number of one that holds them.
    misses: BTreeMap<String, String>,
    missed: u64,
}

pub(super) fn run(workspace: &SourceWorkspace, arguments: &[String]) -> Result<ChoreReport, String> {
    let mut numbers = Vec::new();
    let mut shells = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--shell" => shells.push(arguments.next().ok_or("--shell needs a name")?.as_str()),
            _ => numbers.push(argument.clone()),
        }
    }
    let [count, seed] = super::numbers(&numbers, [2_000, 1])?;
    let shells = if shells.is_empty() { vec!["bash", "dash"] } else { shells };
    let once_missed = fs::read_to_string(workspace.root.join(ONCE_MISSED)).unwrap_or_default();
    let mut report = ChoreReport { lines: Vec::new(), passed: true };
    for shell in shells {
        let started = Instant::now();
        let tally = try_shell(shell, count, seed, &once_missed)?;
        report.passed &= tally.missed == 0;
        report.lines.extend(tally.misses.iter().map(|(program, place)| format!("missed: {program} ({place})")));
        report.lines.push(format!(
            "{shell}: {count} programs, seed {seed}: {} ran, {} missed, {} of those that ran are unknown in part; {} did \
             not run but are read so, {} more are unknown; {} s",
            tally.ran,
            tally.missed,
            tally.unknown,
            tally.over,
            tally.over_unknown,
            started.elapsed().as_secs()
        ));
    }
    Ok(report)
}

/// Tries programs on both sides, on all cores.
fn try_shell(name: &str, count: u64, seed: u64, once_missed: &str) -> Result<OracleTally, String> {
    let root = tempfile::tempdir().map_err(|error| error.to_string())?;
    let trial =
        OracleTrial { shell: RealShell::new(name, root.path())?, grammar: GrammarTable::of_shell(name)?, seed, name };
    trial.shell.check("before")?;
    let mut tally = OracleTally::default();
    let of_shell = once_missed.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    for (index, line) in of_shell.enumerate() {
        trial.check(&line.replace('⏎', "\n").replace('⇥', "\t"), None, &format!("line {}", index + 1), &mut tally)?;
    }
    let next = AtomicU64::new(0);
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    let all = std::thread::scope(|scope| {
        let work = || {
            let mut tally = OracleTally::default();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= count {
                    return Ok(tally);
                }
                let program = trial.grammar.draw(&mut RandomNumbers::new(seed.wrapping_mul(1 << 32) + index));
                let text = trial.grammar.text_of(&program);
                trial.check(&text, Some(program), &format!("seed {seed}, number {index}"), &mut tally)?;
            }
        };
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(std::thread::ScopedJoinHandle::join).collect::<Vec<_>>()
    });
    for one in all {
        let one: Result<OracleTally, String> = one.map_err(|_| String::from("a worker panicked"))?;
        tally.add(one?);
    }
    trial.shell.check("after")?;
    Ok(tally)
}

/// A shell with its grammar.
struct OracleTrial<'t> {
    shell: RealShell,
    grammar: GrammarTable,
    seed: u64,
    name: &'t str,
}

impl OracleTrial<'_> {
    fn check(
        &self,
        text: &str,
        program: Option<GrammarProgram>,
        place: &str,
        tally: &mut OracleTally,
    ) -> Result<(), String> {
        let ran = self.runs(text)?;
        let answer = self.read(text);
        match (ran, answer) {
            (true, answer) => {
                tally.ran += 1;
                tally.unknown += u64::from(answer == ReaderAnswer::Unknown);
            }
            (false, ReaderAnswer::Runs) => tally.over += 1,
            (false, ReaderAnswer::Unknown) => tally.over_unknown += 1,
            (false, ReaderAnswer::Silent) => {}
        }
        if ran && answer == ReaderAnswer::Silent {
            tally.missed += 1;
            if tally.misses.len() < MAX_SHOWN {
                let smallest = program.map_or_else(|| Ok(text.to_owned()), |program| self.smallest(program))?;
                let line = smallest.replace('\n', "⏎").replace('\t', "⇥");
                tally.misses.entry(format!("{} {line}", self.name)).or_insert_with(|| place.to_owned());
            }
        }
        Ok(())
    }

    /// Whether the shell runs the marker.
    fn runs(&self, text: &str) -> Result<bool, String> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!("{}-{}", self.seed, NUMBER.fetch_add(1, Ordering::Relaxed));
        self.shell.makes_marker(text, &name).map_err(|error| format!("{text:?}: {error}"))
    }

    fn read(&self, text: &str) -> ReaderAnswer {
        let language = if self.name == "zsh" { ShellLanguage::Zsh } else { ShellLanguage::Bash };
        let dir = self.shell.directory(&format!("{}-0", self.seed));
        let operations = operations_of_command(text, language, &CallSite::new(&dir, &dir).with_home(Some(&dir)));
        let has_marker = |path: &str| path == MARKER || path.rsplit('/').next() == Some(MARKER);
        if operations.iter().any(|found| found.program == "touch" && has_marker(&found.written)) {
            return ReaderAnswer::Runs;
        }
        // The default packs ask about each of these.
        let is_unknown = operations.iter().any(|found| match found.kind {
            OperationKind::Unknown | OperationKind::RunCode => true,
            OperationKind::System => found.action == "hook_variable",
            _ => false,
        });
        if is_unknown { ReaderAnswer::Unknown } else { ReaderAnswer::Silent }
    }

    /// The smallest part of a missed program that is missed as well.
    fn smallest(&self, program: GrammarProgram) -> Result<String, String> {
        let mut program = program;
        'smaller: loop {
            for smaller in self.grammar.smaller(&program) {
                let text = self.grammar.text_of(&smaller);
                if self.read(&text) == ReaderAnswer::Silent && self.runs(&text)? {
                    program = smaller;
                    continue 'smaller;
                }
            }
            return Ok(self.grammar.text_of(&program));
        }
    }
}

impl OracleTally {
    fn add(&mut self, other: Self) {
        self.ran += other.ran;
        self.unknown += other.unknown;
        self.over += other.over;
        self.over_unknown += other.over_unknown;
        self.missed += other.missed;
        self.misses.extend(other.misses);
    }
}
