//! Tables that fit the width of a terminal.

use super::inline::{LookedText, TextLook, paint, wrap};

/// Spaces between columns.
const GAP: usize = 2;
/// The fewest characters of a column whose cells are broken. With less, each row becomes a list.
const NARROWEST: usize = 14;

/// The cells of a row as Markdown.
pub(super) fn split_cells(line: &str) -> Vec<String> {
    let inner = line.trim().trim_start_matches('|');
    let mut cells = vec![String::new()];
    let mut is_escaped = false;
    for letter in inner.chars() {
        match (cells.last_mut(), letter) {
            (_, '|') if !is_escaped => cells.push(String::new()),
            (Some(cell), letter) => {
                // Within code, too, the backslash is not shown.
                if letter == '|' {
                    cell.pop();
                }
                cell.push(letter);
            }
            (None, _) => {}
        }
        is_escaped = letter == '\\';
    }
    // What follows the last bar is not a cell.
    cells.pop();
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// Renders rows, the first of which is the head.
pub(super) fn render(rows: &[Vec<LookedText>], columns: usize) -> Vec<String> {
    let Some((head, body)) = rows.split_first() else { return Vec::new() };
    let head: Vec<LookedText> = head.iter().map(|cell| with_look(cell, TextLook::Strong)).collect();
    let Some(widths) = fit_widths(rows, columns) else {
        return body.iter().flat_map(|row| render_as_list(&head, row, columns)).collect();
    };
    let has_head = head.iter().any(|cell| !cell.is_empty());
    let shown = has_head.then_some(&head).into_iter().chain(body);
    shown.flat_map(|row| render_row(row, &widths)).collect()
}

fn with_look(text: &[(char, TextLook)], look: TextLook) -> LookedText {
    text.iter().map(|(letter, _)| (*letter, look)).collect()
}

/// The widths of the columns: those that need less than their share have what they need, and the others share the rest.
fn fit_widths(rows: &[Vec<LookedText>], columns: usize) -> Option<Vec<usize>> {
    let count = rows.iter().map(Vec::len).max().unwrap_or_default();
    let needed = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(Vec::len).max().unwrap_or_default();
    let needed: Vec<usize> = (0..count).map(needed).collect();
    let mut free = columns.saturating_sub(GAP * count.saturating_sub(1));
    let mut order: Vec<usize> = needed.clone();
    order.sort_unstable();
    let mut share = 0;
    for (index, width) in order.iter().enumerate() {
        share = free / (count - index).max(1);
        if *width > share {
            break;
        }
        share = *width;
        free -= *width;
    }
    let is_broken = needed.iter().any(|width| *width > share);
    (!is_broken || share >= NARROWEST).then(|| needed.iter().map(|width| (*width).min(share)).collect())
}

fn render_row(texts: &[LookedText], widths: &[usize]) -> Vec<String> {
    let cells: Vec<Vec<LookedText>> = texts
        .iter()
        .zip(widths)
        .map(|(cell, width)| wrap(cell, *width).iter().flat_map(|line| cut(line, *width)).collect())
        .collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or_default();
    let line = |index: usize| {
        let mut line = String::new();
        let mut missing = 0;
        for (cell, width) in cells.iter().zip(widths) {
            let part = cell.get(index).map(Vec::as_slice).unwrap_or_default();
            if !part.is_empty() {
                line.push_str(&" ".repeat(missing));
                line.push_str(&paint(part));
                missing = 0;
            }
            missing += width - part.len().min(*width) + GAP;
        }
        line
    };
    (0..height).map(line).collect()
}

/// A line in pieces of at most a width: a word may be longer than its column.
fn cut(line: &[(char, TextLook)], width: usize) -> Vec<LookedText> {
    match line.is_empty() {
        true => vec![LookedText::new()],
        false => line.chunks(width.max(1)).map(<[_]>::to_vec).collect(),
    }
}

/// A row as lines `head: cell`, with an empty line behind them.
fn render_as_list(head: &[LookedText], texts: &[LookedText], columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for (title, cell) in head.iter().zip(texts).filter(|(_, cell)| !cell.is_empty()) {
        let mut text = title.clone();
        if !text.is_empty() {
            text.extend([(':', TextLook::Strong), (' ', TextLook::Plain)]);
        }
        text.extend(cell);
        let indent = if lines.is_empty() { 0 } else { GAP };
        lines.extend(
            wrap(&text, columns.saturating_sub(indent)).iter().map(|line| format!("{:indent$}{}", "", paint(line))),
        );
    }
    lines.push(String::new());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(rows: &[&str], columns: usize) -> Vec<String> {
        let plain = |cell: String| cell.chars().map(|letter| (letter, TextLook::Plain)).collect();
        let rows: Vec<Vec<LookedText>> =
            rows.iter().map(|row| split_cells(row).into_iter().map(plain).collect()).collect();
        render(&rows, columns).iter().map(|line| anstream::adapter::strip_str(line).to_string()).collect()
    }

    #[test]
    fn a_wide_column_is_broken_and_narrow_ones_are_not() {
        let rows = ["| key | what it says |", "| a | some words that are longer than that |", "| bc | `x\\|y` |"];
        assert_eq!(
            show(&rows, 27),
            ["key  what it says", "a    some words that are", "     longer than that", "bc   `x|y`"]
        );
    }

    #[test]
    fn a_table_of_too_many_columns_becomes_lists() {
        let rows = ["| a | b | c |", "| some longer words | some other words | |"];
        assert_eq!(show(&rows, 24), ["a: some longer words", "  b: some other words", ""]);
    }

    #[test]
    fn a_table_without_rows_or_width_is_rendered() {
        assert_eq!(show(&[], 10), Vec::<String>::new());
        assert_eq!(show(&["| a |", "| |"], 0), [""]);
    }
}
