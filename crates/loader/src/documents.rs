//! Tells documents, such as a README among the hooks, from hooks that are damaged.
//!
//! A hook that does not load denies what it could have guarded, so damage must never make a hook look like a document.
//! A Markdown file is a document only if it says so, by its name or by starting with a heading, and if nothing in it
//! looks like a part of a hook. Everything else is a hook, which then does not load.

use std::path::Path;

use pintle_dialects::ArtifactKind;

/// The names that Markdown files have which are not hooks, without the extension.
const DOCUMENT_NAMES: [&str; 10] = [
    "readme",
    "changelog",
    "contributing",
    "license",
    "security",
    "code_of_conduct",
    "authors",
    "agents",
    "claude",
    "gemini",
];

/// The keys of hooks, bundles, tools and agents that no prose starts a line with.
const KEYS: [&str; 13] = [
    "event",
    "events",
    "when",
    "script",
    "handler",
    "hooks",
    "tools",
    "priority",
    "on_error",
    "timeout_ms",
    "parameters",
    "command",
    "matcher",
];

/// Whether a file is a document instead of a hook, a tool or an agent of its directory.
pub(crate) fn is_document(artifact_kind: ArtifactKind, path: &Path, text: &str) -> bool {
    let can_be_document = matches!(
        artifact_kind,
        ArtifactKind::Hook | ArtifactKind::Tool | ArtifactKind::Agent | ArtifactKind::Bundle(_)
    );
    if !can_be_document || path.extension().is_none_or(|ending| ending != "md") {
        return false;
    }
    let lines = || text.split(['\n', '\r']).map(trim_invisible);
    let Some(first) = lines().find(|line| !line.is_empty()) else { return false };
    let is_named = has_document_name(path);
    let says_so = if is_named { can_start_text(first) } else { is_heading(first) };
    // Text with control characters is not what its author wrote.
    if !says_so || text.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
        return false;
    }
    if is_named {
        // Its code blocks are examples.
        let is_trace = |line: &str| !line.starts_with([' ', '\t']) && is_hook_line(line);
        return !outside_code(lines()).any(is_trace);
    }
    !lines().any(|line| is_hook_line(strip_marks(line)))
}

/// Removes characters that show nothing at the start of a line, and white space at its end.
fn trim_invisible(line: &str) -> &str {
    line.trim_start_matches(['\u{FEFF}', '\u{200B}', '\u{200C}', '\u{200D}', '\u{2060}']).trim_end()
}

/// Removes everything before the first word of a line, such as quotation marks, bullets and comment signs.
fn strip_marks(line: &str) -> &str {
    line.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '_')
}

fn has_document_name(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    // Translations are called `README.de.md`.
    let name = stem.split('.').next().unwrap_or_default().replace('-', "_");
    DOCUMENT_NAMES.contains(&&*name)
}

/// Whether the first line of a text can be that of a document. A line of dashes or the like is a delimiter or what is
/// left of one, a file in a code block was pasted, and `<<<` is an unfinished merge.
fn can_start_text(line: &str) -> bool {
    let is_delimiter = line.trim_start().starts_with(|c: char| "-–—−_=+~;".contains(c));
    !is_delimiter && !line.trim_start().starts_with("```") && !line.trim_start().starts_with("<<<")
}

fn is_heading(line: &str) -> bool {
    let title = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - title.len())) && title.starts_with(' ')
}

/// Whether a line is a part of a hook: one of its keys, or the start or the end of a function.
fn is_hook_line(line: &str) -> bool {
    let word_end = line.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(line.len());
    let (word, rest) = line.split_at(word_end);
    let after = rest.trim_start_matches(['"', '\'', '`', ' ', '\t']);
    match word {
        "def" => after.contains('('),
        "return" => after.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').starts_with('('),
        _ => after.starts_with([':', '=']) && KEYS.contains(&&*word.to_lowercase()),
    }
}

/// The lines of a text that are not in a fenced code block. A block that is not closed ends nothing: what follows its
/// start is returned, too.
fn outside_code<'a>(lines: impl Iterator<Item = &'a str>) -> impl Iterator<Item = &'a str> {
    let (mut outside, mut block, mut fence) = (Vec::new(), Vec::new(), "");
    for line in lines {
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match mark {
            Some(mark) if fence.is_empty() => fence = mark,
            Some(mark) if mark == fence => {
                fence = "";
                block.clear();
            }
            _ if fence.is_empty() => outside.push(line),
            _ => block.push(line),
        }
    }
    outside.append(&mut block);
    outside.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOOK: &str = "---\nevent: tool.pre\npriority: 5\nwhen: payload[\"name\"] == \"x\"\nscript: |\n  def handle(event, payload):\n      return block(\"no\")\n---\n# why\n\nIt guards.\n";

    fn is_document_named(name: &str, text: &str) -> bool {
        is_document(ArtifactKind::Hook, &Path::new(name).with_extension("md"), text)
    }

    #[test]
    fn a_text_that_says_what_it_is_is_a_document() {
        let example = format!(
            "# Our hooks\n\nEach has an `event:` and a script:\n\n- event: the event\n\n```markdown\n{HOOK}```\n\n    return block(1)\n"
        );
        for text in ["# x", "Our hooks.\n\n---\n\nMore.\n", "[![badge](x)](y)\n", "<h1>Hooks</h1>\n", &example] {
            assert!(is_document_named("README", text), "{text}");
            assert!(is_document_named("readme.de", text), "{text}");
            assert!(is_document_named("Code-of-Conduct", text), "{text}");
        }
        for text in
            ["# Notes\n\nThe hooks here return a verdict.\n\n---\n\n* When in doubt, ask.\n", "\u{FEFF}\n## Owners\r\n"]
        {
            assert!(is_document_named("notes", text), "{text}");
        }
    }

    #[test]
    fn a_damaged_hook_is_no_document_whatever_it_is_called() {
        let damages: Vec<String> = vec![
            String::new(),
            String::from(" \n\n"),
            HOOK.to_owned(),
            HOOK.replacen("---", "--", 1),
            HOOK.replacen("---", "\u{2014}", 1),
            HOOK.replacen("---", "# ---", 1),
            HOOK.replacen("---", "# guard", 1),
            HOOK.replacen("---\n", "", 1),
            HOOK.replacen("---\n", "# guard ", 1),
            HOOK.replacen("---", "+++", 1).replacen(": ", " = ", 1),
            HOOK.replace('\n', "\r").replacen("---", "# x", 1),
            format!("# guard\n\n{HOOK}"),
            format!("\u{200B}{HOOK}"),
            format!("<<<<<<< HEAD\n{HOOK}"),
            format!("```markdown\n{HOOK}```\n"),
            format!("# guard\n\n```\n{HOOK}"),
            format!("# guard\u{0}\n{HOOK}"),
        ];
        for text in damages {
            assert!(!is_document_named("guard", &text), "{text}");
            assert!(!is_document_named("README", &text), "{text}");
        }
    }

    #[test]
    fn what_is_left_of_a_hook_or_stands_in_for_one_is_no_document() {
        let lines: Vec<&str> = HOOK.lines().collect();
        for start in 0..7 {
            let rest = lines[start..].join("\n");
            assert!(!is_document_named("guard", &rest), "{rest}");
            assert!(!is_document_named("guard", &format!("# guard\n{rest}")), "{rest}");
        }
        for text in [
            "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
            "../shared/guard.md\n",
            "<!DOCTYPE html>\n<h1>404</h1>\n",
            "Some prose.\n",
            "#no space\n",
            "# guard\n```yaml\nevent: tool.pre\n```\n",
            "# guard\n> \"event\": \"tool.pre\"\n",
            "# guard\n{event: tool.pre}\n",
        ] {
            assert!(!is_document_named("guard", text), "{text}");
        }
        assert!(!is_document(ArtifactKind::Harness, Path::new("harness.md"), "# x\n"));
        assert!(!is_document(ArtifactKind::Plugin, Path::new("README.star"), "# x\n"));
    }
}
