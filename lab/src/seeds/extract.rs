//! Extracts artifacts, tables and snippets from a document.

use super::indent::{function_lines, restore_indentation};

/// A hook file that a document shows completely.
pub(super) struct DocumentArtifact {
    /// The file's name, which the document gives as the heading of the body.
    pub(super) name: String,
    /// The text, with its indentation restored.
    pub(super) text: String,
}

/// The hook files of a document.
pub(super) fn artifacts(document: &str) -> Vec<DocumentArtifact> {
    let lines: Vec<&str> = document.lines().collect();
    let mut found = Vec::new();
    for start in 0..lines.len() {
        let is = |index: usize, text: &str| lines.get(index).is_some_and(|line| line.trim_end() == text);
        let begins = is(start, "---") && lines.get(start + 1).is_some_and(|line| line.starts_with("event:"));
        let Some(end) = begins.then(|| (start + 1..lines.len()).find(|index| is(*index, "---"))).flatten() else {
            continue;
        };
        let front = lines.get(start + 1..end).unwrap_or_default();
        let body: Vec<&str> =
            lines.get(end + 1..).unwrap_or_default().iter().copied().skip_while(|l| l.is_empty()).take(3).collect();
        let name = body.first().and_then(|line| line.strip_prefix("# ")).unwrap_or("unnamed").to_owned();
        found.push(DocumentArtifact { name, text: format!("---\n{}---\n\n{}\n", frontmatter(front), body.join("\n")) });
    }
    found
}

/// Frontmatter with the script's block indented again, if needed.
fn frontmatter(lines: &[&str]) -> String {
    let script = lines.iter().position(|line| line.trim_end() == "script: |").map_or(lines.len(), |index| index + 1);
    let (head, code) = lines.split_at_checked(script).unwrap_or((lines, &[]));
    let mut text: String = head.iter().map(|line| format!("{line}\n")).collect();
    if code.iter().any(|line| line.starts_with(' ')) {
        text.extend(code.iter().map(|line| format!("{line}\n")));
    } else {
        text.extend(restore_indentation(code).iter().map(|line| format!("  {line}\n")));
    }
    text
}

/// The rows, as cells, of the table whose heading starts with this text.
pub(super) fn table<'a>(document: &'a str, heading: &str) -> Vec<Vec<&'a str>> {
    let begins = |line: &&str| line.trim_start_matches("| ").starts_with(heading);
    let rows = document.lines().skip_while(|line| !begins(line)).skip(1);
    let rows = rows.skip_while(|line| line.starts_with("|---")).take_while(|line| line.contains('|'));
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// The rows of a table whose cells ran together, each as the names at its start: `a.b / a.cWhat they are for`.
pub(super) fn run_together_names<'a>(document: &'a str, heading: &str) -> Vec<Vec<&'a str>> {
    let rows = document.lines().skip_while(|line| !line.starts_with(heading)).skip(1);
    rows.take_while(|line| !line.is_empty()).map(|row| row.split(" / ").map(leading_name).collect()).collect()
}

/// The name at the start of a text: lower-case letters, dots and underscores.
pub(super) fn leading_name(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_lowercase() || c == '.' || c == '_')).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// Conditions that a document shows below a comment: the comment and the expression.
pub(super) fn conditions(document: &str) -> Vec<(&str, &str)> {
    let pairs = document.lines().zip(document.lines().skip(1));
    pairs.filter_map(|(remark, line)| Some((remark.strip_prefix("# ")?, line.strip_prefix("when: ")?))).collect()
}

/// Functions that a document shows outside of artifacts, indented again.
pub(super) fn functions(document: &str) -> Vec<String> {
    let lines: Vec<&str> = document.lines().collect();
    let mut found = Vec::new();
    for (index, _) in lines.iter().enumerate().filter(|(_, line)| line.starts_with("def ")) {
        found.push(restore_indentation(function_lines(lines.get(index..).unwrap_or_default())).join("\n"));
    }
    found
}

/// Payloads that a document shows below a heading with the event's name: the name and the literal.
pub(super) fn payloads(document: &str) -> Vec<(&str, String)> {
    let lines: Vec<&str> = document.lines().collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let name = line.strip_prefix("# ").filter(|name| leading_name(name) == *name && name.contains('.'));
        let rest = lines.get(index + 1..).unwrap_or_default();
        let closes = |line: &&str| **line == *"}" || line.starts_with('"') && line.ends_with('"');
        let literal = rest.iter().position(closes).and_then(|end| rest.get(..=end));
        found.extend(name.zip(literal.map(|lines| lines.join("\n"))));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "\
Shape
---
event: tool.post
script: |
def handle(event, payload):
if payload:
return allow()
return allow()
---
# silent
Says nothing.
Event | Fires |
|---|---|
a.b | now. | {x}. |
c.d | then. | None |
end
Built-inPurpose
log / log.infoLogs
json.encodeJSON

# Only errors
when: payload[\"is_error\"]
# turn.x
\"text\"
# tool.x
{
\"a\": 1,
}
";

    #[test]
    fn a_page_gives_up_what_it_shows() {
        let shown = artifacts(PAGE);
        let text = "---\nevent: tool.post\nscript: |\n  def handle(event, payload):\n      if payload:\n          return allow()\n      return allow()\n---\n\n# silent\nSays nothing.\nEvent | Fires |\n";
        assert_eq!(
            shown.iter().map(|shown| (shown.name.as_str(), shown.text.as_str())).collect::<Vec<_>>(),
            [("silent", text)]
        );
        assert_eq!(table(PAGE, "Event |"), [vec!["a.b", "now.", "{x}."], vec!["c.d", "then.", "None"]]);
        assert_eq!(run_together_names(PAGE, "Built-in"), [vec!["log", "log.info"], vec!["json.encode"]]);
        assert_eq!(conditions(PAGE), [("Only errors", "payload[\"is_error\"]")]);
        assert_eq!(payloads(PAGE), [("turn.x", String::from("\"text\"")), ("tool.x", String::from("{\n\"a\": 1,\n}"))]);
        assert_eq!(functions(PAGE).len(), 1);
    }
}
