//! Measures how random a text looks.

/// The Shannon entropy of a text, in bits per byte.
pub(crate) fn bits_per_byte(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in text.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let length = text.len() as f64;
    let bits = |count: &u32| {
        let share = f64::from(*count) / length;
        -share * share.log2()
    };
    counts.iter().filter(|count| **count > 0).map(bits).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_kinds_of_characters_are_more_bits() {
        for (text, bits) in [("", 0.0), ("aaaa", 0.0), ("abab", 1.0), ("abcd", 2.0), ("abcdefgh", 3.0)] {
            assert!((bits_per_byte(text) - bits).abs() < 1e-9, "{text}");
        }
    }
}
