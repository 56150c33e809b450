//! Restores the indentation of a YAML file that a web page lost.
//!
//! The page shows the file's lines at the left margin, without the empty ones. The keys alone determine where a line
//! belongs: each key of the file is at one level, or at one of two levels for hooks below a matcher. Text of a block is
//! below its key; comments belong to the lines after them.

/// The keys that are always at the same level.
const LEVELS: &[(&str, usize)] =
    &[("agents:", 0), ("root:", 2), ("model:", 4), ("description:", 4), ("instruction:", 4), ("toolsets:", 4)];

/// The keys of a hook, which are deeper below a matcher.
const OF_HOOKS: &[&str] =
    &["name:", "type:", "timeout:", "working_dir:", "env:", "on_error:", "command:", "args:", "matcher:"];

/// The lines of the file that a page shows after its line numbers.
pub(super) fn extract_numbered_lines(page: &str) -> Result<Vec<&str>, String> {
    let lines: Vec<&str> = page.lines().collect();
    let first = lines.iter().position(|line| *line == "1").ok_or("the page has no line numbers")?;
    let numbered = lines.iter().skip(first).zip(1_usize..).take_while(|(line, number)| **line == number.to_string());
    let rest = lines.get(first + numbered.count()..).unwrap_or_default();
    if rest.is_empty() { Err(String::from("the page has no lines after its line numbers")) } else { Ok(rest.to_vec()) }
}

/// The file with its indentation. `events` are the keys below `hooks:`.
pub(super) fn restore_indentation(lines: &[&str], events: &[&str]) -> String {
    let mut margin =
        YamlMargin { events, level: 0, in_events: false, has_matchers: false, block_level: None, value_level: None };
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        let indent = margin.level_for(line.trim_end(), lines.get(index..).unwrap_or_default());
        text.push_str(&format!("{}{}\n", " ".repeat(indent), line.trim_end()));
    }
    text
}

/// Computes the indentation of the next line.
struct YamlMargin<'a> {
    events: &'a [&'a str],
    /// The level of the last key.
    level: usize,
    /// Whether the events have begun.
    in_events: bool,
    /// Whether the hooks of this event are below matchers.
    has_matchers: bool,
    /// The level of the open block's text.
    block_level: Option<usize>,
    /// The level of the values below a key, such as those of `env:`.
    value_level: Option<usize>,
}

impl YamlMargin<'_> {
    fn level_for(&mut self, line: &str, rest: &[&str]) -> usize {
        if let Some(indent) = self.block_level {
            if !self.is_structure(rest) {
                return indent;
            }
            self.block_level = None;
        }
        if line.starts_with('#') {
            return match rest.iter().find(|line| !line.starts_with('#')) {
                Some(next) => self.level_of(next).unwrap_or(self.level),
                None => self.level,
            };
        }
        let level = self.level_of(line).unwrap_or(self.level);
        self.record_opening(line, level);
        level
    }

    /// Whether a line, or the line that its comment is about, is not text of a block.
    fn is_structure(&self, rest: &[&str]) -> bool {
        let next = rest.iter().find(|line| !line.starts_with('#'));
        next.is_none_or(|line| {
            self.is_event(line)
                || ["- matcher:", "- type:", "- name:", "toolsets:"].iter().any(|key| line.starts_with(key))
        })
    }

    fn is_event(&self, line: &str) -> bool {
        line.strip_suffix(':').is_some_and(|name| self.events.contains(&name))
    }

    /// The level of a line that is neither text of a block nor a comment.
    fn level_of(&self, line: &str) -> Option<usize> {
        if self.is_event(line) {
            return Some(6);
        }
        let hook = if self.has_matchers { 14 } else { 10 };
        if line == "hooks:" {
            return Some(if self.in_events { 10 } else { 4 });
        }
        if line.starts_with("- matcher:") {
            return Some(8);
        }
        if let Some(item) = line.strip_prefix("- ") {
            let begins = OF_HOOKS.iter().any(|key| item.starts_with(key));
            return match (self.in_events, begins) {
                (true, true) => Some(hook - 2),
                (true, false) => self.value_level,
                (false, _) => Some(6),
            };
        }
        if let Some((_, level)) = LEVELS.iter().find(|(key, _)| !self.in_events && line.starts_with(key)) {
            return Some(*level);
        }
        if OF_HOOKS.iter().any(|key| line.starts_with(key)) { Some(hook) } else { self.value_level }
    }

    /// Records what a line opens.
    fn record_opening(&mut self, line: &str, level: usize) {
        let key = level + if line.starts_with("- ") { 2 } else { 0 };
        self.level = level;
        self.value_level =
            if line.ends_with(':') { Some(key + 2) } else { self.value_level.filter(|below| *below == level) };
        if line.ends_with(": |") {
            self.block_level = Some(key + 2);
        }
        if self.is_event(line) {
            (self.in_events, self.has_matchers) = (true, false);
        }
        self.has_matchers |= line.starts_with("- matcher:");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = "\
# about
agents:
  root:
    model: a/b
    instruction: |
      You help.
      Always.
    toolsets:
      - type: shell
    hooks:
      # ====
      # ONE
      # ====
      one:
        # DENY
        - matcher: \"shell\"
          hooks:
            - type: command
              timeout: 10
              command: |
                # a comment of the script
                cat <<EOF
                {\"a\": 1}
                EOF
        # MODIFY
        - matcher: \"shell\"
          hooks:
            - name: two
              type: command
              env:
                A: b
              on_error: warn
              command: |
                true
      two:
        # built in
        - type: builtin
          command: add
          args:
            - ONE.md
            - TWO.md
        - type: command
          command: |
            true
      # the end
      # two:
";

    #[test]
    fn the_levels_of_keys_are_found_again() {
        let flat: Vec<&str> = WHOLE.lines().map(str::trim).collect();
        let page = format!("menu\n1\n2\n3\n{}", flat.join("\n"));
        let lines = extract_numbered_lines(&page).unwrap();
        assert_eq!(lines, flat);
        // The last comments belong to no line, and are at the level of the last key.
        let restored = restore_indentation(&lines, &["one", "two"]);
        let trimmed = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let (found, wanted) = (trimmed(&restored), trimmed(WHOLE));
        assert_eq!(found[..found.len() - 2], wanted[..wanted.len() - 2]);
        assert!(extract_numbered_lines("1\n2\n").is_err() && extract_numbered_lines("nothing").is_err());
    }
}
