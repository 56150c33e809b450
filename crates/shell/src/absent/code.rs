//! The reader of code, without the feature `code`: what code does is not known.

use super::unread;
use crate::walk::{CommandWalk, TextFlow};

pub(crate) fn read_code(walk: &mut CommandWalk<'_>, language: &str, text: &str, _: &TextFlow) {
    walk.run_code(language, text);
}

impl CommandWalk<'_> {
    pub(crate) fn run_code(&mut self, language: &str, text: &str) {
        self.note_text(text);
        self.push(unread(&format!("code of `{language}`")));
    }
}
