//! MF4 files, block by block.

use crate::mf4::write::description;

/// Blocks at their places, with links that are filled in later.
pub(super) struct Builder(pub(super) Vec<u8>);

impl Builder {
    pub(super) fn new(mark: &[u8; 8], unfinished: u16) -> Self {
        let mut bytes = vec![0; 64];
        bytes[..8].copy_from_slice(mark);
        bytes[8..16].copy_from_slice(b"4.11    ");
        bytes[28..30].copy_from_slice(&411_u16.to_le_bytes());
        bytes[60..62].copy_from_slice(&unfinished.to_le_bytes());
        let mut header = vec![0; 32];
        header[..8].copy_from_slice(&1_700_000_000_000_000_000_u64.to_le_bytes());
        let mut builder = Builder(bytes);
        builder.add(b"HD", &[0; 6], &header);
        builder
    }

    pub(super) fn add(&mut self, kind: &[u8; 2], links: &[u64], data: &[u8]) -> u64 {
        let at = self.0.len() as u64;
        description::append(&mut self.0, *kind, links, data);
        at
    }

    pub(super) fn link(&mut self, block: u64, index: usize, to: u64) {
        let at = block as usize + 24 + 8 * index;
        self.0[at..at + 8].copy_from_slice(&to.to_le_bytes());
    }

    pub(super) fn text(&mut self, text: &str) -> u64 {
        self.add(b"TX", &[], format!("{text}\0").as_bytes())
    }

    /// A channel: type, kind of value, place, first bit and number of bits.
    pub(super) fn channel(
        &mut self,
        name: &str,
        [next, composition, conversion, data]: [u64; 4],
        [kind, value, byte, bit, bits]: [u32; 5],
    ) -> u64 {
        let name = self.text(name);
        let mut bytes = vec![0; 72];
        bytes[0] = kind as u8;
        bytes[1] = u8::from(kind == 2);
        bytes[2] = value as u8;
        bytes[3] = bit as u8;
        bytes[4..8].copy_from_slice(&byte.to_le_bytes());
        bytes[8..12].copy_from_slice(&bits.to_le_bytes());
        self.add(
            b"CN",
            &[next, composition, name, 0, conversion, data, 0, 0],
            &bytes,
        )
    }

    pub(super) fn group(
        &mut self,
        next: u64,
        channels: u64,
        [id, records, flags, size]: [u64; 4],
    ) -> u64 {
        let mut data = vec![0; 32];
        data[..8].copy_from_slice(&id.to_le_bytes());
        data[8..16].copy_from_slice(&records.to_le_bytes());
        data[16..18].copy_from_slice(&(flags as u16).to_le_bytes());
        data[24..28].copy_from_slice(&(size as u32).to_le_bytes());
        self.add(b"CG", &[next, channels, 0, 0, 0, 0], &data)
    }

    pub(super) fn conversion(&mut self, offset: f64, factor: f64) -> u64 {
        let mut data = vec![1, 0, 0, 0, 0, 0, 2, 0];
        for value in [0.0, 0.0, offset, factor] {
            data.extend_from_slice(&value.to_le_bytes());
        }
        self.add(b"CC", &[0; 4], &data)
    }

    pub(super) fn data_group(&mut self, next: u64, channels: u64, data: u64, id_size: u8) -> u64 {
        self.add(
            b"DG",
            &[next, channels, data, 0],
            &[id_size, 0, 0, 0, 0, 0, 0, 0],
        )
    }
}
