//! Settings files as people write them: every blank, comment and foreign entry somewhere.

/// Turns bytes into choices, so that a smaller input is a smaller document.
pub(crate) struct Choices<'a>(pub(crate) &'a [u8]);

impl Choices<'_> {
    /// A number below a limit; 0 when the bytes are used up.
    fn below(&mut self, limit: usize) -> usize {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(*first) % limit
    }

    fn one<'b>(&mut self, of: &[&'b str]) -> &'b str {
        of.get(self.below(of.len())).copied().unwrap_or_default()
    }
}

/// A settings file that may have hooks of others for these events, and handlers with their command in this field.
pub(crate) fn document(choices: &mut Choices<'_>, events: &[&str], field: &str, groups: bool) -> String {
    let mark = choices.one(&["", "", "", "\u{feff}"]);
    let before = trivia(choices);
    let foreign =
        [("\"theme\"", "\"dark\""), ("\"n\"", "1.50"), ("\"deep\"", "{\"a\": [1, /* two */ 2], \"b\": null}")];
    let mut fields: Vec<(String, String)> = Vec::new();
    for (name, value) in foreign {
        if choices.below(2) == 1 {
            fields.push((name.to_owned(), value.to_owned()));
        }
    }
    if choices.below(3) > 0 {
        let hooks = hooks(choices, events, field, groups);
        let at = choices.below(fields.len() + 1);
        fields.insert(at, (String::from("\"hooks\""), hooks));
    }
    let body = object(choices, &fields);
    format!("{mark}{before}{body}{}", trivia(choices))
}

fn hooks(choices: &mut Choices<'_>, events: &[&str], field: &str, groups: bool) -> String {
    let mut fields = Vec::new();
    for event in events.iter().take(4) {
        if choices.below(2) == 1 {
            let elements: Vec<String> = (0..choices.below(3)).map(|_| element(choices, field, groups)).collect();
            fields.push((format!("\"{event}\""), array(choices, &elements)));
        }
    }
    object(choices, &fields)
}

fn element(choices: &mut Choices<'_>, field: &str, groups: bool) -> String {
    let command = choices.one(&["\"./guard.sh\"", "\"echo \\\"pintle\\\" hook\"", "\"jq -r '.x' # it's\""]);
    let handler = vec![(format!("\"{field}\""), command.to_owned()), (String::from("\"timeout\""), String::from("5"))];
    let handler = object(choices, &handler);
    if !groups {
        return handler;
    }
    let handlers = array(choices, &[handler]);
    let fields =
        vec![(String::from("\"matcher\""), String::from("\"Bash|Write\"")), (String::from("\"hooks\""), handlers)];
    object(choices, &fields)
}

fn object(choices: &mut Choices<'_>, fields: &[(String, String)]) -> String {
    let fields: Vec<String> =
        fields.iter().map(|(name, value)| format!("{name}{}:{}{value}", trivia(choices), trivia(choices))).collect();
    bracketed(choices, '{', &fields, '}')
}

fn array(choices: &mut Choices<'_>, elements: &[String]) -> String {
    bracketed(choices, '[', elements, ']')
}

fn bracketed(choices: &mut Choices<'_>, open: char, parts: &[String], close: char) -> String {
    let mut text = String::from(open);
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            text.push_str(&format!("{},", trivia(choices)));
        }
        text.push_str(&format!("{}{part}", trivia(choices)));
    }
    if !parts.is_empty() && choices.below(4) == 1 {
        text.push_str(&format!("{},", trivia(choices)));
    }
    format!("{text}{}{close}", trivia(choices))
}

fn trivia(choices: &mut Choices<'_>) -> String {
    let blank = choices.one(&["", " ", "\n", "\n  ", "\n\t", "\r\n  ", "  ", "\n\n    "]);
    let comment =
        choices.one(&["", "", "", "", "/* kept */", "// kept\n", "/* two\n lines */ ", "// \"hooks\": {\r\n"]);
    format!("{blank}{comment}")
}
