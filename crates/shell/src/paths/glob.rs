//! Patterns of file names.

/// Whether a pattern with `*`, `?` and `[…]` matches a whole name.
///
/// A `*` does not match a leading dot. Time grows with the product of both lengths at most.
pub(crate) fn matches_glob(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && pattern.starts_with(['*', '?']) {
        return false;
    }
    let pattern: Vec<char> = pattern.chars().take(256).collect();
    let name: Vec<char> = name.chars().take(256).collect();
    let (mut at, mut from) = (0, 0);
    // The last `*`, and how much of the name it matched.
    let mut star: Option<(usize, usize)> = None;
    while from < name.len() {
        let matched = pattern.get(at).and_then(|wanted| match wanted {
            '*' => None,
            '?' => Some(at + 1),
            '[' => match_set(&pattern, at, name.get(from).copied()),
            letter => (name.get(from) == Some(letter)).then_some(at + 1),
        });
        if pattern.get(at) == Some(&'*') {
            star = Some((at, from));
            at += 1;
        } else if let Some(next) = matched {
            at = next;
            from += 1;
        } else if let Some((index, matched)) = star {
            star = Some((index, matched + 1));
            (at, from) = (index + 1, matched + 1);
        } else {
            return false;
        }
    }
    pattern.get(at..).unwrap_or_default().iter().all(|letter| *letter == '*')
}

/// The index behind a set such as `[a-z]` if it contains a letter.
fn match_set(pattern: &[char], at: usize, letter: Option<char>) -> Option<usize> {
    let letter = letter?;
    let rest = pattern.get(at + 1..)?;
    let is_negated = rest.first().is_some_and(|first| matches!(first, '!' | '^'));
    let begin = usize::from(is_negated);
    let end = begin + 1 + rest.get(begin + 1..)?.iter().position(|letter| *letter == ']')?;
    let set = rest.get(begin..end)?;
    let is_range = |window: &[char]| matches!(window, [low, '-', high] if *low <= letter && letter <= *high);
    let contains = set.contains(&letter) || set.windows(3).any(is_range);
    (contains != is_negated).then_some(at + 1 + end + 1)
}
