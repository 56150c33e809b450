//! Checks that every link in a Markdown file leads to a file, and every anchor to a heading.

use std::path::{Component, Path, PathBuf};

use xtask::SourceWorkspace;

pub(super) fn find_violations(workspace: &SourceWorkspace) -> Vec<String> {
    let mut faults = Vec::new();
    for (name, text) in workspace.files.iter().filter(|(name, _)| name.ends_with(".md")) {
        for target in link_targets(text) {
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = if path.is_empty() { name.clone() } else { resolve_link(name, path) };
            if !workspace.root.join(&file).exists() {
                faults.push(format!("`{name}` links to `{target}`, which does not exist"));
            } else if !anchor.is_empty()
                && !workspace.text(&file).is_ok_and(|text| heading_anchors(text).any(|h| h == anchor))
            {
                faults.push(format!("`{name}` links to `{target}`, but `{file}` has no such heading"));
            }
        }
    }
    faults
}

/// The targets of a page's links within the repository.
pub(crate) fn link_targets(text: &str) -> impl Iterator<Item = &str> {
    let of_line = |line| str::split(line, "](").skip(1).filter_map(|rest: &str| rest.get(..rest.find(')')?));
    prose_lines(text).flat_map(of_line).filter(|target| !target.contains("://") && !target.starts_with("mailto:"))
}

/// The lines outside of code blocks.
fn prose_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        !in_code && !fence
    })
}

/// The anchors that viewers generate for the headings of a page.
fn heading_anchors(text: &str) -> impl Iterator<Item = String> {
    let heading = |line: &str| line.starts_with('#').then(|| line.trim_start_matches('#').trim().to_lowercase());
    let kept = |character: char| character.is_alphanumeric() || " _-".contains(character);
    prose_lines(text)
        .filter_map(heading)
        .map(move |text| text.chars().filter(|c| kept(*c)).collect::<String>().replace(' ', "-"))
}

/// The target of a link, as a path from the root of the repository.
pub(crate) fn resolve_link(page: &str, link: &str) -> String {
    let mut path = PathBuf::new();
    let dir = Path::new(page).parent().unwrap_or(Path::new(""));
    for part in dir.join(link).components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_read_as_viewers_read_them() {
        let page = "# A `b.c` d\n[x](../y.md#z) and [w](https://host/) [v](v.md)\n```\n[no](no.md)\n```\n";
        assert_eq!(link_targets(page).collect::<Vec<_>>(), ["../y.md#z", "v.md"]);
        assert_eq!(heading_anchors(page).collect::<Vec<_>>(), ["a-bc-d"]);
        assert_eq!(resolve_link("docs/guide/a.md", "../y.md"), "docs/y.md");
    }
}
