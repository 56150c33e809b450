//! `cargo lab picture`: draws what a user of an agent sees when Pintle refuses a call, as the README shows it.
//!
//! The agent is the real one, in a terminal of its own; its model plays a script on this machine.

use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::num::NonZero;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use pintle_testkit::model_server::{ModelServer, ScriptedReply};
use serde_json::json;
use vt100::{Color, Parser, Screen};
use xtask::{ChoreReport, SourceWorkspace};

use super::client::ToolPurpose;
use super::client_table::CLIENTS;
use super::sandbox::ClientSandbox;
use super::{build_pintle, download};

/// The picture, in the repository.
const PICTURE: &str = "docs/refused.svg";
/// The size of the terminal.
const ROWS: u16 = 24;
const COLUMNS: u16 = 96;
/// What the user asks, what the model says and tries, and what it says when it was refused.
const PROMPT: &str = "Bring my branch up to date, and push it.";
const FIRST_WORDS: &str = "The remote has other commits. I push over them.";
const TRIES: &str = "git add -A && git commit -qm wip && git push --force origin main";
const LAST_WORDS: &str = "A forced push is not allowed here. I merge the new commits first.";
/// How long the agent may take, in seconds.
const LIMIT_S: u64 = 60;

/// Draws the picture.
pub(crate) fn draw(workspace: &SourceWorkspace, _: &[String]) -> Result<ChoreReport, String> {
    let client = CLIENTS.iter().find(|client| client.name == "claude").ok_or("there is no client `claude`")?;
    let pintle = build_pintle(workspace)?;
    let installed = download::install(client, false, &workspace.root.join("target/clients"))?;
    let fixture = ClientSandbox::empty(client, &installed, &pintle)?;
    let project = fixture.project();
    // What it asks at its first start.
    let answered = json!({
        "hasCompletedOnboarding": true, "theme": "dark", "customApiKeyResponses": {"approved": ["none"]},
        "projects": {project.to_string_lossy(): {"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}},
    });
    fixture.write_files(&[("HOME/.claude.json", &answered.to_string())])?;
    fixture.run_pintle(&["init", "--yes"])?;
    let said = [(FIRST_WORDS, Some(TRIES)), (LAST_WORDS, None)];
    let replies = said.iter().map(|(text, command)| {
        let call = command.map(|command| client.call(1, ToolPurpose::Shell, command)).unwrap_or_default();
        ScriptedReply { text: String::from(*text), ..call }
    });
    let server = ModelServer::play(replies.collect()).map_err(|error| format!("no model server: {error}"))?;
    let screen = watch(&mut fixture.terminal_command(&server.url(""), PROMPT, (ROWS, COLUMNS)))?;
    let path = workspace.root.join(PICTURE);
    fs::write(&path, render(&screen)).map_err(|error| format!("cannot write `{}`: {error}", path.display()))?;
    Ok(ChoreReport { lines: vec![format!("wrote {PICTURE} with Claude Code {}", fixture.version())], passed: true })
}

fn non_zero(size: u16) -> Result<NonZero<u16>, String> {
    NonZero::new(size).ok_or_else(|| String::from("a terminal has a size"))
}

/// Runs a program until its screen has the model's last words, and returns the screen.
fn watch(command: &mut Command) -> Result<Screen, String> {
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = child.map_err(|error| format!("cannot run `script`: {error}"))?;
    let mut output = child.stdout.take().ok_or("no output")?;
    let mut parser = Parser::new(non_zero(ROWS)?, non_zero(COLUMNS)?, 0);
    let started = Instant::now();
    let mut bytes = [0; 4096];
    let mut is_complete = false;
    while !is_complete && started.elapsed() < Duration::from_secs(LIMIT_S) {
        let count = output.read(&mut bytes).map_err(|error| error.to_string())?;
        if count == 0 {
            break;
        }
        parser.process(bytes.get(..count).unwrap_or_default());
        is_complete = parser.screen().contents().contains(LAST_WORDS);
    }
    // It may have ended.
    let _ = child.kill();
    let _ = child.wait();
    match is_complete {
        true => Ok(parser.screen().clone()),
        false => Err(format!("the agent did not end its turn:\n{}", parser.screen().contents())),
    }
}

/// The height of a row and the width of a column, in pixels.
const ROW_PX: usize = 19;
const COLUMN_PX: f32 = 8.1;
const MARGIN_PX: usize = 18;
/// The first 16 colours of a dark terminal.
const COLOURS: [&str; 16] = [
    "#484f58", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#e6edf3", "#6e7681", "#ffa198",
    "#aff5b4", "#f2cc60", "#a5d6ff", "#e2c5ff", "#b3f0ff", "#ffffff",
];
const TEXT: &str = "#e6edf3";
const GROUND: &str = "#0d1117";

/// The screen as a picture, from the prompt to the last words.
fn render(screen: &Screen) -> String {
    let find = |words: &str| (0..ROWS).find(|row| row_text(screen, *row).contains(words));
    let (first, last) = (find(PROMPT).unwrap_or(0), find(LAST_WORDS).unwrap_or(ROWS - 1));
    let rows = usize::from(last - first.min(last)) + 1;
    let (width, height) =
        (f32::from(COLUMNS).mul_add(COLUMN_PX, 2.0 * MARGIN_PX as f32), rows * ROW_PX + 2 * MARGIN_PX);
    let label = "Claude Code wants to push over the commits of others; Pintle refuses, and says what to do instead";
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" aria-label=\"{label}\">\n<rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"{GROUND}\"/>\n\
         <g font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, monospace\" font-size=\"13.5\" \
         xml:space=\"preserve\">\n"
    );
    for row in first..=last {
        let y = MARGIN_PX + usize::from(row - first) * ROW_PX + 14;
        for run in runs(screen, row).iter().filter(|run| !run.text.is_empty()) {
            let x = f32::from(run.column).mul_add(COLUMN_PX, MARGIN_PX as f32);
            let length = run.cells as f32 * COLUMN_PX;
            let weight = if run.is_bold { " font-weight=\"bold\"" } else { "" };
            // Writing to a `String` cannot fail.
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{y}\" textLength=\"{length:.1}\" fill=\"{}\"{weight}>{}</text>",
                run.colour,
                escape(&run.text)
            );
        }
    }
    svg + "</g>\n</svg>\n"
}

/// Cells of a row that look the same.
struct CellRun {
    column: u16,
    cells: u16,
    text: String,
    colour: String,
    is_bold: bool,
}

fn runs(screen: &Screen, row: u16) -> Vec<CellRun> {
    let mut runs: Vec<CellRun> = Vec::new();
    for column in 0..COLUMNS {
        let Some(cell) = screen.cell(row, column).filter(|cell| !cell.is_wide_continuation()) else { continue };
        let shown = if cell.has_contents() { cell.contents() } else { " " };
        let (colour, is_bold) = (colour_of(cell.fgcolor()), cell.bold());
        match runs.last_mut().filter(|run| run.colour == colour && run.is_bold == is_bold) {
            Some(run) => {
                run.text.push_str(shown);
                run.cells += 1;
            }
            None => runs.push(CellRun { column, cells: 1, text: shown.to_owned(), colour, is_bold }),
        }
    }
    // Spaces at the end of a run show nothing.
    for run in &mut runs {
        let shown = run.text.trim_end_matches(' ').len();
        run.cells -= u16::try_from(run.text.len() - shown).unwrap_or_default();
        run.text.truncate(shown);
    }
    runs
}

fn row_text(screen: &Screen, row: u16) -> String {
    screen.rows(0, COLUMNS).nth(usize::from(row)).unwrap_or_default()
}

/// A colour of a terminal with 256 of them, or of more.
fn colour_of(colour: Color) -> String {
    let shade = |level: u8| if level == 0 { 0 } else { 55 + 40 * u16::from(level) };
    match colour {
        Color::Default => String::from(TEXT),
        Color::Rgb(red, green, blue) => format!("#{red:02x}{green:02x}{blue:02x}"),
        Color::Idx(index) => match (COLOURS.get(usize::from(index)), index) {
            (Some(colour), _) => String::from(*colour),
            (None, 232..) => format!("#{0:02x}{0:02x}{0:02x}", 8 + 10 * u16::from(index - 232)),
            (None, _) => {
                let cube = index - 16;
                format!("#{:02x}{:02x}{:02x}", shade(cube / 36), shade(cube / 6 % 6), shade(cube % 6))
            }
        },
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
