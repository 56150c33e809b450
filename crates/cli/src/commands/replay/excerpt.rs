//! Excerpts of two texts around their first difference.

use pintle_host::tape::show::{StyledLine, Tone, single_line};

/// Renders two texts, one below the other, around their first difference, which is marked.
pub(super) fn render_excerpts(
    then_name: &str,
    then: &str,
    now_name: &str,
    now: Option<&str>,
    chars: usize,
) -> Vec<StyledLine> {
    let width = then_name.len().max(now_name.len());
    let label = |name: &str| format!("  {name:width$}  ");
    let Some(now) = now else {
        let nothing = StyledLine::new(Tone::Plain, format!("{}nothing", label(now_name)));
        return vec![StyledLine::new(Tone::Plain, label(then_name) + &single_line(then, chars)), nothing];
    };
    // Compared as printed, so that the mark is below the right character.
    let (then, now) = (single_line(then, usize::MAX), single_line(now, usize::MAX));
    let parts = then.chars().zip(now.chars()).take_while(|(then, now)| then == now).count();
    let from = parts.saturating_sub(chars / 3);
    let cut = |text: &str| {
        let (before, after) =
            (if from > 0 { "…" } else { "" }, if text.chars().count() > from + chars { "…" } else { "" });
        let shown: String = text.chars().skip(from).take(chars).collect();
        format!("{before}{shown}{after}")
    };
    let under = label("").chars().count() + parts - from + usize::from(from > 0);
    vec![
        StyledLine::new(Tone::Plain, label(then_name) + &cut(&then)),
        StyledLine::new(Tone::Plain, label(now_name) + &cut(&now)),
        StyledLine::new(Tone::Bad, " ".repeat(under) + "^"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered_text(then: &str, now: Option<&str>) -> String {
        render_excerpts("tape", then, "now", now, 12).iter().map(|line| format!("{line}\n")).collect()
    }

    #[test]
    fn the_mark_stands_below_the_first_difference() {
        assert_eq!(rendered_text("a deny", Some("a pass")), "  tape  a deny\n  now   a pass\n          ^\n");
        let long = "x".repeat(30);
        let shown = rendered_text(&format!("{long}A{long}"), Some(&format!("{long}B{long}")));
        assert_eq!(shown, "  tape  …xxxxAxxxxxxx…\n  now   …xxxxBxxxxxxx…\n             ^\n");
        assert_eq!(rendered_text("gone", None), "  tape  gone\n  now   nothing\n");
        assert_eq!(rendered_text("é\u{1b}[31m", Some("é")).lines().count(), 3);
    }
}
