//! The description of a file: data groups, channel groups, and where a frame's parts lie in a
//! record.

use std::collections::HashMap;
use std::io::{Read, Seek};

use super::block::{Block, Header};
use super::field::{Field, TimeField};
use super::{Mf4Cause, RECORD_MAX, fault, identification, names};
use crate::bytes::{u8_at, u16_at, u32_at, u64_at};
use crate::error::{LogError, Quote};
use crate::seekable::File;

mod channels;

use channels::{Parts, parts};

/// Flag of a channel group whose records are values of variable length.
const VALUES: u16 = 1;
/// Flag of a channel group whose time lies in another group.
const REMOTE_MASTER: u16 = 8;

/// The longest part of a comment that is read: 256 names have less.
const COMMENT_MAX: usize = 1 << 15;

/// The place of the header block.
const HEADER_AT: u64 = 64;

/// The description of a file.
#[derive(Debug)]
pub(super) struct Layout {
    /// Start of the measurement, in nanoseconds since the Unix epoch.
    pub(super) start_ns: u64,
    /// The data groups that have frames.
    pub(super) groups: Vec<DataGroup>,
    /// Number of records of data groups without frames, as stated.
    pub(super) others: u64,
    /// Parts that were not completed, a bit each.
    pub(super) unfinished: u16,
    /// Names of bus channels, as our writer keeps them in the comment of the file.
    pub(super) names: Vec<(u16, String)>,
}

/// A data group: records of one or more kinds.
#[derive(Debug)]
pub(super) struct DataGroup {
    pub(super) data: u64,
    /// Bytes of the identifier in front of each record.
    pub(super) id_size: usize,
    pub(super) channels: Vec<ChannelGroup>,
}

/// A channel group: records of one kind.
#[derive(Debug)]
pub(super) struct ChannelGroup {
    pub(super) record_id: u64,
    pub(super) size: u64,
    pub(super) records: u64,
    pub(super) kind: GroupKind,
}

/// The content of a record.
#[derive(Debug)]
pub(super) enum GroupKind {
    /// A value of variable length, for a frame of the same data group.
    Values,
    /// A frame.
    Frames(Box<FrameLayout>),
    /// Anything else.
    Other,
}

/// The kind of a frame's channel group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    Data,
    Remote,
    Error,
}

/// The parts of a frame in a record.
#[derive(Debug)]
pub(super) struct FrameLayout {
    pub(super) kind: FrameKind,
    pub(super) time: TimeField,
    pub(super) parts: Parts,
    pub(super) data: DataPlace,
    /// The bus channel where no part of the record has it.
    pub(super) channel: u16,
    /// Name of the source where no number of it is known.
    pub(super) source: Option<String>,
}

/// The place of a frame's data bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DataPlace {
    /// There are none.
    None,
    /// In the record, so many bytes.
    Record { at: usize, bytes: usize },
    /// In a block of signal data, at the offset in the record.
    Signal { offset: Field, link: u64 },
    /// In a record of the channel group at this index, at the offset in the record.
    Values { offset: Field, group: usize },
}

impl FrameKind {
    pub(super) const fn name(self) -> &'static str {
        match self {
            FrameKind::Data => "CAN_DataFrame",
            FrameKind::Remote => "CAN_RemoteFrame",
            FrameKind::Error => "CAN_ErrorFrame",
        }
    }

    pub(super) fn of(name: &str) -> Option<Self> {
        let kinds = [FrameKind::Data, FrameKind::Remote, FrameKind::Error];
        kinds.into_iter().find(|kind| kind.name() == name)
    }
}

/// Reads blocks of description, as many as a file can have.
pub(super) struct Blocks<'a, S> {
    pub(super) file: &'a mut File<S>,
    left: u64,
    most: u64,
}

impl<'a, S: Read + Seek> Blocks<'a, S> {
    pub(super) fn new(file: &'a mut File<S>) -> Self {
        // A text has 24 bytes and more, and blocks of channels may share one.
        let most = (file.length() / 16).min(4 << 20);
        Blocks {
            file,
            left: most,
            most,
        }
    }

    /// Reads a block of this kind; none where the link is 0.
    pub(super) fn read(
        &mut self,
        at: u64,
        (kind, name): (&[u8; 2], &'static str),
    ) -> Result<Option<Block>, LogError> {
        match self.header(at)? {
            Some(header) if header.kind == *kind => Ok(Some(header.body(self.file, 4096)?)),
            Some(header) => {
                let (expected, found) = (name, Quote::new(&header.kind));
                Err(fault(at, Mf4Cause::Block { expected, found }))
            }
            None => Ok(None),
        }
    }

    /// Reads the beginning of a block; none where the link is 0.
    pub(super) fn header(&mut self, at: u64) -> Result<Option<Header>, LogError> {
        if at == 0 {
            return Ok(None);
        }
        self.left = match self.left.checked_sub(1) {
            Some(left) => left,
            None => return Err(fault(at, Mf4Cause::Blocks(self.most))),
        };
        Header::read(self.file, at).map(Some)
    }

    /// Reads the names of bus channels in the comment of the file. One that lies behind the end of
    /// a file that was cut has none: no frame depends on it.
    fn names(&mut self, at: u64) -> Vec<(u16, String)> {
        let header = self.header(at).ok().flatten();
        let block = header.and_then(|header| header.body(self.file, COMMENT_MAX).ok());
        let bytes = block.map(|block| block.data).unwrap_or_default();
        let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        names::names(&String::from_utf8_lossy(text)).collect()
    }

    /// Reads a text; empty where there is none.
    pub(super) fn text(&mut self, at: u64) -> Result<String, LogError> {
        let Some(header) = self.header(at)?.filter(|header| header.kind == *b"TX") else {
            return Ok(String::new());
        };
        let bytes = header.body(self.file, 256)?.data;
        let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        Ok(String::from_utf8_lossy(text).trim().to_owned())
    }
}

/// Reads the description of a file.
pub(super) fn read<S: Read + Seek>(file: &mut File<S>) -> Result<Layout, LogError> {
    let unfinished = identification(file)?;
    let mut blocks = Blocks::new(file);
    let header = blocks.read(HEADER_AT, (b"HD", "##HD"))?.unwrap_or(Block {
        links: Vec::new(),
        data: Vec::new(),
    });
    let mut layout = Layout {
        start_ns: u64_at(&header.data, 0),
        groups: Vec::new(),
        others: 0,
        unfinished,
        names: blocks.names(header.link(5)),
    };
    let mut next = header.link(0);
    while let Some(block) = blocks.read(next, (b"DG", "##DG"))? {
        let group = data_group(&mut blocks, next, &block)?;
        let is_frames = |group: &ChannelGroup| matches!(group.kind, GroupKind::Frames(_));
        if group.channels.iter().any(is_frames) {
            layout.groups.push(group);
        } else {
            let records = group.channels.iter().map(|group| group.records);
            layout.others = records.fold(layout.others, u64::saturating_add);
        }
        next = block.link(0);
    }
    match layout.groups.is_empty() {
        true => Err(fault(HEADER_AT, Mf4Cause::NoFrames)),
        false => Ok(layout),
    }
}

fn data_group<S: Read + Seek>(
    blocks: &mut Blocks<'_, S>,
    at: u64,
    block: &Block,
) -> Result<DataGroup, LogError> {
    let id_size = u8_at(&block.data, 0);
    if !matches!(id_size, 0 | 1 | 2 | 4 | 8) {
        let expected = "##DG whose record identifiers have 0, 1, 2, 4 or 8 bytes";
        let found = Quote::new(&[id_size]);
        return Err(fault(at, Mf4Cause::Block { expected, found }));
    }
    let mut found = Vec::new();
    let mut next = block.link(1);
    while let Some(block) = blocks.read(next, (b"CG", "##CG"))? {
        let following = block.link(0);
        found.push((next, block));
        next = following;
        // Without an identifier there is no telling records apart.
        if id_size == 0 {
            break;
        }
    }
    let indexes = found
        .iter()
        .enumerate()
        .map(|(index, (at, _))| (*at, index));
    let indexes: HashMap<u64, usize> = indexes.collect();
    let groups = found
        .iter()
        .map(|(at, block)| channel_group(blocks, *at, block, &indexes));
    Ok(DataGroup {
        data: block.link(2),
        id_size: usize::from(id_size),
        channels: groups.collect::<Result<_, _>>()?,
    })
}

fn channel_group<S: Read + Seek>(
    blocks: &mut Blocks<'_, S>,
    at: u64,
    block: &Block,
    indexes: &HashMap<u64, usize>,
) -> Result<ChannelGroup, LogError> {
    let flags = u16_at(&block.data, 16);
    let data_bytes = u32_at(&block.data, 24);
    let size = u64::from(data_bytes) + u64::from(u32_at(&block.data, 28));
    let kind = match flags & VALUES {
        0 => parts(blocks, block, data_bytes, indexes)?,
        _ => GroupKind::Values,
    };
    if matches!(kind, GroupKind::Frames(_)) {
        if flags & REMOTE_MASTER != 0 {
            return Err(fault(at, super::columns()));
        }
        if size > RECORD_MAX {
            let max = RECORD_MAX;
            return Err(fault(at, Mf4Cause::RecordSize { size, max }));
        }
    }
    Ok(ChannelGroup {
        record_id: u64_at(&block.data, 0),
        size,
        records: u64_at(&block.data, 8),
        kind,
    })
}
