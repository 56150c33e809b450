//! Patterns of file names.

/// Whether a pattern with `*`, `?` and `[…]` matches a whole name.
///
/// A `*` does not match a leading dot. Time grows with the product of both lengths at most; only the first 256 bytes of
/// both are compared.
pub fn matches_glob(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && pattern.starts_with(['*', '?']) {
        return false;
    }
    let pattern = pattern.as_bytes().get(..256).unwrap_or(pattern.as_bytes());
    let name = name.as_bytes().get(..256).unwrap_or(name.as_bytes());
    let (mut at, mut from) = (0, 0);
    // The last `*`, and how much of the name it matched.
    let mut star: Option<(usize, usize)> = None;
    while let Some(letter) = name.get(from) {
        let matched = match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, from));
                at += 1;
                continue;
            }
            Some(b'?') => Some(at + 1),
            Some(b'[') => match_set(pattern, at, *letter),
            Some(wanted) => (wanted == letter).then_some(at + 1),
            None => None,
        };
        match (matched, star) {
            (Some(next), _) => {
                at = next;
                from += 1;
                // A `?` is one letter, however many bytes that has.
                while pattern.get(at - 1) == Some(&b'?') && name.get(from).is_some_and(|byte| byte & 0xC0 == 0x80) {
                    from += 1;
                }
            }
            (None, Some((index, matched))) => {
                star = Some((index, matched + 1));
                (at, from) = (index + 1, matched + 1);
            }
            (None, None) => return false,
        }
    }
    pattern.get(at..).unwrap_or_default().iter().all(|letter| *letter == b'*')
}

/// The index behind a set such as `[a-z]` if it contains a letter.
fn match_set(pattern: &[u8], index: usize, letter: u8) -> Option<usize> {
    let rest = pattern.get(index + 1..)?;
    let is_negated = rest.first().is_some_and(|first| matches!(first, b'!' | b'^'));
    let begin = usize::from(is_negated);
    let end = begin + 1 + rest.get(begin + 1..)?.iter().position(|letter| *letter == b']')?;
    let set = rest.get(begin..end)?;
    let is_range = |window: &[u8]| matches!(window, [low, b'-', high] if *low <= letter && letter <= *high);
    let contains = set.contains(&letter) || set.windows(3).any(is_range);
    (contains != is_negated).then_some(index + 1 + end + 1)
}
