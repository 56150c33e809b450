//! Escapes in texts.

/// Text with `\n`, `\x72`, `\162` and their kin replaced, as most languages do it: any other letter is that letter.
pub(crate) fn unescape(text: &str) -> String {
    replace_escapes(text, |_| true)
}

/// The same as `echo` and `printf` do it: other letters keep the backslash in front of them.
pub(crate) fn unescape_printed(text: &str) -> String {
    replace_escapes(text, |letter| matches!(letter, '\\' | '"'))
}

fn replace_escapes(text: &str, is_escaped: impl Fn(char) -> bool) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            plain.push(letter);
            continue;
        }
        let (radix, most) = match letters.peek() {
            Some('x') => (16, 2),
            Some('u') => (16, 4),
            Some('U') => (16, 8),
            Some('0') => (8, 4),
            Some('1'..='7') => (8, 3),
            _ => (0, 0),
        };
        if radix == 0 {
            match letters.next() {
                Some('n') => plain.push('\n'),
                Some('t') => plain.push('\t'),
                Some('r') => plain.push('\r'),
                Some(other) => {
                    plain.extend(Some('\\').filter(|_| !is_escaped(other)));
                    plain.push(other);
                }
                None => plain.push('\\'),
            }
            continue;
        }
        if radix == 16 {
            letters.next();
        }
        let mut code = 0_u32;
        for _ in 0..most {
            let Some(digit) = letters.peek().and_then(|letter| letter.to_digit(radix)) else { break };
            code = code * radix + digit;
            letters.next();
        }
        plain.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    plain
}
