//! The keys of files, from the tables that the loaders read them by.

use std::fmt::Write as _;

use pintle_dialects::document::{KeyRow, KeySection};

/// Renders the keys of each section as a table below a heading.
pub(super) fn render_sections(page: &mut String, sections: &[&dyn KeySection]) {
    for section in sections {
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            page,
            "\n## {}\n\n{}\n\n| field | type | default | meaning |\n| --- | --- | --- | --- |",
            section.title(),
            section.description()
        );
        for KeyRow { name, values, default, meaning } in section.rows() {
            let _ = writeln!(page, "| `{name}` | {values} | {default} | {meaning} |");
        }
    }
}
