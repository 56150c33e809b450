//! Whether a condition selects every row.

use super::words::SqlWord;

/// Whether a `DELETE` or an `UPDATE` has no condition, or one that is always true.
pub(super) fn selects_everything(words: &[SqlWord]) -> bool {
    let mut depth = 0_usize;
    let mut condition = None;
    for (index, word) in words.iter().enumerate() {
        match word {
            SqlWord::Mark('(') => depth += 1,
            // The statement is in brackets, as in `WITH gone AS (DELETE FROM t)`.
            SqlWord::Mark(')') if depth == 0 => {
                return condition.is_none_or(|begin| is_always_true(words.get(begin..index)));
            }
            SqlWord::Mark(')') => depth -= 1,
            word if depth == 0 && condition.is_none() && word.is_any("WHERE") => condition = Some(index + 1),
            _ => {}
        }
    }
    condition.is_none_or(|begin| is_always_true(words.get(begin..)))
}

fn is_always_true(words: Option<&[SqlWord]>) -> bool {
    let words = words.unwrap_or_default();
    let end = words.iter().position(|word| word.is_any("RETURNING LIMIT ORDER OPTION ALLOW")).unwrap_or(words.len());
    let words = unwrapped(words.get(..end).unwrap_or_default());
    if words.is_empty() {
        return true;
    }
    split(words, "OR").iter().any(|part| split(part, "AND").iter().all(|part| is_true(part)))
}

/// Without the brackets around all of it.
fn unwrapped(words: &[SqlWord]) -> &[SqlWord] {
    match words {
        [SqlWord::Mark('('), inner @ .., SqlWord::Mark(')')] if split_depth(inner) => unwrapped(inner),
        words => words,
    }
}

/// Whether brackets never close more than they open.
fn split_depth(words: &[SqlWord]) -> bool {
    let mut depth = 0_isize;
    words.iter().all(|word| {
        match word {
            SqlWord::Mark('(') => depth += 1,
            SqlWord::Mark(')') => depth -= 1,
            _ => {}
        }
        depth >= 0
    })
}

fn split<'w>(words: &'w [SqlWord], separator: &str) -> Vec<&'w [SqlWord]> {
    let mut depth = 0_usize;
    let mut between = false;
    let mut parts = Vec::new();
    let mut begin = 0;
    for (index, word) in words.iter().enumerate() {
        match word {
            SqlWord::Mark('(') => depth += 1,
            SqlWord::Mark(')') => depth = depth.saturating_sub(1),
            word if word.is_any("BETWEEN") => between = true,
            word if depth == 0 && word.is_any(separator) => {
                // The `AND` of `BETWEEN a AND b`.
                if separator == "AND" && std::mem::take(&mut between) {
                    continue;
                }
                parts.push(words.get(begin..index).unwrap_or_default());
                begin = index + 1;
            }
            _ => {}
        }
    }
    parts.push(words.get(begin..).unwrap_or_default());
    parts
}

/// Whether one comparison is true for every row.
fn is_true(words: &[SqlWord]) -> bool {
    let words = unwrapped(words);
    let is_key = |word: &SqlWord| {
        let name = word.name().to_ascii_lowercase();
        matches!(name.rsplit('.').next(), Some("id" | "rowid" | "_id" | "ctid" | "uuid" | "pk"))
    };
    match words {
        [] => true,
        [word] if word.is_any("TRUE") => true,
        [SqlWord::Number(number)] => number != "0",
        [SqlWord::Text(text)] => text == "t" || text == "1" || text.eq_ignore_ascii_case("true"),
        [not, word] if not.is_any("NOT") => word.is_any("FALSE") || *word == SqlWord::Number(String::from("0")),
        [left, SqlWord::Mark('='), right] => left == right && !matches!(left, SqlWord::Mark(_)),
        [SqlWord::Number(left), SqlWord::Mark('<'), SqlWord::Mark('>' | '='), SqlWord::Number(right)]
        | [SqlWord::Number(left), SqlWord::Mark('!'), SqlWord::Mark('='), SqlWord::Number(right)] => left != right,
        [SqlWord::Number(left), SqlWord::Mark(mark), SqlWord::Number(right)] => {
            let compare = left.parse::<f64>().ok().zip(right.parse::<f64>().ok());
            compare.is_some_and(|(left, right)| match mark {
                '<' => left < right,
                '>' => left > right,
                _ => false,
            })
        }
        [SqlWord::Text(left), SqlWord::Mark('<' | '!'), SqlWord::Mark('>' | '='), SqlWord::Text(right)] => {
            left != right
        }
        [left, SqlWord::Mark('<' | '>'), SqlWord::Mark('='), right] if left == right => true,
        [word, is, not, null] if is_key(word) => is.is_any("IS") && not.is_any("NOT") && null.is_any("NULL"),
        [word, SqlWord::Mark('>'), SqlWord::Number(zero)] if is_key(word) => zero == "0",
        [word, SqlWord::Mark('>'), SqlWord::Mark('='), SqlWord::Number(least)] if is_key(word) => {
            least == "0" || least == "1"
        }
        [word, SqlWord::Mark('>'), SqlWord::Mark('-'), SqlWord::Number(_)]
        | [word, SqlWord::Mark('!'), SqlWord::Mark('='), SqlWord::Number(_)]
        | [word, SqlWord::Mark('<'), SqlWord::Mark('>'), SqlWord::Number(_)]
            if is_key(word) =>
        {
            true
        }
        [_, like, SqlWord::Text(pattern)] if like.is_any("LIKE ILIKE") => pattern == "%",
        _ => false,
    }
}
