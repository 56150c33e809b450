//! The catalogue: one row and one payload file an event.
//!
//! Reference pages, JSON Schemas, `pintle events`, dialect mappings and lints derive from it. Adding an event is one
//! file here and one word in the list below.

use super::row::Row;

macro_rules! catalogue {
    ($($module:ident::$payload:ident),* $(,)?) => {
        $(pub mod $module;)*
        $(pub use $module::$payload;)*

        $(impl super::EventPayload for $payload {
            fn row() -> &'static Row {
                &$module::ROW
            }
        })*

        /// Every event, in the order of an agent's life.
        pub static CATALOGUE: &[&Row] = &[$(&$module::ROW),*];
    };
}

catalogue! {
    session_start::SessionStart,
    tool_pre::ToolPre,
    custom::Custom,
    meta::Meta,
}
