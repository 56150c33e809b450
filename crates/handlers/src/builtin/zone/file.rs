//! Files of the zone database (RFC 9636).

/// The changes of a zone's offset that are written down, in order.
#[derive(Debug, Default)]
pub(super) struct Transitions {
    /// What holds before the first.
    before_s: i64,
    /// When, and the offset from then on.
    changes: Vec<(i64, i64)>,
}

/// An offset, and whether a later rule may know better.
pub(super) enum Offset {
    Known(i64),
    Last(i64),
}

impl Transitions {
    pub(super) fn offset_s(&self, unix_s: i64) -> Offset {
        let passed = self.changes.partition_point(|(at, _)| *at <= unix_s);
        let offset = passed.checked_sub(1).and_then(|last| self.changes.get(last)).map_or(self.before_s, |last| last.1);
        if passed == self.changes.len() { Offset::Last(offset) } else { Offset::Known(offset) }
    }
}

/// Reads a file: its changes, and the rule for what follows them, which is empty in old files. `None` for anything else.
pub(super) fn parse(bytes: &[u8]) -> Option<(Transitions, &str)> {
    let mut reader = Reader(bytes);
    let (version, counts) = reader.header()?;
    if version == 0 {
        return reader.transitions(&counts, 4).map(|transitions| (transitions, ""));
    }
    // The first half is for readers that know 32 bits only.
    reader.take(counts.bytes(4)?)?;
    let (_, counts) = reader.header()?;
    let transitions = reader.transitions(&counts, 8)?;
    let rule = std::str::from_utf8(reader.0).ok()?.trim_matches('\n');
    Some((transitions, rule))
}

struct Counts {
    universal: usize,
    standard: usize,
    leaps: usize,
    times: usize,
    kinds: usize,
    letters: usize,
}

impl Counts {
    /// The size of the data with times of this width.
    fn bytes(&self, width: usize) -> Option<usize> {
        let times = self.times.checked_mul(width + 1)?;
        let leaps = self.leaps.checked_mul(width + 4)?;
        let kinds = self.kinds.checked_mul(6)?;
        [times, kinds, self.letters, leaps, self.standard, self.universal]
            .into_iter()
            .try_fold(0_usize, usize::checked_add)
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn count(&mut self) -> Option<usize> {
        let bytes: [u8; 4] = self.take(4)?.try_into().ok()?;
        usize::try_from(u32::from_be_bytes(bytes)).ok()
    }

    fn header(&mut self) -> Option<(u8, Counts)> {
        if self.take(4)? != b"TZif" {
            return None;
        }
        let version = *self.take(1)?.first()?;
        self.take(15)?;
        let [universal, standard, leaps] = [self.count()?, self.count()?, self.count()?];
        let [times, kinds, letters] = [self.count()?, self.count()?, self.count()?];
        Some((version, Counts { universal, standard, leaps, times, kinds, letters }))
    }

    fn transitions(&mut self, counts: &Counts, width: usize) -> Option<Transitions> {
        let mut data = Reader(self.take(counts.bytes(width)?)?);
        let times = data.take(counts.times.checked_mul(width)?)?;
        let places = data.take(counts.times)?;
        let kinds = data.take(counts.kinds.checked_mul(6)?)?;
        let offset = |place: usize| {
            let bytes: [u8; 4] = kinds.chunks(6).nth(place)?.get(..4)?.try_into().ok()?;
            Some(i64::from(i32::from_be_bytes(bytes)))
        };
        let mut changes = Vec::new();
        for (time, place) in times.chunks(width).zip(places) {
            let at = match width {
                8 => i64::from_be_bytes(time.try_into().ok()?),
                _ => i64::from(i32::from_be_bytes(time.try_into().ok()?)),
            };
            changes.push((at, offset(usize::from(*place))?));
        }
        Some(Transitions { before_s: offset(0).unwrap_or(0), changes })
    }
}
