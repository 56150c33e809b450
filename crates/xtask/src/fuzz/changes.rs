//! Feeds the reader of command lines with random changes of real ones.
//!
//! A panic ends the chore with the text that caused it. The texts follow from the seed, so a run can be repeated.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use pintle_host::shell::{CallSite, ShellLanguage, operations_of_command};
use xtask::{ChoreReport, SourceWorkspace, read_peak_kb};

use super::random::RandomNumbers;

/// Files whose lines are changed.
const SOURCES: [&str; 4] = ["harmful.txt", "harmless.txt", "optional.txt", "powershell.txt"];
/// What is put between the letters of a line.
const PIECES: [&str; 36] = [
    " ",
    "\n",
    ";",
    "&&",
    "||",
    "|",
    "&",
    "(",
    ")",
    "{",
    "}",
    "$(",
    "`",
    "\"",
    "'",
    "\\",
    "<<E\n",
    "E\n",
    ">",
    "<",
    "<(",
    "${",
    "$",
    "*",
    "~",
    "..",
    "/",
    "\0",
    "\u{fffc}",
    "é",
    "if ",
    "; then ",
    "; fi",
    "for i in ",
    "; do ",
    "; done",
];
/// The longest text, and every how many texts there is one of that length.
const MAX_BYTES: usize = 64 * 1024;
const LARGE_EVERY: u64 = 200;
/// What a text may take: a build without optimizations is some ten times slower.
const LIMIT_MS: u64 = if cfg!(debug_assertions) { 500 } else { 50 };
/// What the whole run may add to the memory of the process, with all texts.
const LIMIT_KB: u64 = 32 * 1024;

pub(super) fn run(workspace: &SourceWorkspace, arguments: &[String]) -> Result<ChoreReport, String> {
    let [count, seed] = super::numbers(arguments, [100_000, 1])?;
    let mut lines = Vec::new();
    for source in SOURCES {
        let file = workspace.root.join("crates/packs/tests").join(source);
        let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let lines_of = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        lines.extend(lines_of.map(|line| command_of(line).to_owned()));
    }
    let mut random = RandomNumbers::new(seed);
    let before_kb = read_peak_kb("self");
    let mut slowest = (Duration::ZERO, String::new());
    for index in 0..count {
        let text = change(&lines, &mut random, index % LARGE_EVERY == LARGE_EVERY - 1);
        let took = judge(&text, index);
        // Other work on the machine only adds to a time: the faster of two counts.
        if took > slowest.0 {
            let again = judge(&text, index).min(took);
            slowest = if again > slowest.0 { (again, text) } else { slowest };
        }
    }
    let added_kb = read_peak_kb("self").saturating_sub(before_kb);
    let shown: String = slowest.1.chars().take(120).collect();
    let passed = slowest.0 <= Duration::from_millis(LIMIT_MS) && added_kb <= LIMIT_KB;
    let report = vec![
        format!("{count} texts from {} lines, seed {seed}", lines.len()),
        format!("the slowest took {} us ({} bytes): {shown:?}", slowest.0.as_micros(), slowest.1.len()),
        format!("the memory grew by {added_kb} KB at most (limit: {LIMIT_KB} KB)"),
    ];
    Ok(ChoreReport { lines: report, passed })
}

/// The command of a line that may begin with the name of a pack and what is expected.
fn command_of(line: &str) -> &str {
    let expected = ["stop ", "warn ", "pass "];
    let rest = |text: &'static str| move |line: &str| line.find(text).filter(|at| *at < 20).map(|at| at + text.len());
    expected.iter().find_map(|text| rest(text)(line)).and_then(|at| line.get(at..)).unwrap_or(line)
}

/// Works out what a text would do, and how long that takes. Says which text it was if that panics.
fn judge(text: &str, index: u64) -> Duration {
    let site =
        CallSite::new(Path::new("/home/ana/shop"), Path::new("/home/ana/shop")).with_home(Some(Path::new("/home/ana")));
    let language = if index % 4 == 3 { ShellLanguage::PowerShell } else { ShellLanguage::BashOrZsh };
    let start = Instant::now();
    let read = std::panic::AssertUnwindSafe(|| operations_of_command(text, language, &site));
    if let Err(panic) = std::panic::catch_unwind(read) {
        println!("text {index} in {language:?} panics: {text:?}");
        std::panic::resume_unwind(panic);
    }
    start.elapsed()
}

/// A line of the files, changed in a few places.
fn change(lines: &[String], random: &mut RandomNumbers, is_large: bool) -> String {
    let mut text = random.pick(lines).to_owned();
    for _ in 0..=random.draw_index(5) {
        let at = boundary(&text, random);
        match random.draw_index(7) {
            0 => text.truncate(at),
            1 => drop(text.drain(..at)),
            2 => text.insert_str(at, random.pick(lines)),
            3 => text = format!("{}{}{}", random.pick(&PIECES), text, random.pick(&PIECES)),
            4 => text = format!("bash -c '{}'", text.replace('\'', "'\\''")),
            _ => text.insert_str(at, random.pick(&PIECES)),
        }
    }
    if is_large && !text.is_empty() {
        text = text.repeat((MAX_BYTES / text.len()).max(1));
    }
    text
}

fn boundary(text: &str, random: &mut RandomNumbers) -> usize {
    let mut at = random.draw_index(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
