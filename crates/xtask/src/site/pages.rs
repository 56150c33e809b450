//! The pages as mdBook reads them: those of `docs` that users read, with links that lead where the files will be.

use std::collections::{BTreeMap, BTreeSet};

use xtask::SourceWorkspace;

use crate::tidy::{link_targets, resolve_link};

/// The list of all pages, from which the table of contents is made.
const INDEX: &str = "docs/README.md";
/// Pages for contributors are not on the site.
const LEFT_OUT: &str = "docs/contributing/";

/// The files of the book by their paths: the pages, and the table of contents.
pub(super) fn render_sources(
    workspace: &SourceWorkspace,
    repository: &str,
) -> Result<BTreeMap<String, String>, String> {
    let is_page = |name: &str| name.starts_with("docs/") && name.ends_with(".md") && !name.starts_with(LEFT_OUT);
    let pages: BTreeMap<&str, &str> = workspace
        .files
        .iter()
        .filter(|(name, _)| is_page(name))
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let mut sources: BTreeMap<String, String> =
        pages.iter().map(|(name, text)| (site_path(name), rewrite_links(name, text, &pages, repository))).collect();
    sources.insert(String::from("SUMMARY.md"), render_contents(&pages)?);
    Ok(sources)
}

/// The path of a page in the book. A directory's own page is called as browsers ask for it.
fn site_path(page: &str) -> String {
    page.trim_start_matches("docs/").replace("README.md", "index.md")
}

/// Links that leave the site lead into the repository.
fn rewrite_links(name: &str, text: &str, pages: &BTreeMap<&str, &str>, repository: &str) -> String {
    let mut targets: Vec<&str> = link_targets(text).filter(|target| !target.starts_with('#')).collect();
    targets.sort_unstable();
    targets.dedup();
    targets.iter().fold(text.to_owned(), |text, target| {
        let path = target.split('#').next().unwrap_or_default();
        let file = resolve_link(name, path);
        let rewritten = match pages.contains_key(file.as_str()) {
            true => target.replace("README.md", "index.md"),
            false => format!("https://github.com/{repository}/blob/main/{file}"),
        };
        text.replace(&format!("]({target})"), &format!("]({rewritten})"))
    })
}

/// The table of contents: the pages in the order of the index, below its headings.
fn render_contents(pages: &BTreeMap<&str, &str>) -> Result<String, String> {
    let title = |page: &str| {
        let text = pages.get(page).copied().unwrap_or_default();
        text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(page).to_owned()
    };
    let entry = |page: &str| format!("[{}]({})\n", title(page), site_path(page));
    let index = pages.get(INDEX).ok_or_else(|| format!("`{INDEX}` is missing"))?;
    let mut contents = format!("# Summary\n\n{}", entry(INDEX));
    let mut listed = BTreeSet::from([String::from(INDEX)]);
    for line in index.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            contents += &format!("\n# {heading}\n\n");
        }
        for page in link_targets(line).map(|target| resolve_link(INDEX, target.split('#').next().unwrap_or_default())) {
            if pages.contains_key(page.as_str()) && listed.insert(page.clone()) {
                contents += &format!("- {}", entry(&page));
            }
        }
    }
    match pages.keys().find(|page| !listed.contains(**page)) {
        Some(page) => Err(format!("`{INDEX}` does not link to `{page}`")),
        None => Ok(contents),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_listed_and_links_that_leave_them_are_rewritten() {
        let index = "# Documents\n\n## First\n\n- [x](guide/a.md), [p](promises/README.md#p), [x](guide/a.md#x)\n";
        let page = "# Page *a*\n\n[i](../README.md) [code](../../crates/a/src/lib.rs) [b](#b) [site](https://host/)\n";
        let mut pages =
            BTreeMap::from([(INDEX, index), ("docs/guide/a.md", page), ("docs/promises/README.md", "# Promises\n")]);
        assert_eq!(
            render_contents(&pages).unwrap(),
            "# Summary\n\n[Documents](index.md)\n\n# First\n\n- [Page *a*](guide/a.md)\n- [Promises](promises/index.md)\n"
        );
        assert_eq!(
            rewrite_links("docs/guide/a.md", page, &pages, "o/r"),
            "# Page *a*\n\n[i](../index.md) [code](https://github.com/o/r/blob/main/crates/a/src/lib.rs) [b](#b) \
             [site](https://host/)\n"
        );
        pages.insert("docs/guide/b.md", "");
        assert!(render_contents(&pages).unwrap_err().contains("`docs/guide/b.md`"));
    }

    #[test]
    fn the_index_lists_every_page() {
        let workspace = SourceWorkspace::open().unwrap();
        assert!(render_sources(&workspace, "o/r").unwrap().len() > 40);
    }
}
