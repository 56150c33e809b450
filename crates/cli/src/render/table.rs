//! Plain tables: columns as wide as their content, two spaces between them. On a terminal a table is as wide as the
//! screen at most: its cells are wrapped, and where even their words do not fit, each row is a list of its cells.

use pintle_host::tape::show::{StyledLine, Tone};

use super::wrap::{text_width, wrap_text};
use crate::terminal::screen_columns;

/// The space between two columns.
const GAP: usize = 2;
/// What precedes the titles in a list of cells.
const INDENT: &str = "  ";

/// Renders rows below a head. The last column is not padded.
pub(crate) fn render_table<const COLUMNS: usize>(head: [&str; COLUMNS], rows: &[[String; COLUMNS]]) -> Vec<StyledLine> {
    render_detailed_table(head, rows, |_| Vec::new())
}

/// Renders rows below a head, each with the lines that follow it.
pub(crate) fn render_detailed_table<const COLUMNS: usize>(
    head: [&str; COLUMNS],
    rows: &[[String; COLUMNS]],
    details: impl Fn(usize) -> Vec<StyledLine>,
) -> Vec<StyledLine> {
    let head = head.map(str::to_owned);
    let widths = fit_widths(&head, rows, screen_columns());
    let mut lines = widths.as_ref().map(|widths| lay_row(Tone::Quiet, &head, widths)).unwrap_or_default();
    for (index, row) in rows.iter().enumerate() {
        lines.extend(match &widths {
            Some(widths) => lay_row(Tone::Plain, row, widths),
            None => lay_list(&head, row, screen_columns().unwrap_or(usize::MAX)),
        });
        lines.extend(details(index));
    }
    lines
}

/// The width of each column in a table that is at most `most` columns wide; `None` if its words do not fit into that.
fn fit_widths<const COLUMNS: usize>(
    head: &[String; COLUMNS],
    rows: &[[String; COLUMNS]],
    most: Option<usize>,
) -> Option<Vec<usize>> {
    let cells = |column: usize| [head].into_iter().chain(rows).filter_map(move |row| row.get(column));
    let widest = |column: usize| cells(column).map(|cell| text_width(cell)).max().unwrap_or(0);
    let widest_word = |column| cells(column).flat_map(|cell| cell.split(' ')).map(text_width).max().unwrap_or(0);
    let mut widths: Vec<(usize, usize)> = (0..COLUMNS).map(|column| (widest(column), widest_word(column))).collect();
    let room = most.map_or(usize::MAX, |most| most.saturating_sub(GAP * COLUMNS.saturating_sub(1)));
    while widths.iter().map(|(width, _)| width).sum::<usize>() > room {
        let shrinkable = widths.iter_mut().filter(|(width, least)| width > least);
        shrinkable.max_by_key(|(width, _)| *width)?.0 -= 1;
    }
    Some(widths.into_iter().map(|(width, _)| width).collect())
}

/// Lays a row out in lines, its cells wrapped to the widths of their columns.
fn lay_row(tone: Tone, cells: &[String], widths: &[usize]) -> Vec<StyledLine> {
    let mut wrapped: Vec<_> =
        cells.iter().zip(widths).map(|(cell, width)| (wrap_text(cell, *width).into_iter(), *width)).collect();
    let height = wrapped.iter().map(|(parts, _)| parts.len()).max().unwrap_or(0);
    let line = |_| {
        let parts = wrapped.iter_mut().map(|(parts, width)| {
            let part = parts.next().unwrap_or_default();
            let padding = " ".repeat(width.saturating_sub(text_width(&part)));
            part + &padding
        });
        StyledLine::new(tone, parts.collect::<Vec<_>>().join(&" ".repeat(GAP)).trim_end())
    };
    (0..height).map(line).collect()
}

/// Lays a row out as its first cell and, below it, the others with their titles. Empty cells are left out.
fn lay_list(head: &[String], cells: &[String], columns: usize) -> Vec<StyledLine> {
    let label_width = head.iter().skip(1).map(|title| text_width(title)).max().unwrap_or(0);
    let room = columns.saturating_sub(INDENT.len() + label_width + GAP);
    let first = cells.first().into_iter().flat_map(|cell| wrap_text(cell, columns));
    let mut lines: Vec<StyledLine> = first.map(|part| StyledLine::new(Tone::Plain, part)).collect();
    for (title, cell) in head.iter().zip(cells).skip(1).filter(|(_, cell)| !matches!(cell.as_str(), "" | "-")) {
        let labels = [title.to_lowercase()].into_iter().chain(std::iter::repeat(String::new()));
        for (label, part) in labels.zip(wrap_text(cell, room)) {
            let mut line = StyledLine::new(Tone::Quiet, format!("{INDENT}{label:<width$}", width = label_width + GAP));
            line.push(Tone::Plain, part);
            lines.push(line);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: [&str; 3] = ["NAME", "N", "WHY"];

    fn table_text(rows: &[[&str; 3]], most: Option<usize>) -> Vec<String> {
        let (head, rows) = (HEAD.map(str::to_owned), rows.iter().map(|row| row.map(str::to_owned)).collect::<Vec<_>>());
        let lines = match fit_widths(&head, &rows, most) {
            Some(widths) => {
                [&head].into_iter().chain(&rows).flat_map(|row| lay_row(Tone::Plain, row, &widths)).collect()
            }
            None => rows.iter().flat_map(|row| lay_list(&head, row, most.unwrap())).collect::<Vec<_>>(),
        };
        lines.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [["grün", "1", "x"], ["a", "22", ""], ["日本", "3", "y"]];
        let text = table_text(&rows, None);
        assert_eq!(text, ["NAME  N   WHY", "grün  1   x", "a     22", "日本  3   y"]);
    }

    #[test]
    fn a_table_fits_the_screen_and_breaks_no_word() {
        let rows = [["a guard", "1", "it denies what formats disks"], ["b", "-", ""]];
        let wrapped =
            ["NAME     N  WHY", "a guard  1  it denies", "            what formats", "            disks", "b        -"];
        assert_eq!(table_text(&rows, Some(24)), wrapped);
        let list =
            ["a guard", "  n    1", "  why  it", "       denies", "       what", "       formats", "       disks", "b"];
        assert_eq!(table_text(&rows, Some(14)), list);
    }
}
