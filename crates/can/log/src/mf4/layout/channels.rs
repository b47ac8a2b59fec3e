//! The channels of a channel group that hold a frame: its time, and the parts of the composed
//! channel.

use std::collections::HashMap;
use std::io::{Read, Seek};

use super::{Blocks, DataPlace, FrameKind, FrameLayout, GroupKind};
use crate::bytes::{array_at, u8_at, u16_at, u32_at, u64_at};
use crate::error::{LogError, Mf4Cause};
use crate::mf4::block::Block;
use crate::mf4::fault;
use crate::mf4::field::{Field, TimeField, kind};

/// Types of channels.
mod channel {
    pub(super) const FIXED: u8 = 0;
    pub(super) const VARIABLE: u8 = 1;
    pub(super) const MASTER: u8 = 2;
    pub(super) const MAXIMUM: u8 = 5;
}

/// Flag of a channel: a bit behind the data bytes says that there is no value.
const HAS_INVALID_BIT: u32 = 2;

/// The parts of a frame that are numbers.
#[derive(Clone, Debug, Default)]
pub(in crate::mf4) struct Parts {
    pub(in crate::mf4) channel: Option<Field>,
    pub(in crate::mf4) id: Option<Field>,
    pub(in crate::mf4) extended: Option<Field>,
    pub(in crate::mf4) length_code: Option<Field>,
    pub(in crate::mf4) length: Option<Field>,
    pub(in crate::mf4) direction: Option<Field>,
    pub(in crate::mf4) fd: Option<Field>,
    pub(in crate::mf4) bit_rate_switch: Option<Field>,
    pub(in crate::mf4) error_state_indicator: Option<Field>,
}

/// A channel as it is described.
struct Channel {
    at: u64,
    kind: u8,
    sync: u8,
    field: Field,
    block: Block,
}

/// The data bytes as they are described.
struct Bytes {
    channel: Channel,
    count: usize,
}

/// Finds the frame of a channel group, if it has one.
pub(super) fn parts<S: Read + Seek>(
    blocks: &mut Blocks<'_, S>,
    group: &Block,
    data_bytes: u32,
    indexes: &HashMap<u64, usize>,
) -> Result<GroupKind, LogError> {
    let (mut time, mut frame) = (None, None);
    let (mut parts, mut bytes) = (Parts::default(), None);
    let mut next = group.link(1);
    while let Some(block) = blocks.read(next, (b"CN", "##CN"))? {
        let (at, following) = (next, block.link(0));
        let channel = Channel::new(at, block, data_bytes);
        next = following;
        if channel.kind == channel::MASTER && channel.sync == 1 {
            time = Some(channel);
            continue;
        }
        let name = blocks.text(channel.block.link(2))?;
        if let Some(kind) = FrameKind::of(&name) {
            frame = Some((kind, at));
            let mut inner = channel.block.link(1);
            while let Some(block) = blocks.read(inner, (b"CN", "##CN"))? {
                let part = Channel::new(inner, block, data_bytes);
                inner = part.block.link(0);
                let name = blocks.text(part.block.link(2))?;
                take(blocks, &name, part, (&mut parts, &mut bytes))?;
            }
        } else if let Some((kind, _)) = name.rsplit_once('.')
            && let Some(kind) = FrameKind::of(kind.rsplit('.').next().unwrap_or_default())
        {
            // The parts may stand beside each other without a channel that composes them.
            frame = frame.or(Some((kind, at)));
            take(blocks, &name, channel, (&mut parts, &mut bytes))?;
        }
    }
    let Some((kind, at)) = frame else {
        return Ok(GroupKind::Other);
    };
    let missing = |channel| {
        fault(
            at,
            Mf4Cause::Missing {
                group: kind.name(),
                channel,
            },
        )
    };
    let time = time_field(blocks, &time.ok_or_else(|| missing("of time"))?)?;
    if kind != FrameKind::Error && parts.id.is_none() {
        return Err(missing("ID"));
    }
    let data = match bytes {
        Some(bytes) if kind == FrameKind::Data => bytes.place(indexes)?,
        None if kind == FrameKind::Data => return Err(missing("DataBytes")),
        _ => DataPlace::None,
    };
    let (channel, source) = match parts.channel {
        Some(_) => (None, None),
        None => source(blocks, group)?,
    };
    Ok(GroupKind::Frames(Box::new(FrameLayout {
        kind,
        time,
        parts,
        data,
        channel: channel.unwrap_or(0),
        source: source.filter(|_| channel.is_none()),
    })))
}

/// Returns the number on which the name of a group's source ends, or the name: that of the
/// acquisition, or of the source block and its path.
fn source<S: Read + Seek>(
    blocks: &mut Blocks<'_, S>,
    group: &Block,
) -> Result<(Option<u16>, Option<String>), LogError> {
    let mut names = vec![blocks.text(group.link(2))?];
    if let Some(block) = blocks.read(group.link(3), (b"SI", "##SI"))? {
        names.push(blocks.text(block.link(0))?);
        names.push(blocks.text(block.link(1))?);
    }
    let digits = |name: &String| {
        let start = name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        name[start..].parse().ok()
    };
    let number = names.iter().find_map(digits);
    // The name of the bus system tells nothing.
    let mut names = names.into_iter();
    let name = names.find(|name| !name.is_empty() && !name.eq_ignore_ascii_case("CAN"));
    Ok((number, name))
}

/// Keeps a channel that is a part of the frame.
fn take<S: Read + Seek>(
    blocks: &mut Blocks<'_, S>,
    name: &str,
    channel: Channel,
    (parts, bytes): (&mut Parts, &mut Option<Bytes>),
) -> Result<(), LogError> {
    let place = match name.rsplit('.').next().unwrap_or_default() {
        "BusChannel" => &mut parts.channel,
        "ID" => &mut parts.id,
        "IDE" => &mut parts.extended,
        "DLC" => &mut parts.length_code,
        "DataLength" => &mut parts.length,
        "Dir" => &mut parts.direction,
        "EDL" => &mut parts.fd,
        "BRS" => &mut parts.bit_rate_switch,
        "ESI" => &mut parts.error_state_indicator,
        "DataBytes" => {
            let count = count(blocks, &channel)?;
            *bytes = Some(Bytes { channel, count });
            return Ok(());
        }
        _ => return Ok(()),
    };
    // A direction may be a text, which the length of the frame does not depend on.
    if channel.field.is_number() {
        *place = Some(channel.field);
    }
    Ok(())
}

/// Returns the number of data bytes that the channel has room for: an array of bytes counts its
/// elements apart.
fn count<S: Read + Seek>(blocks: &mut Blocks<'_, S>, channel: &Channel) -> Result<usize, LogError> {
    let one = channel.field.bits as usize / 8;
    let composition = blocks.header(channel.block.link(1))?;
    let Some(array) = composition.filter(|header| header.kind == *b"CA") else {
        return Ok(one);
    };
    let data = array.body(blocks.file, 256)?.data;
    let dimensions = usize::from(u16_at(&data, 2)).min(8);
    let sizes = (0..dimensions).map(|index| u64_at(&data, 16 + 8 * index) as usize);
    Ok(sizes.fold(one, usize::saturating_mul))
}

/// Reads how the time is stored.
fn time_field<S: Read + Seek>(
    blocks: &mut Blocks<'_, S>,
    channel: &Channel,
) -> Result<TimeField, LogError> {
    let unsupported = |form: String| Mf4Cause::Unsupported {
        channel: "of time",
        form,
        remedy: "store it as a float or a whole number with a linear conversion",
    };
    let (mut offset, mut factor) = (0.0, 1.0);
    if let Some(block) = blocks.read(channel.block.link(4), (b"CC", "##CC"))? {
        let value = |index: usize| f64::from_le_bytes(array_at(&block.data, 24 + 8 * index));
        match u8_at(&block.data, 0) {
            0 => {}
            1 => (offset, factor) = (value(0), value(1)),
            other => {
                let form = format!("conversion {other}");
                return Err(fault(channel.at, unsupported(form)));
            }
        }
    }
    let field = channel.field;
    let time = TimeField {
        field,
        offset,
        factor,
    };
    if time.is_readable() {
        Ok(time)
    } else {
        let form = format!("type {} of {} bits", field.kind, field.bits);
        Err(fault(channel.at, unsupported(form)))
    }
}

impl Channel {
    fn new(at: u64, block: Block, data_bytes: u32) -> Self {
        let data = &block.data;
        let invalid = u32_at(data, 16) as usize;
        let has_bit = u32_at(data, 12) & HAS_INVALID_BIT != 0;
        Channel {
            at,
            kind: u8_at(data, 0),
            sync: u8_at(data, 1),
            field: Field {
                kind: u8_at(data, 2),
                bit: u8_at(data, 3),
                byte: u32_at(data, 4) as usize,
                bits: u32_at(data, 8),
                invalid: has_bit.then(|| (data_bytes as usize).saturating_mul(8) + invalid),
            },
            block,
        }
    }
}

impl Bytes {
    fn place(self, indexes: &HashMap<u64, usize>) -> Result<DataPlace, LogError> {
        let Bytes { channel, count } = self;
        let (field, link) = (channel.field, channel.block.link(5));
        Ok(match channel.kind {
            channel::FIXED | channel::MAXIMUM => DataPlace::Record {
                at: field.byte,
                bytes: count,
            },
            // The record has the offset of the value, of any kind of value.
            channel::VARIABLE => {
                let offset = Field {
                    kind: kind::UNSIGNED,
                    ..field
                };
                match indexes.get(&link) {
                    _ if !offset.is_number() || link == 0 => {
                        return Err(fault(channel.at, unsupported(channel.kind)));
                    }
                    Some(group) => DataPlace::Values {
                        offset,
                        group: *group,
                    },
                    None => DataPlace::Signal { offset, link },
                }
            }
            other => return Err(fault(channel.at, unsupported(other))),
        })
    }
}

fn unsupported(kind: u8) -> Mf4Cause {
    Mf4Cause::Unsupported {
        channel: "DataBytes",
        form: format!("channel type {kind}"),
        remedy: "bytes of fixed, of maximum or of variable length are read",
    }
}
