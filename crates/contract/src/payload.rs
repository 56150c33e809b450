//! An event's data, shared so that dispatch does not copy it.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// The data of an event. A clone shares the value.
///
/// A handler that needs another representation (a frozen script value, an encoded buffer) creates it once for each
/// dispatch with [`Payload::cached_view`]; the next handler reuses it.
#[derive(Clone)]
pub struct Payload(Arc<PayloadInner>);

struct PayloadInner {
    value: Value,
    views: ViewSlot,
    classified: OnceLock<&'static (dyn Any + Send + Sync)>,
}

impl Payload {
    /// Creates a payload from a JSON value.
    #[must_use]
    pub fn new(value: Value) -> Self {
        Self(Arc::new(PayloadInner { value, views: ViewSlot::new(), classified: OnceLock::new() }))
    }

    /// The payload as a JSON value.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.0.value
    }

    /// A field of the payload; `None` if it is absent or the payload is not an object.
    #[must_use]
    #[inline]
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.0.value.as_object().and_then(|fields| get_field(fields, name))
    }

    /// Takes the value out, without a copy if it is not shared.
    #[must_use]
    pub fn into_value(self) -> Value {
        match Arc::try_unwrap(self.0) {
            Ok(inner) => inner.value,
            Err(shared) => shared.value.clone(),
        }
    }

    /// Takes the value out if nothing else uses it.
    #[must_use]
    pub fn into_unshared(self) -> Option<Value> {
        Arc::into_inner(self.0).map(|inner| inner.value)
    }

    /// Another representation of this payload. It is created by `make` once for each type and `key`, and shared; only
    /// threads that ask for it at the same moment may each create one, of which the first stays.
    ///
    /// `key` distinguishes two representations of one type, such as the buffers of two dialects. `make` may ask for
    /// other representations of the same payload.
    pub fn cached_view<T: Any + Send + Sync>(&self, key: &'static str, make: impl FnOnce(&Value) -> T) -> &T {
        let mut slot = match find_view(&self.0.views, key) {
            Ok(view) => return view,
            Err(end) => end,
        };
        // `make` can use other views meanwhile.
        let node: Box<ViewNode<dyn Any + Send + Sync>> =
            Box::new(ViewNode { key, next: ViewSlot::new(), view: make(&self.0.value) });
        let mut made = Some(node);
        loop {
            slot = match find_view(slot, key) {
                Ok(view) => return view,
                Err(end) => end,
            };
            made = made.and_then(|node| slot.set(node).err());
        }
    }

    /// What this payload is an instance of, such as the vocabulary of its call. `find` is asked once; a second type of
    /// answers is not kept.
    #[inline]
    pub fn classified<T: Any + Send + Sync>(&self, find: impl FnOnce() -> &'static T) -> &'static T {
        if let Some(known) = self.0.classified.get().and_then(|known| known.downcast_ref::<T>()) {
            return known;
        }
        let found = find();
        let _ = self.0.classified.set(found);
        found
    }

    /// Whether two payloads share one allocation: a cheap sign that nothing changed.
    #[must_use]
    pub fn ptr_eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The digest of the payload: `sha256:` and the hex SHA-256 of the value as compact JSON with sorted keys.
    #[must_use]
    pub fn digest(&self) -> String {
        struct DigestWriter(Sha256);
        impl std::io::Write for DigestWriter {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.0.update(bytes);
                Ok(bytes.len())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let mut sorted = self.0.value.clone();
        sorted.sort_all_objects();
        let mut sink = DigestWriter(Sha256::new());
        // Neither `DigestWriter` nor a `Value` can fail to be written.
        let _ = serde_json::to_writer(&mut sink, &sorted);
        format!("sha256:{}", to_hex(&sink.0.finalize()))
    }
}

/// Bytes in hex, with lower case letters: how digests are written everywhere.
#[must_use]
pub fn to_hex(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from(if half < 10 { b'0' + half } else { b'a' + half - 10 });
    let mut text = String::with_capacity(2 * bytes.len());
    text.extend(bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(digit));
    text
}

/// What a host knows about how the list in a payload's field `messages` begins: then the list need not be compared with the
/// one before, or searched again.
///
/// The count of a list never decreases. Another list has another number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListPrefix {
    /// The list that grows, unique in the program.
    pub list: u64,
    /// The number of messages with which the last payload of this list began, too.
    pub count: usize,
}

impl ListPrefix {
    const VIEW: &str = "list prefix";

    /// Attaches this to a payload, before its event is fired. A payload that a hook makes of it has none.
    pub fn attach_to(self, payload: &Payload) {
        payload.cached_view(Self::VIEW, |_| Some(self));
    }

    /// What is attached to a payload.
    #[must_use]
    pub fn find_in(payload: &Payload) -> Option<Self> {
        *payload.cached_view(Self::VIEW, |_| None)
    }
}

/// The end of a list of views, or the next one. The list only grows, so it is read without a lock.
type ViewSlot = OnceLock<Box<ViewNode<dyn Any + Send + Sync>>>;

struct ViewNode<T: ?Sized> {
    key: &'static str,
    next: ViewSlot,
    view: T,
}

/// Finds a view from a slot on; otherwise returns the end of the list.
#[inline]
fn find_view<'a, T: Any>(mut slot: &'a ViewSlot, key: &'static str) -> Result<&'a T, &'a ViewSlot> {
    while let Some(node) = slot.get() {
        // A key is mostly the same constant, so its text is rarely compared.
        if (std::ptr::eq(node.key, key) || node.key == key)
            && let Some(view) = node.view.downcast_ref()
        {
            return Ok(view);
        }
        slot = &node.next;
    }
    Err(slot)
}

/// The largest number of fields for which a linear search is faster than hashing a name.
const FEW_FIELDS: usize = 16;

/// Finds a field of an object. Payloads have few fields, for which a linear search is faster than a hash.
#[must_use]
#[inline]
pub fn get_field<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    if fields.len() > FEW_FIELDS {
        return fields.get(name);
    }
    fields.iter().find(|(field, _)| *field == name).map(|(_, value)| value)
}

impl From<Value> for Payload {
    fn from(value: Value) -> Self {
        Self::new(value)
    }
}

impl PartialEq for Payload {
    fn eq(&self, other: &Self) -> bool {
        self.ptr_eq(other) || self.value() == other.value()
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.value.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_view_is_made_once_for_each_type_and_key() {
        let payload = Payload::new(json!({"name": "x"}));
        let first = payload.cached_view("a", |value| value.to_string());
        let other = payload.clone();
        let again = other.cached_view("a", |_| -> String { unreachable!("made twice") });
        assert!(std::ptr::eq(first, again));
        assert_eq!(*payload.cached_view("b", |_| String::from("other")), "other");
        assert_eq!(*payload.cached_view("a", |_| 3_u8), 3, "another type under the same key");
        // `make` may ask for others, also for the one that it makes.
        assert_eq!(*payload.cached_view("c", |_| *payload.cached_view("c", |_| 1_u8) + 1), 1);
    }

    #[test]
    fn threads_that_ask_at_once_get_the_same_views() {
        let payload = Payload::new(json!({}));
        let ask = |key| std::ptr::from_ref(payload.cached_view(key, |_| key.to_owned())).addr();
        let keys = ["a", "b", "c", "d"];
        let asked: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(move || keys.map(ask))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(asked.iter().all(|views| *views == keys.map(ask)), "{asked:?}");
    }

    #[test]
    fn a_field_is_found_among_few_and_among_many() {
        for count in [0, 1, FEW_FIELDS, FEW_FIELDS + 1, 100] {
            let name = |number: usize| format!("field_{number}");
            let payload = Payload::new(Value::Object((0..count).map(|number| (name(number), json!(number))).collect()));
            for number in 0..=count {
                assert_eq!(payload.field(&name(number)), (number < count).then(|| json!(number)).as_ref());
            }
        }
        assert_eq!(Payload::new(json!(["name"])).field("name"), None);
    }

    #[test]
    fn the_digest_does_not_depend_on_key_order() {
        let one = Payload::new(json!({"a": 1, "b": {"c": 2, "d": 3}}));
        let other = Payload::new(json!({"b": {"d": 3, "c": 2}, "a": 1}));
        assert_eq!(one.digest(), other.digest());
        assert_ne!(one.digest(), Payload::new(json!({"a": 1})).digest());
    }
}
