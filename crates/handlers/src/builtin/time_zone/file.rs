//! Parses files of the time zone database (RFC 9636).

/// The recorded offset changes of a zone, in order.
#[derive(Debug, Default)]
pub(super) struct ZoneTransitions {
    /// The offset before the first change.
    initial_offset_s: i64,
    /// The time of each change, and the offset from then on.
    offset_changes: Vec<(i64, i64)>,
}

/// An offset, and whether a later rule may override it.
pub(super) enum ZoneOffset {
    Known(i64),
    Last(i64),
}

impl ZoneTransitions {
    pub(super) fn offset_s(&self, unix_s: i64) -> ZoneOffset {
        let passed = self.offset_changes.partition_point(|(at, _)| *at <= unix_s);
        let offset = passed
            .checked_sub(1)
            .and_then(|last| self.offset_changes.get(last))
            .map_or(self.initial_offset_s, |last| last.1);
        if passed == self.offset_changes.len() { ZoneOffset::Last(offset) } else { ZoneOffset::Known(offset) }
    }
}

/// Parses a file: its changes, and the rule for later times, which is empty in old files. `None` for anything else.
pub(super) fn parse_zone_file(bytes: &[u8]) -> Option<(ZoneTransitions, &str)> {
    let mut reader = ZoneFileReader(bytes);
    let (version, counts) = reader.read_header()?;
    if version == 0 {
        return reader.read_transitions(&counts, 4).map(|transitions| (transitions, ""));
    }
    // The first half is for 32-bit readers.
    reader.take_bytes(counts.data_bytes(4)?)?;
    let (_, counts) = reader.read_header()?;
    let transitions = reader.read_transitions(&counts, 8)?;
    let rule = std::str::from_utf8(reader.0).ok()?.trim_matches('\n');
    Some((transitions, rule))
}

struct ZoneFileCounts {
    universal: usize,
    standard: usize,
    leaps: usize,
    times: usize,
    kinds: usize,
    letters: usize,
}

impl ZoneFileCounts {
    /// The size of the data with times of this width.
    fn data_bytes(&self, width: usize) -> Option<usize> {
        let times = self.times.checked_mul(width + 1)?;
        let leaps = self.leaps.checked_mul(width + 4)?;
        let kinds = self.kinds.checked_mul(6)?;
        [times, kinds, self.letters, leaps, self.standard, self.universal]
            .into_iter()
            .try_fold(0_usize, usize::checked_add)
    }
}

struct ZoneFileReader<'a>(&'a [u8]);

impl<'a> ZoneFileReader<'a> {
    fn take_bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn read_count(&mut self) -> Option<usize> {
        let bytes: [u8; 4] = self.take_bytes(4)?.try_into().ok()?;
        usize::try_from(u32::from_be_bytes(bytes)).ok()
    }

    fn read_header(&mut self) -> Option<(u8, ZoneFileCounts)> {
        if self.take_bytes(4)? != b"TZif" {
            return None;
        }
        let version = *self.take_bytes(1)?.first()?;
        self.take_bytes(15)?;
        let [universal, standard, leaps] = [self.read_count()?, self.read_count()?, self.read_count()?];
        let [times, kinds, letters] = [self.read_count()?, self.read_count()?, self.read_count()?];
        Some((version, ZoneFileCounts { universal, standard, leaps, times, kinds, letters }))
    }

    fn read_transitions(&mut self, counts: &ZoneFileCounts, width: usize) -> Option<ZoneTransitions> {
        let mut data = ZoneFileReader(self.take_bytes(counts.data_bytes(width)?)?);
        let times = data.take_bytes(counts.times.checked_mul(width)?)?;
        let places = data.take_bytes(counts.times)?;
        let kinds = data.take_bytes(counts.kinds.checked_mul(6)?)?;
        let offset = |position: usize| {
            let bytes: [u8; 4] = kinds.chunks(6).nth(position)?.get(..4)?.try_into().ok()?;
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
        Some(ZoneTransitions { initial_offset_s: offset(0).unwrap_or(0), offset_changes: changes })
    }
}
