//! Settings files as users write them, with blanks, comments and foreign entries anywhere.

/// Turns bytes into choices, so that a smaller input is a smaller document.
pub(crate) struct ByteChoices<'a>(pub(crate) &'a [u8]);

impl ByteChoices<'_> {
    /// A number below a limit; 0 if the bytes are used up.
    fn number_below(&mut self, limit: usize) -> usize {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(*first) % limit
    }

    fn pick_one<'b>(&mut self, choices: &[&'b str]) -> &'b str {
        choices.get(self.number_below(choices.len())).copied().unwrap_or_default()
    }
}

/// A settings file that may have foreign hooks for these events, with their command in this field.
pub(crate) fn settings_document(choices: &mut ByteChoices<'_>, events: &[&str], field: &str, groups: bool) -> String {
    let mark = choices.pick_one(&["", "", "", "\u{feff}"]);
    let before = write_trivia(choices);
    let foreign =
        [("\"theme\"", "\"dark\""), ("\"n\"", "1.50"), ("\"deep\"", "{\"a\": [1, /* two */ 2], \"b\": null}")];
    let mut fields: Vec<(String, String)> = Vec::new();
    for (name, value) in foreign {
        if choices.number_below(2) == 1 {
            fields.push((name.to_owned(), value.to_owned()));
        }
    }
    if choices.number_below(3) > 0 {
        let hooks = hooks_object(choices, events, field, groups);
        let index = choices.number_below(fields.len() + 1);
        fields.insert(index, (String::from("\"hooks\""), hooks));
    }
    let body = json_object(choices, &fields);
    format!("{mark}{before}{body}{}", write_trivia(choices))
}

fn hooks_object(choices: &mut ByteChoices<'_>, events: &[&str], field: &str, groups: bool) -> String {
    let mut fields = Vec::new();
    for event in events.iter().take(4) {
        if choices.number_below(2) == 1 {
            let elements: Vec<String> =
                (0..choices.number_below(3)).map(|_| hook_element(choices, field, groups)).collect();
            fields.push((format!("\"{event}\""), json_array(choices, &elements)));
        }
    }
    json_object(choices, &fields)
}

fn hook_element(choices: &mut ByteChoices<'_>, field: &str, groups: bool) -> String {
    let command = choices.pick_one(&["\"./guard.sh\"", "\"echo \\\"pintle\\\" hook\"", "\"jq -r '.x' # it's\""]);
    let handler = vec![(format!("\"{field}\""), command.to_owned()), (String::from("\"timeout\""), String::from("5"))];
    let handler = json_object(choices, &handler);
    if !groups {
        return handler;
    }
    let handlers = json_array(choices, &[handler]);
    let fields =
        vec![(String::from("\"matcher\""), String::from("\"Bash|Write\"")), (String::from("\"hooks\""), handlers)];
    json_object(choices, &fields)
}

fn json_object(choices: &mut ByteChoices<'_>, fields: &[(String, String)]) -> String {
    let fields: Vec<String> = fields
        .iter()
        .map(|(name, value)| format!("{name}{}:{}{value}", write_trivia(choices), write_trivia(choices)))
        .collect();
    write_bracketed(choices, '{', &fields, '}')
}

fn json_array(choices: &mut ByteChoices<'_>, elements: &[String]) -> String {
    write_bracketed(choices, '[', elements, ']')
}

fn write_bracketed(choices: &mut ByteChoices<'_>, open: char, parts: &[String], close: char) -> String {
    let mut text = String::from(open);
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            text.push_str(&format!("{},", write_trivia(choices)));
        }
        text.push_str(&format!("{}{part}", write_trivia(choices)));
    }
    if !parts.is_empty() && choices.number_below(4) == 1 {
        text.push_str(&format!("{},", write_trivia(choices)));
    }
    format!("{text}{}{close}", write_trivia(choices))
}

fn write_trivia(choices: &mut ByteChoices<'_>) -> String {
    let blank = choices.pick_one(&["", " ", "\n", "\n  ", "\n\t", "\r\n  ", "  ", "\n\n    "]);
    let comment =
        choices.pick_one(&["", "", "", "", "/* kept */", "// kept\n", "/* two\n lines */ ", "// \"hooks\": {\r\n"]);
    format!("{blank}{comment}")
}
