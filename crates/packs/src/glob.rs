//! Patterns of paths and of their parts.

/// What a path is to a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PathFit {
    /// Elsewhere.
    Apart,
    /// A directory that may have below it what the pattern names.
    Above,
    /// A pattern itself, which may stand for what the pattern names.
    Crossing,
    /// What the pattern names, or below it.
    Within,
}

/// Compares a path with a pattern: `*` and `?` within a part, `**` for any parts. What the pattern names is there with
/// everything below it. `*` in the path is a pattern as well.
pub(crate) fn fit_path(pattern: &str, path: &str) -> PathFit {
    let parts: Vec<&str> = pattern.trim_end_matches('/').split('/').collect();
    // Where the comparison may be in the pattern, and whether that is certain.
    let mut places: Vec<Option<bool>> = vec![None; parts.len() + 1];
    reach(&mut places, 0, true, &parts);
    let is_over = |places: &[Option<bool>]| places.last().copied().flatten();
    let mut crosses = false;
    for part in path.trim_end_matches('/').split('/') {
        match is_over(&places) {
            Some(true) => return PathFit::Within,
            Some(false) => crosses = true,
            None => {}
        }
        let mut next = vec![None; parts.len() + 1];
        for (index, (wanted, place)) in parts.iter().zip(&places).enumerate() {
            let Some(is_certain) = *place else { continue };
            if *wanted == "**" {
                reach(&mut next, index, is_certain, &parts);
            } else if matches_part(wanted.as_bytes(), part.as_bytes()) {
                reach(&mut next, index + 1, is_certain, &parts);
            } else if parts_overlap(wanted, part) {
                reach(&mut next, index + 1, false, &parts);
            }
        }
        places = next;
    }
    match is_over(&places) {
        Some(true) => PathFit::Within,
        _ if crosses || is_over(&places).is_some() => PathFit::Crossing,
        _ if places.iter().any(Option::is_some) => PathFit::Above,
        _ => PathFit::Apart,
    }
}

/// Notes a place in the pattern, and those behind `**`, which may stand for no part.
fn reach(places: &mut [Option<bool>], index: usize, is_certain: bool, parts: &[&str]) {
    let stars = parts.iter().skip(index).take_while(|part| **part == "**").count();
    for place in places.iter_mut().skip(index).take(stars + 1) {
        *place = Some(place.unwrap_or_default() || is_certain);
    }
}

/// Whether there is a text for which both patterns stand.
pub(crate) fn parts_overlap(one: &str, other: &str) -> bool {
    if !other.contains(['*', '?']) {
        return matches_part(one.as_bytes(), other.as_bytes());
    }
    let (one, other) = (one.as_bytes(), other.as_bytes());
    // By row, the places of the second pattern that go with one of the first.
    let mut row = vec![false; other.len() + 1];
    for (index, place) in row.iter_mut().enumerate() {
        *place = other.iter().take(index).all(|letter| *letter == b'*');
    }
    for letter in one {
        let mut next = vec![false; other.len() + 1];
        for index in 0..=other.len() {
            let at = |row: &[bool], index: usize| row.get(index).copied().unwrap_or_default();
            let before = index.checked_sub(1);
            let against = before.and_then(|before| other.get(before));
            let skips_one = *letter == b'*' && (at(&row, index) || before.is_some_and(|before| at(&next, before)));
            let skips_other =
                against == Some(&b'*') && (at(&row, index) || before.is_some_and(|before| at(&next, before)));
            let is_same = against
                .is_some_and(|against| against == letter || matches!(against, b'?' | b'[') || matches!(letter, b'?'))
                && before.is_some_and(|before| at(&row, before));
            if let Some(place) = next.get_mut(index) {
                *place = skips_one || skips_other || is_same;
            }
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

/// Whether a path, or another text with slashes, is what a pattern says: `*` and `?` within a part, `**` for any parts.
/// `/**` and `/` at the end stand for everything below.
pub(crate) fn matches_path(pattern: &str, path: &str) -> bool {
    let pattern: Vec<&str> = match pattern.strip_suffix('/') {
        Some(directory) => directory.split('/').chain(["**"]).collect(),
        None => pattern.split('/').collect(),
    };
    let path: Vec<&str> = path.split('/').collect();
    let (mut at, mut from) = (0, 0);
    // The last `**`, and how many parts it stands for.
    let mut star: Option<(usize, usize)> = None;
    while let Some(part) = path.get(from) {
        let is_last = at + 1 == pattern.len();
        match pattern.get(at) {
            Some(&"**") if is_last => return !part.is_empty(),
            Some(&"**") => {
                star = Some((at, from));
                at += 1;
            }
            Some(wanted) if matches_part(wanted.as_bytes(), part.as_bytes()) => (at, from) = (at + 1, from + 1),
            _ => match star {
                Some((index, matched)) => {
                    star = Some((index, matched + 1));
                    (at, from) = (index + 1, matched + 1);
                }
                None => return false,
            },
        }
    }
    at == pattern.len()
}

/// Whether a text has the colons of an exception. What is behind a colon is often another thing, so no pattern of one goes
/// over it: `feature/x:main` pushes to `main`.
pub(crate) fn has_same_colons(pattern: &str, text: &str) -> bool {
    let colons = |text: &str| text.matches(':').count();
    colons(pattern) == colons(text)
}

/// A `*` in the text is a pattern itself, which only a `*` covers.
pub(crate) fn matches_part(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut from) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while let Some(letter) = text.get(from) {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, from));
                at += 1;
                continue;
            }
            Some(b'?') if *letter != b'*' => {
                (at, from) = (at + 1, from + 1);
                // One letter, however many bytes it has.
                while text.get(from).is_some_and(|byte| byte & 0xC0 == 0x80) {
                    from += 1;
                }
                continue;
            }
            Some(wanted) if wanted == letter => {
                (at, from) = (at + 1, from + 1);
                continue;
            }
            _ => {}
        }
        let Some((index, matched)) = star else { return false };
        star = Some((index, matched + 1));
        (at, from) = (index + 1, matched + 1);
    }
    pattern.get(at..).unwrap_or_default().iter().all(|letter| *letter == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_compared_with_a_pattern() {
        use PathFit::{Above, Apart, Crossing, Within};
        for (pattern, path, expected) in [
            ("/p/infra/**", "/p/infra/a", Within),
            ("/p/infra/**", "/p/infra", Within),
            ("/p/infra", "/p/infra/a/b", Within),
            ("/p/infra", "/p", Above),
            ("/p/infra", "/", Above),
            ("/p/infra", "/p/infrared", Apart),
            ("/p/infra", "/q", Apart),
            ("/p/infra", "/p/*", Crossing),
            ("/p/infra", "/p/in*", Crossing),
            ("/p/infra", "/p/x*", Apart),
            ("/p/infra", "/*/infra", Crossing),
            ("/p/in*", "/p/*", Crossing),
            ("/p/*", "/p/*", Within),
            ("/p/**/k.pem", "/p/a/b/k.pem", Within),
            ("/p/**/k.pem", "/p/k.pem", Within),
            ("/p/**/k.pem", "/p/a", Above),
            ("/p/**", "/p/x", Within),
            ("/p/*.pem", "/p/a.pem", Within),
            ("/p/*.pem", "/p/*.txt", Apart),
            ("/p/*.pem", "/p/a*", Crossing),
            ("**", "/x", Within),
        ] {
            assert_eq!(fit_path(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn two_patterns_overlap_if_a_text_is_both() {
        for (one, other) in [("publish", "p*"), ("a*", "*b"), ("*", "*"), ("a?c", "abc"), ("abc", "a?c"), ("", "*")] {
            assert!(parts_overlap(one, other), "{one} {other}");
        }
        for (one, other) in
            [("publish", "q*"), ("a*c", "b*"), ("abc", "a?d"), ("", "?"), ("ab", "a"), ("*.pem", "*.txt")]
        {
            assert!(!parts_overlap(one, other), "{one} {other}");
        }
    }

    #[test]
    fn long_patterns_take_no_long_time() {
        let pattern = format!("/{}x", "**/*a*a*a*a*a/".repeat(50));
        let path = format!("/{}", "aaaaaaaa*aaaaaaaa/".repeat(100));
        assert_ne!(fit_path(&pattern, &path), PathFit::Within);
    }
}
