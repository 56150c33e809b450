//! Tones as colours.

use std::fmt::Display;

use clap::builder::styling::{AnsiColor, Style};
use pintle_host::tape::show::{StyledLine, Tone};

/// Renders a line with ANSI colour codes, which the terminal strips where colours are off.
pub(crate) fn paint_line(line: &StyledLine) -> String {
    line.pieces.iter().map(|(tone, text)| paint_text(*tone, text)).collect()
}

pub(crate) fn paint_text(tone: Tone, text: impl Display) -> String {
    let style = style_of(tone);
    format!("{style}{text}{style:#}")
}

/// Formats `label: text` with the label in a tone.
pub(crate) fn with_label(tone: Tone, label: &str, text: impl Display) -> String {
    let style = style_of(tone).bold();
    format!("{style}{label}{style:#}: {text}")
}

fn style_of(tone: Tone) -> Style {
    match tone {
        Tone::Plain => Style::new(),
        Tone::Quiet => Style::new().dimmed(),
        Tone::Good => AnsiColor::Green.on_default(),
        Tone::Warn => AnsiColor::Yellow.on_default(),
        Tone::Bad => AnsiColor::Red.on_default(),
    }
}
