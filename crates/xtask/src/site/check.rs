//! What a reader of the site would find: links within it that lead nowhere, and files that it fetches from elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::tidy::resolve_link;

/// What fetches a file as soon as a page is shown.
const FETCHES: [&str; 5] = ["<script src=\"", "<img src=\"", "<link rel=\"stylesheet\" href=\"", "@import \"", "url("];

/// The number of pages, and what is wrong with them.
pub(super) fn find_faults(book: &Path) -> Result<(usize, Vec<String>), String> {
    let mut files = BTreeMap::new();
    read_files(book, "", &mut files).map_err(|error| format!("cannot read `{}`: {error}", book.display()))?;
    let count = files.keys().filter(|name| name.ends_with(".html")).count();
    let mut faults = find_dead_links(&files);
    for (name, text) in &files {
        let fetched = FETCHES.iter().flat_map(|start| text.split(start).skip(1));
        let outside = fetched
            .map(|rest| rest.trim_start_matches(['"', '\'']))
            .filter(|rest| rest.starts_with("http") || rest.starts_with("//"));
        faults.extend(
            outside
                .map(|rest| format!("`{name}` fetches `{}`", rest.split(['"', '\'', ')']).next().unwrap_or_default())),
        );
    }
    Ok((count, faults))
}

/// Reads the files below a directory by their paths; those that are not text are empty.
fn read_files(dir: &Path, prefix: &str, files: &mut BTreeMap<String, String>) -> std::io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            read_files(&entry.path(), &format!("{name}/"), files)?;
        } else {
            files.insert(name, String::from_utf8(fs::read(entry.path())?).unwrap_or_default());
        }
    }
    Ok(())
}

fn find_dead_links(files: &BTreeMap<String, String>) -> Vec<String> {
    let pages: BTreeMap<&str, &str> = files
        .iter()
        .filter(|(name, _)| name.ends_with(".html"))
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let ids: BTreeMap<&str, BTreeSet<&str>> =
        pages.iter().map(|(name, text)| (*name, attributes(text, " id=\"").collect())).collect();
    let mut faults = Vec::new();
    for (name, text) in pages {
        for link in attributes(text, " href=\"").chain(attributes(text, " src=\"")) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let file = match path {
                "" => name.to_owned(),
                path => resolve_link(name, path),
            };
            if link.contains("://") || link.starts_with("javascript:") {
                continue;
            }
            let has_anchor = |ids: &BTreeSet<&str>| anchor.is_empty() || ids.contains(anchor);
            if !files.contains_key(&file) {
                faults.push(format!("`{name}` links to `{link}`, which is not on the site"));
            } else if !ids.get(file.as_str()).is_none_or(has_anchor) {
                faults.push(format!("`{name}` links to `{link}`, but `{file}` has no such heading"));
            }
        }
    }
    faults
}

/// The values of an attribute.
fn attributes<'t>(text: &'t str, start: &'static str) -> impl Iterator<Item = &'t str> {
    text.split(start).skip(1).filter_map(|rest| rest.split('"').next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dead_links_are_found() {
        let files = [
            ("index.html", "<a href=\"guide/a.html#x\"> <a href=\"https://h/\"> <a href=\"#y\">"),
            ("guide/a.html", "<h1 id=\"x\"> <a href=\"../index.html\"> <img src=\"b.svg\">"),
        ];
        let files = files.into_iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
        assert_eq!(
            find_dead_links(&files),
            [
                "`guide/a.html` links to `b.svg`, which is not on the site",
                "`index.html` links to `#y`, but `index.html` has no such heading"
            ]
        );
    }
}
