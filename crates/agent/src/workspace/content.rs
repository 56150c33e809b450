//! Edits by content.

/// Replaces the only occurrence of `old`.
///
/// It is an error if `old` does not occur or occurs more than once, because the edit must hit the intended place.
pub(crate) fn replace_one(text: &str, old: &str, new: &str) -> Result<String, String> {
    match count_matches(text, old)? {
        1 => Ok(text.replacen(old, new, 1)),
        0 => Err(String::from("the text to replace is not in the file; read the file and copy it exactly")),
        many => Err(format!("the text to replace is in the file {many} times; include more of the surrounding text")),
    }
}

/// Replaces every occurrence of `old`, and returns their number.
pub(crate) fn replace_all(text: &str, old: &str, new: &str) -> Result<(String, usize), String> {
    match count_matches(text, old)? {
        0 => Err(String::from("the text to replace is not in the file; read the file and copy it exactly")),
        many => Ok((text.replace(old, new), many)),
    }
}

fn count_matches(text: &str, old: &str) -> Result<usize, String> {
    if old.is_empty() {
        return Err(String::from("the text to replace is empty; pass the text to replace"));
    }
    Ok(text.matches(old).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replacement_must_hit_exactly_what_was_meant() {
        assert_eq!(replace_one("a b c", "b", "x"), Ok(String::from("a x c")));
        assert!(replace_one("a b b", "b", "x").unwrap_err().contains("2 times"));
        assert!(replace_one("a", "b", "x").unwrap_err().contains("not in the file"));
        assert!(replace_one("a", "", "x").unwrap_err().contains("empty"));
        assert_eq!(replace_all("a b b", "b", "x"), Ok((String::from("a x x"), 2)));
        assert!(replace_all("a", "b", "x").is_err());
    }
}
