//! Parses the documents that users write: bytes, frontmatter, YAML, TOML and JSON with a location for every value, and
//! typed fields.
//!
//! Every step continues after an error, so that one run reports all of them.

mod fields;
mod frontmatter;
mod jsonc;
pub(crate) mod keys;
mod node;
mod report;
mod toml;
mod yaml;

pub use fields::FieldReader;
pub use frontmatter::{FrontmatterDocument, skip_byte_order_mark, split};
pub use jsonc::{SETTINGS_JSON, parse_json};
pub(crate) use keys::{KeyDef, KeyTable, UnknownKeys, key, read_keys};
pub use keys::{KeyRow, KeySection};
pub use node::{DocNode, MapEntry, NodeKind, PlainValue, ScalarNode, ScalarNotation, to_json};
pub use report::{FileReport, MAX_FILE_BYTES, NextStep, sanitize, source_file};
pub use toml::parse_toml;
pub use yaml::{outline, parse, parse_list};
