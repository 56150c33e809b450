//! The lines of a tape, each parsed independently of the others.

use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;

use memchr::memmem;
use pintle_contract::Origin;
use serde_json::Value;
use serde_json::value::RawValue;

use super::encode::{RecordTail, has_fields, is_encoded_as};
use super::recorded_dispatch::is_input;
use crate::blobs::{BlobName, BlobStore, LineBlob, TapeText, may_contain_reference};
use crate::line::{DigestBytes, LineText, SharedFields, digest_bytes, is_canonical, is_deep, parse_typed};
use crate::record::{HeaderRecord, HostRecord, Record, RecordBody};
use crate::{TapeError, TapeReader, TornRecord};

/// The number of lines per additional thread; with fewer, handing over the parsed lines costs more than it saves.
const LINES_PER_THREAD: usize = 16_000;

/// A line, divided into the fields that depend on its position on the tape and the rest.
#[derive(Debug)]
pub(super) struct SplitLine<'t> {
    /// The complete line without its newline.
    pub(super) text: &'t [u8],
    pub(super) seq: u64,
    pub(super) at_ms: u64,
    pub(super) prev: Option<Cow<'t, str>>,
    /// The JSON text of the last origin up to this line.
    pub(super) origin: Option<Arc<str>>,
    /// The line from its kind on; empty if the line does not have the writer's encoding.
    pub(super) tail: &'t [u8],
    pub(super) digest: DigestBytes,
}

/// A line and its parsed record.
#[derive(Debug)]
pub(super) struct ParsedLine<'t> {
    pub(super) line: SplitLine<'t>,
    /// The record, if it is loaded hooks or belongs to a dispatch. Its values may have references to blobs, and an event
    /// has no payload.
    pub(super) body: Option<RecordBody<'static>>,
    /// The writer's encoding, if this is an input or an event that is encoded differently.
    pub(super) corrected_tail: Option<RecordTail>,
    /// The session's turn, if the record has a turn and is not of a child agent.
    pub(super) turn: Option<u32>,
    /// Whether a turn of the session starts.
    pub(super) starts_turn: bool,
}

/// What a line has for those after it.
#[derive(Debug, Default)]
pub(super) struct LineContext {
    /// The JSON text of the last origin up to the line, as the writer encodes it.
    pub(super) origin: Option<Arc<str>>,
    /// Whether the line has it itself.
    pub(super) has_origin: bool,
    /// The names of its blobs.
    pub(super) blob_names: Vec<BlobName>,
    /// The blobs, if they are not on the tape as the writer encodes them.
    corrected_blobs: Option<Vec<LineBlob>>,
    is_origin_written: bool,
}

/// A tape, divided into lines.
#[derive(Debug)]
pub(super) struct SplitTape<'t> {
    pub(super) header: HeaderRecord,
    lines: Vec<LineText<'t>>,
    /// One for each line.
    pub(super) contexts: Vec<LineContext>,
    pub(super) blobs: BlobStore<'t>,
    /// The torn record at the end, which is not among the lines.
    pub(super) torn: Option<TornRecord>,
}

/// Divides a tape into lines and reads its header, its origins and its blobs.
pub(super) fn split(tape: &[u8]) -> Result<SplitTape<'_>, TapeError> {
    let Some(RecordBody::Header(header)) = TapeReader::new(tape)?.next().transpose()?.map(|line| line.record.body)
    else {
        return Err(TapeError::NoHeader);
    };
    let whole = tape.strip_suffix(b"\n");
    let mut lines: Vec<LineText<'_>> = match std::str::from_utf8(whole.unwrap_or(tape)) {
        Ok(text) => text.split('\n').map(|text| LineText::new(text.as_bytes())).collect(),
        Err(_) => whole.unwrap_or(tape).split(|byte| *byte == b'\n').map(LineText::new).collect(),
    };
    let (mut blobs, mut contexts, mut offset) = (BlobStore::new(TapeText::Memory(tape)), Vec::new(), 0);
    contexts.reserve(lines.len());
    let mut torn = None;
    for (index, line) in lines.iter().enumerate() {
        let last: Option<&LineContext> = contexts.last();
        let origin = last.and_then(|last| last.origin.clone());
        let context = LineContext::read(line, offset, origin, &mut blobs);
        // Only the last line can be torn.
        let may_be_torn = whole.is_none() && index + 1 == lines.len();
        let is_torn = |context: &LineContext| Record::from_stored(line, &blobs, context.origin.as_deref()).is_err();
        match context {
            Ok(context) if may_be_torn && is_torn(&context) => torn = Some(index),
            Err(_) if may_be_torn => torn = Some(index),
            Ok(context) => contexts.push(context),
            Err(reason) => return Err(TapeError::Line { line: index + 1, reason }),
        }
        offset += line.text.len() as u64 + 1;
    }
    let torn = torn.map(|index| {
        let size_bytes = lines.pop().map_or(0, |rest| rest.text.len());
        TornRecord { line: index + 1, size_bytes }
    });
    Ok(SplitTape { header, lines, contexts, blobs, torn })
}

impl LineContext {
    /// Reads what the line at an offset has for those after it. `origin` is the last one before it.
    fn read(
        line: &LineText<'_>,
        offset: u64,
        origin: Option<Arc<str>>,
        known_blobs: &mut BlobStore<'_>,
    ) -> Result<Self, String> {
        let SharedFields { origin: own, blobs } = line.shared_fields()?;
        let mut context = Self { origin, has_origin: own.is_some(), is_origin_written: true, ..Self::default() };
        if let Some(own) = own {
            let parsed: Origin = serde_json::from_str(&own).map_err(|error| format!("invalid `origin`: {error}"))?;
            let written = serde_json::to_string(&parsed).map_err(|error| error.to_string())?;
            context.is_origin_written = written == own;
            context.origin = Some(written.into());
        }
        if let Some(text) = blobs {
            let blobs = known_blobs.insert_line(line, text, offset)?;
            context.blob_names = blobs.iter().map(|blob| blob.name).collect();
            let written: Vec<&[u8]> = blobs.iter().map(|blob| blob.text.as_slice()).collect();
            let is_written = !written.is_empty() && [b"[", &written.join(&b',')[..], b"]"].concat() == text.as_bytes();
            context.corrected_blobs = (!is_written).then_some(blobs);
        }
        known_blobs.check_references(line.record_text())?;
        Ok(context)
    }

    /// Whether the line has its origin and its blobs as the writer encodes them.
    pub(super) fn is_written(&self) -> bool {
        self.is_origin_written && self.corrected_blobs.is_none()
    }

    /// The blobs as the writer encodes them, given the text of their line.
    pub(super) fn into_blobs(self, line: &[u8]) -> Vec<LineBlob> {
        let Self { blob_names, corrected_blobs, .. } = self;
        corrected_blobs.unwrap_or_else(|| {
            let shared = LineText::new(line).shared_fields().unwrap_or_default();
            let texts: Vec<&RawValue> =
                shared.blobs.and_then(|blobs| serde_json::from_str(blobs).ok()).unwrap_or_default();
            let blob = |(name, text): (BlobName, &RawValue)| LineBlob { name, text: text.get().as_bytes().to_vec() };
            blob_names.into_iter().zip(texts).map(blob).collect()
        })
    }
}

impl<'t> SplitTape<'t> {
    /// Parses the lines on up to `threads` threads.
    pub(super) fn parse_lines(&self, threads: NonZeroUsize) -> Result<Vec<ParsedLine<'t>>, TapeError> {
        let Self { lines, contexts, blobs, .. } = self;
        let threads = threads.get().min(lines.len() / LINES_PER_THREAD + 1);
        let chunk_size = lines.len().div_ceil(threads).max(1);
        let parse_chunk = |first: usize, chunk: &[LineText<'t>]| -> Result<Vec<ParsedLine<'t>>, TapeError> {
            let mut parsed = Vec::with_capacity(if first == 0 { lines.len() } else { chunk.len() });
            for (index, line) in chunk.iter().enumerate() {
                let index = first + index;
                let origin = contexts.get(index).and_then(|context| context.origin.as_ref());
                let line = parse(line, origin, blobs);
                parsed.push(line.map_err(|reason| TapeError::Line { line: index + 1, reason })?);
            }
            Ok(parsed)
        };
        thread::scope(|scope| {
            let mut chunks = lines.chunks(chunk_size).enumerate();
            let own = chunks.next();
            let handles: Vec<_> =
                chunks.map(|(index, chunk)| scope.spawn(move || parse_chunk(index * chunk_size, chunk))).collect();
            let mut parsed = own.map_or(Ok(Vec::new()), |(_, chunk)| parse_chunk(0, chunk))?;
            for handle in handles {
                parsed.extend(handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
            }
            Ok(parsed)
        })
    }
}

impl SplitLine<'_> {
    /// The record of the line, with its blobs.
    pub(super) fn read_record(&self, blobs: &BlobStore<'_>) -> Result<Record<'static>, String> {
        Record::from_stored(&LineText::new(self.text), blobs, self.origin.as_deref())
    }

    /// The payload of an event's line, with its blobs.
    pub(super) fn read_payload(&self, blobs: &BlobStore<'_>) -> Option<Value> {
        match self.read_record(blobs).ok()?.body {
            RecordBody::Event(fired) => Some(fired.payload.into_owned()),
            _ => None,
        }
    }
}

/// Parses the record of a line. `origin` is the last one up to it.
fn parse<'t>(line: &LineText<'t>, origin: Option<&Arc<str>>, blobs: &BlobStore<'_>) -> Result<ParsedLine<'t>, String> {
    let LineText { text, canonical } = line;
    let last_origin = origin.map(|origin| &**origin);
    let tail = canonical.as_ref().map_or(&[][..], |(head, rest)| tail_from_kind(text, head.kind, rest));
    let split = |seq, at_ms, prev| {
        let (origin, digest) = (origin.cloned(), digest_bytes(text));
        SplitLine { text, seq, at_ms, prev, origin, tail, digest }
    };
    if let Some((head, rest)) = canonical {
        let split = || split(head.seq, head.at_ms, head.prev.map(Cow::Borrowed));
        // What the writer would not change is the same with and without the blobs that it refers to.
        let fields = rest.strip_prefix(b",").unwrap_or(rest);
        if blobs.is_written(b"{", fields) && !is_deep(fields, 1) {
            if let Some(body) = parse_without_value(head.kind, rest, last_origin) {
                return Ok(ParsedLine::new(split(), Some(body), None));
            }
            if let Some(body) = parse_typed(head.kind, rest, last_origin) {
                // The engine gets what a hook returned.
                let is_complete = !matches!(body, RecordBody::HookReturned(_)) || !may_contain_reference(fields);
                if is_complete && (!is_known(&body) || is_encoded_as(&body, tail)) {
                    return Ok(ParsedLine::new(split(), Some(body), None));
                }
            } else if let Some(tail) = blobs.with_string_names(tail)
                && let Some(rest) = tail.get(size_before_fields(head.kind)..)
                && let Some(body) = parse_typed(head.kind, rest, last_origin)
                && !is_needed(&body)
                && is_encoded_as(&body, &tail)
            {
                return Ok(ParsedLine::new(split(), Some(body), None));
            }
        }
    }
    let Record { seq, at_ms, prev, body } = Record::from_stored(line, blobs, last_origin)?;
    let corrected_tail = is_known(&body).then(|| RecordTail::reencode_if_different(&body, tail)).flatten();
    Ok(ParsedLine::new(split(seq, at_ms, prev.map(Cow::Owned)), Some(body), corrected_tail))
}

/// Parses the record of a line with `null` for the value that makes it long, which only replay's slow paths read. `None` if
/// the record has none, or its text is not what the writer would write.
fn parse_without_value(kind: &str, rest: &[u8], origin: Option<&str>) -> Option<RecordBody<'static>> {
    let name: &[u8] = match kind {
        "event" => b",\"payload\":",
        "message" => b",\"message\":",
        "tool_call" => b",\"args\":",
        "model_reply" => b",\"reply\":",
        _ => return None,
    };
    // A quotation mark in a string is escaped, so this is a name.
    let start = memmem::find(rest, name)? + name.len();
    let (before, value) = rest.split_at_checked(start)?;
    // It is the last field.
    if !is_canonical(value.strip_suffix(b"}")?) {
        return None;
    }
    let short = [before, b"null}"].concat();
    parse_typed(kind, &short, origin).filter(|body| has_fields(body, &short))
}

/// Whether the values of a record are needed after its line was checked.
fn is_needed(body: &RecordBody<'_>) -> bool {
    !is_input(body) || matches!(body, RecordBody::Hooks(_))
}

/// Whether the record on the new tape follows from the one on the old tape, whatever the engine decides.
fn is_known(body: &RecordBody<'_>) -> bool {
    is_input(body) || matches!(body, RecordBody::Event(_))
}

impl<'t> ParsedLine<'t> {
    fn new(line: SplitLine<'t>, body: Option<RecordBody<'static>>, corrected_tail: Option<RecordTail>) -> Self {
        let origin = body.as_ref().and_then(RecordBody::origin);
        let turn = origin.filter(|origin| origin.depth == 0).map(|origin| origin.turn);
        let starts_turn = matches!(&body, Some(RecordBody::Host(HostRecord::Turn(turn))) if turn.starts_session_turn());
        // A long tape has many inputs and events that no hook matches, and their values are not needed any more.
        let mut body = body.filter(is_needed);
        if let Some(RecordBody::Event(fired)) = &mut body {
            fired.payload = Cow::Owned(Value::Null);
        }
        Self { line, body, corrected_tail, turn, starts_turn }
    }
}

/// A line from its kind on.
fn tail_from_kind<'t>(text: &'t [u8], kind: &str, rest: &[u8]) -> &'t [u8] {
    text.get(text.len().saturating_sub(rest.len() + size_before_fields(kind))..).unwrap_or_default()
}

/// The size of a line's kind and its name.
fn size_before_fields(kind: &str) -> usize {
    kind.len() + "\"kind\":\"\"".len()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::blobs::tests::{any_value, encode_blobs, line_of, load_blobs};
    use crate::blobs::{BlobExtraction, extract_blobs, name_of};
    use pintle_contract::to_hex;

    use crate::line::{digest_bytes, digest_hex};

    /// The origin of the lines.
    const ORIGIN: &str = r#"{"session":"s","turn":1,"agent":"a","depth":0}"#;

    /// A line with a message, and its blobs, which are on a line before.
    fn store_message(message: &Value) -> (Vec<String>, String) {
        let whole = Arc::new(serde_json::to_vec(&json!({"conversation": "", "message": message})).unwrap());
        let extracted = extract_blobs(&whole);
        let BlobExtraction { text, blobs } =
            extracted.unwrap_or_else(|| BlobExtraction { text: whole.to_vec(), blobs: Vec::new() });
        let text = String::from_utf8(text).unwrap();
        let head = format!("{{\"seq\":1,\"at_ms\":2,\"prev\":\"{}\",\"kind\":\"message\",", digest_hex(b""));
        (encode_blobs(blobs), head + text.strip_prefix('{').unwrap())
    }

    /// The name of a value by its JSON text.
    fn name(json: &str) -> String {
        to_hex(&name_of(&digest_bytes(json.as_bytes())))
    }

    /// Whether a line is as the writer writes it, found with and without resolving the blobs of the line before it, which
    /// needs all of `needed`.
    fn is_as_written_after(blobs: &[String], needed: &str, line: &str) -> (bool, bool) {
        let before = line_of(blobs, needed);
        let blobs = if blobs.is_empty() { BlobStore::default() } else { load_blobs(&before, blobs) };
        let text = LineText::new(line.as_bytes());
        let found = parse(&text, Some(&ORIGIN.into()), &blobs).is_ok_and(|parsed| parsed.corrected_tail.is_none());
        let record = Record::from_stored(&text, &blobs, Some(ORIGIN)).ok();
        let tail = text.canonical.as_ref().map(|(head, rest)| tail_from_kind(line.as_bytes(), head.kind, rest));
        (found, record.zip(tail).is_some_and(|(record, tail)| RecordTail::encode(&record.body, None).text == tail))
    }

    #[test]
    fn another_spelling_of_a_record_is_found() {
        let (_, line) = store_message(&json!("here"));
        let with = |message: &str| is_as_written_after(&[], "", &line.replace("\"here\"", message));
        let same = [
            r#"{"b":[1,-2,3.50,0,0.0,-0.0,123456789012345678901234567890],"c":[true,null,"x\"\\\n\u0001\u001f/"],"d":{}}"#,
            "1e+5",
            "1.0e+7",
            "\"\u{fc}\u{7f}\u{10ffff}\"",
            r#"{"b":{"$$blob":"x"},"c":{"$blob":1,"c":2}}"#,
        ];
        for message in same {
            assert_eq!(with(message), (true, true), "{message}");
        }
        let others = [
            String::from(" 1"),
            String::from(r#""\/""#),
            String::from(r#""\u0008""#),
            String::from(r#""\u000A""#),
            String::from(r#""\u0020""#),
            String::from("\"\t\""),
            String::from(r#"{"b":1,"b":2}"#),
            String::from("01"),
            String::from("1e5"),
            String::from("1."),
            String::from(r#"{"$blob":"ab"}"#),
            String::from(r#"{"$blob":1}"#),
            String::from(r#"{"b":1,}"#),
            String::from("nul"),
            format!("\"{}\"", "x".repeat(1_022)),
            format!("[{}]", vec!["1"; 2_048].join(",")),
            format!("{}1{}", "[".repeat(100), "]".repeat(100)),
        ];
        for message in others {
            assert_eq!(with(&message), (false, false), "{message}");
        }
    }

    #[test]
    fn reference_to_a_blob_that_the_writer_would_not_write_is_found() {
        let (blobs, line) = store_message(&json!({"a": "x".repeat(1_100), "b": vec!["y".repeat(100); 50]}));
        assert_eq!((blobs.len(), is_as_written_after(&blobs, &line, &line)), (2, (true, true)), "{line}");
        let (_, line) = store_message(&json!("here"));
        let refers = line.replace("\"here\"", &format!("{{\"$blob\":\"{}\"}}", name("1")));
        assert_eq!(is_as_written_after(&[String::from("{\"value\":1}")], &refers, &refers), (false, false));
        // The text of a blob is large, but contains something that is large itself.
        let long = "z".repeat(5_000);
        let value = json!({"a": long}).to_string();
        let large = format!("{{\"value\":{value}}}");
        let refers = line.replace("\"here\"", &format!("{{\"$blob\":\"{}\"}}", name(&value)));
        assert_eq!(is_as_written_after(&[large], &refers, &refers), (false, false));
    }

    #[test]
    fn content_of_a_tool_result_may_be_a_reference_to_a_string_alone() {
        let line = |content: String| {
            let prev = digest_hex(b"");
            format!(
                "{{\"seq\":1,\"at_ms\":2,\"prev\":\"{prev}\",\"kind\":\"tool_result\",\
                 \"id\":\"c\",\"name\":\"n\",\"content\":{content},\"is_error\":false}}"
            )
        };
        let (blobs, stored) = store_message(
            &json!(["x".repeat(1_100), { "a": "y".repeat(5_000).chars().map(String::from).collect::<Vec<_>>() }]),
        );
        let names: Vec<&str> = stored.split("{\"$blob\":\"").skip(1).filter_map(|part| part.get(..32)).collect();
        assert_eq!((blobs.len(), names.len()), (2, 2), "{stored}");
        let refer = |name: &str| line(format!("{{\"$blob\":\"{name}\"}}"));
        let check = |line: &str| is_as_written_after(&blobs, &stored, line);
        assert_eq!(check(&refer(names[0])), (true, true));
        assert_eq!(check(&refer(names[1])), (false, false));
        assert_eq!(check(&refer(&name(""))), (false, false));
        assert_eq!(check(&refer(names[0]).replace("\"is_error\"", " \"is_error\"")), (false, false));
    }

    proptest! {
        #[test]
        fn record_is_as_written_with_and_without_its_blobs(
            value in any_value(),
            place in any::<prop::sample::Index>(),
            other in prop::sample::select(vec!["\"", "{", "}", "[", "]", ",", ":", " ", "\\", "0", "-", ".", "$", "a", ""]),
        ) {
            let (blobs, line) = store_message(&value);
            prop_assert_eq!(is_as_written_after(&blobs, &line, &line), (true, true), "{}", line);
            let at = place.index(line.len());
            if line.is_char_boundary(at) && line.is_char_boundary(at + 1) {
                let changed = format!("{}{other}{}", &line[..at], &line[at + 1..]);
                let (found, expected) = is_as_written_after(&blobs, &line, &changed);
                prop_assert_eq!(found, expected, "{}", changed);
            }
        }
    }
}
