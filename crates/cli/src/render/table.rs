//! Plain tables: columns as wide as their content, two spaces between them.

use pintle_host::tape::show::{StyledLine, Tone};

/// Renders rows below a head. The last column is not padded.
pub(crate) fn render_table<const COLUMNS: usize>(head: [&str; COLUMNS], rows: &[[String; COLUMNS]]) -> Vec<StyledLine> {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        let title = head.get(column).map_or(0, |title| title.len());
        cells.chain([title]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..COLUMNS).map(width).collect();
    let lay = |tone: Tone, cells: &[String]| {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        StyledLine::new(tone, padded.collect::<Vec<_>>().join("  ").trim_end())
    };
    let head = lay(Tone::Quiet, &head.map(str::to_owned));
    std::iter::once(head).chain(rows.iter().map(|row| lay(Tone::Plain, row))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [["grün", "1", "x"], ["a", "22", ""]].map(|row| row.map(str::to_owned));
        let text: Vec<String> = render_table(["NAME", "N", "WHY"], &rows).iter().map(ToString::to_string).collect();
        assert_eq!(text, ["NAME  N   WHY", "grün  1   x", "a     22"]);
    }
}
