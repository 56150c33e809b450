//! Suggestions for misspelt names.

/// The maximum length in characters of a name that is compared.
const LONGEST_NAME: usize = 64;

/// Finds the candidate most similar to what was written; `None` if no candidate is similar enough.
///
/// One edit is tolerated for each three characters, at least one. Case is ignored. A text longer than any name is not
/// compared.
pub fn suggest_nearest<'a>(written: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if written.chars().nth(LONGEST_NAME).is_some() {
        return None;
    }
    let wanted: Vec<char> = written.chars().flat_map(char::to_lowercase).collect();
    let mut search = NearestName { allowed: (wanted.len() / 3).max(1), wanted, ..NearestName::default() };
    search.wanted_counts = LetterCounts::new(&search.wanted);
    candidates
        .into_iter()
        .filter_map(|candidate| Some((search.edits_of(candidate)?, candidate)))
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// The help for a misspelt name: the candidate most similar to it, if one is similar enough.
pub fn did_you_mean<'a>(written: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    suggest_nearest(written, candidates).map(|near| format!("did you mean `{near}`?"))
}

/// The help for a misspelt name: the candidate most similar to it, otherwise all candidates after `intro`.
pub fn suggest_or_list<'a>(
    written: &str,
    candidates: impl IntoIterator<Item = &'a str> + Clone,
    intro: &str,
) -> String {
    let all = || candidates.clone().into_iter().collect::<Vec<_>>().join(", ");
    did_you_mean(written, candidates.clone()).unwrap_or_else(|| format!("{intro} {}", all()))
}

/// A search among many candidates, whose buffers are used again.
#[derive(Default)]
struct NearestName {
    wanted: Vec<char>,
    wanted_counts: LetterCounts,
    /// The most edits that are tolerated.
    allowed: usize,
    candidate: Vec<char>,
    /// The distances of the last two prefixes of `wanted`, and of this one, from each prefix of the candidate.
    before_last: Vec<usize>,
    last: Vec<usize>,
    current: Vec<usize>,
}

/// How often letters are in a word. Some letters share a count.
#[derive(Default)]
struct LetterCounts([u8; 32]);

impl LetterCounts {
    fn new(letters: &[char]) -> Self {
        let mut counts = Self::default();
        for letter in letters {
            if let Some(count) = counts.0.get_mut(u32::from(*letter) as usize % 32) {
                *count = count.saturating_add(1);
            }
        }
        counts
    }

    /// At least this many edits make the letters of one word those of another: an edit changes at most one letter of each.
    fn fewest_edits(&self, other: &Self) -> usize {
        let (mut missing, mut surplus) = (0, 0);
        for (own, other) in self.0.iter().zip(&other.0) {
            missing += usize::from(other.saturating_sub(*own));
            surplus += usize::from(own.saturating_sub(*other));
        }
        missing.max(surplus)
    }
}

impl NearestName {
    /// The number of edits (insert, delete, replace, swap of neighbours) from `wanted` to a candidate; `None` if there are
    /// more than tolerated.
    fn edits_of(&mut self, candidate: &str) -> Option<usize> {
        let Self { wanted, wanted_counts, allowed, candidate: to, before_last, last, current } = self;
        to.clear();
        match candidate.is_ascii() {
            true => to.extend(candidate.bytes().map(|byte| char::from(byte.to_ascii_lowercase()))),
            false => to.extend(candidate.chars().flat_map(char::to_lowercase)),
        }
        if to.len().abs_diff(wanted.len()) > *allowed || wanted_counts.fewest_edits(&LetterCounts::new(to)) > *allowed {
            return None;
        }
        last.clear();
        last.extend(0..=to.len());
        let (mut previous, mut least_before) = (None, 0);
        for (row, have) in wanted.iter().enumerate() {
            current.clear();
            current.push(row + 1);
            for (column, want) in to.iter().enumerate() {
                let at = |cells: &[usize], index: usize| cells.get(index).copied().unwrap_or(usize::MAX / 2);
                let replace = at(last, column) + usize::from(have != want);
                let mut best = replace.min(at(last, column + 1) + 1).min(at(current, column) + 1);
                let swapped = column > 0 && previous == Some(want) && to.get(column - 1) == Some(have);
                if swapped {
                    best = best.min(at(before_last, column - 1) + 1);
                }
                current.push(best);
            }
            // A swap reaches back two rows, so two of them must be too far.
            let least = current.iter().copied().min().unwrap_or_default();
            if least.min(least_before) > *allowed {
                return None;
            }
            least_before = least;
            std::mem::swap(before_last, last);
            std::mem::swap(last, current);
            previous = Some(have);
        }
        last.last().copied().filter(|edits| edits <= allowed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_slips_and_leaves_strangers_alone() {
        let known = ["event", "priority", "when", "script"];
        assert_eq!(suggest_nearest("prioriy", known), Some("priority"));
        assert_eq!(suggest_nearest("evnet", known), Some("event"));
        assert_eq!(suggest_nearest("Script", known), Some("script"));
        assert_eq!(suggest_nearest("colour", known), None);
        assert_eq!(suggest_nearest("", known), None);
    }

    #[test]
    fn counts_of_letters_exclude_no_name_that_is_near_enough() {
        let words: Vec<String> = (0..4_u32.pow(6))
            .map(|number| {
                (0..6)
                    .filter_map(|place| ["", "a", "B", "\u{130}"].get((number >> (2 * place)) as usize % 4))
                    .copied()
                    .collect()
            })
            .collect();
        let lower = |word: &str| word.chars().flat_map(char::to_lowercase).collect::<Vec<_>>();
        for (index, word) in words.iter().enumerate() {
            let (wanted, wanted_counts) = (lower(word), LetterCounts::new(&lower(word)));
            let mut search = NearestName { allowed: 64, wanted, wanted_counts, ..NearestName::default() };
            for candidate in words.iter().skip(index % 61).step_by(61) {
                let fewest = search.wanted_counts.fewest_edits(&LetterCounts::new(&lower(candidate)));
                assert!(search.edits_of(candidate).unwrap() >= fewest, "{word} {candidate}");
            }
        }
    }

    #[test]
    fn a_word_longer_than_any_name_is_no_slip_of_one() {
        let name = "a".repeat(65);
        assert_eq!(suggest_nearest(&name, [name.as_str()]), None);
        assert_eq!(suggest_nearest(&name[1..], [name.as_str()]), Some(name.as_str()));
    }
}
