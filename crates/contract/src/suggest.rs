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
    let wanted = written.to_lowercase();
    let allowed = (wanted.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (edit_distance(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|(edits, _)| *edits <= allowed)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// The number of edits (insert, delete, replace, swap of neighbours) between two texts.
fn edit_distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    let mut previous = None;
    for (row, have) in from.chars().enumerate() {
        let mut current = vec![row + 1];
        for (column, want) in to.iter().enumerate() {
            let at = |cells: &[usize], index: usize| cells.get(index).copied().unwrap_or(usize::MAX / 2);
            let replace = at(&last, column) + usize::from(have != *want);
            let mut best = replace.min(at(&last, column + 1) + 1).min(at(&current, column) + 1);
            let swapped = column > 0 && previous == Some(*want) && to.get(column - 1) == Some(&have);
            if swapped {
                best = best.min(at(&before_last, column - 1) + 1);
            }
            current.push(best);
        }
        before_last = std::mem::replace(&mut last, current);
        previous = Some(have);
    }
    last.last().copied().unwrap_or(0)
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
    fn a_word_longer_than_any_name_is_no_slip_of_one() {
        let name = "a".repeat(65);
        assert_eq!(suggest_nearest(&name, [name.as_str()]), None);
        assert_eq!(suggest_nearest(&name[1..], [name.as_str()]), Some(name.as_str()));
    }
}
