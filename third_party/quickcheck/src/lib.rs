//! Stand-in for a test library: the trait that collections implement for values that tests draw.

/// The source of values; it has none.
#[derive(Debug)]
pub struct Gen(());

/// A type whose values tests may draw.
pub trait Arbitrary: Clone + 'static {
    /// Draws a value.
    fn arbitrary(source: &mut Gen) -> Self;

    /// Smaller values than this one.
    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        Box::new(std::iter::empty())
    }
}

impl<T: Arbitrary> Arbitrary for Vec<T> {
    fn arbitrary(_: &mut Gen) -> Self {
        Self::new()
    }
}

impl<A: Arbitrary, B: Arbitrary> Arbitrary for (A, B) {
    fn arbitrary(source: &mut Gen) -> Self {
        (A::arbitrary(source), B::arbitrary(source))
    }
}
