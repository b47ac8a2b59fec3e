//! The newer format: blocks, each with its length at both ends \[PCAPNG §3, §4\].

use std::io::BufRead;

use super::{Capture, CapturedFrame, Next, Order, PACKET_MAX, Packet, Stop, read};

const SECTION: u32 = 0x0A0D_0D0A;
const INTERFACE: u32 = 1;
const OLD_PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const PACKET: u32 = 6;
/// Length of a block around its body, in bytes: its type, and its length twice.
const AROUND: u32 = 12;
/// Maximum number of interfaces that a section may describe.
const INTERFACES_MAX: usize = 65_536;

/// A capture in the newer format.
pub(super) struct Sections<R> {
    input: R,
    order: Order,
    /// Interfaces of this section, by number; `None`: the description cannot be read.
    interfaces: Vec<Option<Interface>>,
}

/// Description of an interface.
#[derive(Clone, Copy)]
struct Interface {
    link: u32,
    /// Maximum number of bytes that are kept of a packet; 0: all of it.
    kept_max: u32,
    /// Unit of time stamps, as a number of fractions of a second; `None`: more than fit.
    per_second: Option<u128>,
    /// Seconds to be added to times.
    offset: i64,
}

impl<R: BufRead> Sections<R> {
    /// A section's header comes first; it is read as every block is.
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            order: Order::Little,
            interfaces: Vec::new(),
        }
    }

    /// Reads a block: its type, its body, and whether its two lengths agree.
    fn block(&mut self) -> Result<Option<(u32, Vec<u8>, bool)>, Stop> {
        let Some(head) = read(&mut self.input, 8)? else {
            return Ok(None);
        };
        let word = |order: Order, bytes: &[u8], at| order.word(bytes, at).ok_or(Stop::Cut);
        let kind = word(self.order, &head, 0)?;
        let mut begun = Vec::new();
        if kind == SECTION {
            begun = read(&mut self.input, 4)?.ok_or(Stop::Cut)?;
            const MAGIC: u32 = 0x1A2B_3C4D;
            self.order = match (
                word(Order::Little, &begun, 0)?,
                word(Order::Big, &begun, 0)?,
            ) {
                (MAGIC, _) => Order::Little,
                (_, MAGIC) => Order::Big,
                _ => return Err(Stop::Lost("a section of no byte order".to_owned())),
            };
            self.interfaces.clear();
        }
        let length = word(self.order, &head, 4)?;
        let least = AROUND + begun.len() as u32;
        if length < least || length > PACKET_MAX || !length.is_multiple_of(4) {
            return Err(Stop::Lost(format!("a block of {length} bytes")));
        }
        let mut body = begun;
        body.extend(read(&mut self.input, length - least)?.ok_or(Stop::Cut)?);
        let tail = read(&mut self.input, 4)?.ok_or(Stop::Cut)?;
        let agrees = word(self.order, &tail, 0)? == length;
        Ok(Some((kind, body, agrees)))
    }

    /// Takes the description of an interface. One that cannot be read has its number all the same.
    fn describe(&mut self, body: &[u8]) -> Result<(), Stop> {
        if self.interfaces.len() == INTERFACES_MAX {
            return Err(Stop::Lost(format!("more than {INTERFACES_MAX} interfaces")));
        }
        self.interfaces.push(Interface::read(self.order, body));
        Ok(())
    }

    fn packet(&self, kind: u32, body: &[u8]) -> Result<Next, String> {
        let short = || format!("a block with {} bytes of a packet's header", body.len());
        let word = |at| self.order.word(body, at).ok_or_else(short);
        let number = match kind {
            SIMPLE_PACKET => 0,
            OLD_PACKET => {
                let digits = body.first_chunk().ok_or_else(short)?;
                u32::from(self.order.u16(*digits))
            }
            _ => word(0)?,
        };
        let interface = self.interfaces.get(number as usize).copied().flatten();
        let interface =
            interface.ok_or_else(|| format!("of interface {number}, which is not described"))?;
        let (captured, kept, length, header) = if kind == SIMPLE_PACKET {
            let length = word(0)?;
            let most = match interface.kept_max {
                0 => length,
                most => length.min(most),
            };
            (None, most, length, 4)
        } else {
            let units = u64::from(word(4)?) << 32 | u64::from(word(8)?);
            (interface.time(units), word(12)?, word(16)?, 20)
        };
        let data = body.get(header..).ok_or_else(short)?;
        let bytes = data.get(..kept as usize).ok_or_else(|| {
            format!(
                "{kept} bytes captured, in a block with {} bytes",
                data.len()
            )
        })?;
        Ok(Next::Frame(Packet {
            frame: CapturedFrame {
                link: interface.link,
                length,
            },
            captured,
            bytes: bytes.to_vec(),
        }))
    }
}

impl<R: BufRead> Capture for Sections<R> {
    fn next(&mut self) -> Result<Next, Stop> {
        let Some((kind, body, agrees)) = self.block()? else {
            return Ok(Next::End);
        };
        Ok(match kind {
            INTERFACE => {
                self.describe(&body)?;
                Next::Other
            }
            OLD_PACKET | SIMPLE_PACKET | PACKET if !agrees => {
                Next::Broken("a block that says two lengths of itself".to_owned())
            }
            OLD_PACKET | SIMPLE_PACKET | PACKET => {
                self.packet(kind, &body).unwrap_or_else(Next::Broken)
            }
            _ => Next::Other,
        })
    }
}

impl Interface {
    fn read(order: Order, body: &[u8]) -> Option<Self> {
        let mut interface = Self {
            link: u32::from(order.u16(*body.first_chunk()?)),
            kept_max: order.word(body, 4)?,
            per_second: Some(1_000_000),
            offset: 0,
        };
        let mut options = body.get(8..)?;
        const RESOLUTION: u16 = 9;
        const OFFSET: u16 = 14;
        // Each step takes four bytes or more of the block.
        while let Some((head, rest)) = options.split_first_chunk::<4>() {
            let [a, b, c, d] = *head;
            let (code, length) = (order.u16([a, b]), usize::from(order.u16([c, d])));
            let Some(value) = rest.get(..length) else {
                break;
            };
            match (code, value) {
                (0, _) => break,
                (RESOLUTION, &[resolution]) => interface.per_second = per_second(resolution),
                (OFFSET, &[..]) => interface.offset = seconds(order, value)?,
                _ => {}
            }
            options = rest.get(length.next_multiple_of(4)..).unwrap_or(&[]);
        }
        Some(interface)
    }

    /// Microseconds since 1970.
    fn time(&self, units: u64) -> Option<i64> {
        let micros = u128::from(units).checked_mul(1_000_000)? / self.per_second?;
        let offset = self.offset.checked_mul(1_000_000)?;
        i64::try_from(micros).ok()?.checked_add(offset)
    }
}

/// A negative power of ten, or of two.
fn per_second(resolution: u8) -> Option<u128> {
    match resolution {
        binary @ 0x80.. => 1_u128.checked_shl(u32::from(binary & 0x7F)),
        decimal => 10_u128.checked_pow(u32::from(decimal)),
    }
}

fn seconds(order: Order, value: &[u8]) -> Option<i64> {
    let digits = *value.first_chunk()?;
    Some(match order {
        Order::Big => i64::from_be_bytes(digits),
        Order::Little => i64::from_le_bytes(digits),
    })
}
