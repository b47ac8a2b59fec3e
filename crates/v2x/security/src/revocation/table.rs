//! A set of linkage values that is made once and searched for each certificate.

use alloc::boxed::Box;
use alloc::vec;

/// A linkage value.
pub(super) type Value = [u8; 9];

/// Average number of values in a bucket.
const BUCKET: usize = 4;

/// Values in ascending order, with the places where each of 2^k leading bit patterns begins.
///
/// A look-up reads one entry of the directory and one bucket. Values are random, so a bucket has
/// four on average. The maker of a list could choose seeds whose values crowd into one bucket:
/// then a look-up is a binary search over them, at most 22 steps for
/// [`VALUES_MAX`](super::VALUES_MAX) values. An open-addressed table has no such bound.
///
/// Ten bytes a value: nine, and a quarter of an entry of four bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct ValueTable {
    values: Box<[Value]>,
    /// Start of each bucket, then the end of the last one.
    starts: Box<[u32]>,
    /// Number of leading bits that choose the bucket: at most 32.
    bits: u32,
}

impl ValueTable {
    /// Makes the table of at most 2^32 - 1 values, which come in any order and number of slices.
    pub(super) fn new(slices: &[&[Value]]) -> Self {
        let count = slices.iter().map(|slice| slice.len()).sum::<usize>();
        if count == 0 {
            return Self::default();
        }
        let bits = (count / BUCKET).max(1).ilog2().min(31);
        let mut starts = vec![0_u32; (1 << bits) + 1].into_boxed_slice();
        // Counted one place further on: after the sums each entry is where its bucket begins.
        for value in slices.iter().copied().flatten() {
            starts[bucket(value, bits) + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut values = vec![[0; 9]; count].into_boxed_slice();
        for value in slices.iter().copied().flatten() {
            let place = &mut next[bucket(value, bits)];
            values[*place as usize] = *value;
            *place += 1;
        }
        for range in starts.windows(2) {
            values[range[0] as usize..range[1] as usize].sort_unstable();
        }
        Self {
            values,
            starts,
            bits,
        }
    }

    /// Returns true if the table has this value. Variable time: values are public.
    pub(super) fn has(&self, value: &Value) -> bool {
        if self.values.is_empty() {
            return false;
        }
        let bucket = bucket(value, self.bits);
        let (start, end) = (self.starts[bucket], self.starts[bucket + 1]);
        let values = &self.values[start as usize..end as usize];
        values.binary_search(value).is_ok()
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.values) + size_of_val(&*self.starts)
    }
}

fn bucket(value: &Value, bits: u32) -> usize {
    let leading = u64::from_be_bytes([
        value[0], value[1], value[2], value[3], value[4], value[5], value[6], value[7],
    ]);
    // A shift by 64 bits is none.
    leading.checked_shr(u64::BITS - bits).unwrap_or(0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
    use alloc::vec::Vec;
    use std::println;
    use waywarden_testkit::Random;

    /// Values that are random, crowd into one bucket, stand at the ends, or are there twice.
    fn values(random: &mut Random) -> Vec<Value> {
        let count = random.index(2_000);
        let crowded: [u8; 6] = random.array();
        let mut values: Vec<Value> = (0..count)
            .map(|_| {
                let mut value: Value = random.array();
                if random.once_in(4) {
                    value[..6].copy_from_slice(&crowded);
                }
                value
            })
            .collect();
        for extreme in [[0; 9], [u8::MAX; 9]] {
            if random.once_in(2) {
                values.push(extreme);
            }
        }
        let again = values.iter().copied().filter(|value| value[8] < 16);
        let again: Vec<Value> = again.collect();
        values.extend(again);
        values
    }

    #[test]
    fn table_has_what_a_set_has_and_nothing_else() {
        let seeds = waywarden_testkit::each_seed(200, |seed| {
            let mut random = Random::new(seed);
            let values = values(&mut random);
            let (one, other) = values.split_at(random.index(values.len() + 1));
            let table = ValueTable::new(&[one, other]);
            let set: BTreeSet<Value> = values.iter().copied().collect();
            assert_eq!(table.len(), values.len());
            for value in &values {
                assert!(table.has(value), "{value:02x?}");
                let mut near = *value;
                near[random.index(9)] ^= 1 << random.index(8);
                assert_eq!(table.has(&near), set.contains(&near), "{near:02x?}");
            }
            for value in [[0; 9], [u8::MAX; 9], random.array()] {
                assert_eq!(table.has(&value), set.contains(&value), "{value:02x?}");
            }
        });
        println!("{} seeds", seeds.len());
    }
}
