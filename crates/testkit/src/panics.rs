//! Panics that are meant.

use std::panic;

/// Tells nobody of panics whose text ends with these words; all others are told as before, for the rest of the process.
pub fn quiet_panics(ending: &'static str) {
    let told = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let text = info.payload().downcast_ref::<&str>().copied().unwrap_or_default();
        if !text.ends_with(ending) {
            told(info);
        }
    }));
}
