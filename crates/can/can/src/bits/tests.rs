//! The bits of frames: hand-checked answers, the corpus, and both ways of counting held together.

extern crate std;

use super::*;
use crate::frame::{FdFlags, Format, Frame};
use crate::id::Id;

/// Random frames.
struct Random(waywarden_testkit::Random);

impl Random {
    fn new(seed: u64) -> Self {
        Random(waywarden_testkit::Random::new(seed))
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0.below(bound)
    }

    /// Any frame; the data is random, of one byte, or of few runs, to exercise stuffing.
    fn frame(&mut self) -> Frame {
        let raw = self.0.u64() as u32;
        let raw = if self.below(3) == 0 {
            0x1FFF_FFFF * (raw & 1)
        } else {
            raw
        };
        let id = match self.below(2) {
            0 => Id::standard((raw & 0x7FF) as u16),
            _ => Id::extended(raw & 0x1FFF_FFFF),
        }
        .unwrap();
        let style = self.below(3);
        let fill = [0, 0xFF, 0xF8, 0x1F, self.0.u64() as u8][self.below(5) as usize];
        let data: [u8; 64] = core::array::from_fn(|_| match style {
            0 => self.0.u64() as u8,
            1 => fill,
            _ => [0, 0xFF, 0xF0, 0x0F, 0x83, 0x7C][self.below(6) as usize],
        });
        let dlc = self.below(16) as u8;
        match self.below(5) {
            0 => Frame::remote(id, dlc).unwrap(),
            1 | 2 => {
                let frame = Frame::classic(id, &data[..dlc.min(8) as usize]).unwrap();
                if dlc > 8 {
                    frame.with_raw_dlc(dlc).unwrap()
                } else {
                    frame
                }
            }
            _ => {
                let length = crate::frame::FD_LENGTHS[dlc as usize] as usize;
                let (switch, passive) = (self.below(4) > 0, self.below(3) == 0);
                Frame::fd_with(
                    id,
                    &data[..length],
                    FdFlags {
                        bit_rate_switch: switch,
                        error_state_indicator: passive,
                    },
                )
                .unwrap()
            }
        }
    }

    fn variant(&mut self) -> FdVariant {
        if self.below(3) == 0 {
            FdVariant::NonIso
        } else {
            FdVariant::Iso
        }
    }
}

#[test]
fn the_fast_count_and_the_plain_layout_agree() {
    let seed = 0x5EED_0001;
    let mut random = Random::new(seed);
    for round in 0..20_000 {
        let (frame, variant) = (random.frame(), random.variant());
        assert_eq!(
            frame_length(&frame, variant),
            expand(&frame, variant).length(),
            "seed {seed:#x} round {round}: {frame} {variant:?}"
        );
    }
}

/// Pushes bits until the frame is over, and returns the frame or the error with its position.
fn receive(
    levels: impl IntoIterator<Item = Level>,
    variant: FdVariant,
) -> Result<(Option<Frame>, BitStep), (usize, BitError)> {
    let mut decoder = Decoder::new(variant);
    let (mut frame, mut last) = (None, BitStep::Idle);
    for (at, level) in levels.into_iter().enumerate() {
        last = decoder.push(level).map_err(|error| (at, error))?;
        match last {
            BitStep::Frame(received) => frame = Some(received),
            BitStep::End | BitStep::Overload => break,
            BitStep::Idle | BitStep::Bit => {}
        }
    }
    Ok((frame, last))
}

#[test]
fn a_receiver_gets_the_frame_and_knows_each_bit_before_it_comes() {
    let seed = 0x5EED_0002;
    let mut random = Random::new(seed);
    for round in 0..5_000 {
        let (frame, variant) = (random.frame(), random.variant());
        let place = std::format!("seed {seed:#x} round {round}: {frame} {variant:?}");
        let wire = expand(&frame, variant);
        let mut decoder = Decoder::new(variant);
        let mut received = None;
        for (at, bit) in wire.bits().iter().enumerate() {
            let next = decoder.next_bit();
            assert_eq!(
                (next.stuff, next.data_phase),
                (bit.stuff, bit.data_phase),
                "{place} {at}"
            );
            assert!(
                next.required.is_none_or(|level| level == bit.level),
                "{place} bit {at}"
            );
            let field = match bit.field {
                Field::SubstituteRemoteRequest | Field::RemoteRequestSubstitution => {
                    Field::RemoteTransmissionRequest
                }
                field => field,
            };
            assert_eq!(next.field, field, "{place} bit {at}");
            assert_eq!(
                decoder.acknowledges(),
                field == Field::AckSlot,
                "{place} bit {at}"
            );
            match decoder.push(bit.level) {
                Ok(BitStep::Bit) => {}
                Ok(BitStep::Frame(frame)) => {
                    assert_eq!(at, wire.bits().len() - 2, "{place}");
                    received = Some(frame);
                }
                Ok(BitStep::End) => assert_eq!(at, wire.bits().len() - 1, "{place}"),
                other => panic!("{place} bit {at}: {other:?}"),
            }
        }
        assert_eq!(received, Some(frame), "{place}");
        assert!(!decoder.is_in_frame());
        assert_eq!(decoder.push(Level::Recessive), Ok(BitStep::Idle));
    }
}

#[test]
fn one_flipped_bit_is_never_taken_for_the_frame() {
    let seed = 0x5EED_0003;
    let mut random = Random::new(seed);
    let mut causes = [0_u32; 4];
    for round in 0..400 {
        let (frame, variant) = (random.frame(), random.variant());
        let wire = expand(&frame, variant);
        let count = wire.bits().len();
        for flipped in 0..count {
            let place = std::format!("seed {seed:#x} round {round} bit {flipped}: {frame}");
            let levels = wire
                .bits()
                .iter()
                .enumerate()
                .map(|(at, bit)| match at == flipped {
                    true => bit.level.complement(),
                    false => bit.level,
                });
            // A receiver that lost or gained bits may wait for more: the bus is recessive.
            let idle = core::iter::repeat_n(Level::Recessive, WIRE_BITS_MAX);
            match (
                receive(levels.chain(idle), variant),
                wire.bits()[flipped].field,
            ) {
                // That is how a frame is acknowledged.
                (Ok((Some(received), BitStep::End)), Field::AckSlot) => assert_eq!(received, frame),
                (Ok((Some(received), BitStep::Overload)), Field::EndOfFrame) => {
                    assert_eq!((received, flipped), (frame, count - 1), "{place}");
                }
                (Err((at, error)), _) => {
                    assert!(at >= flipped, "{place}");
                    causes[error as usize] += 1;
                }
                // See a_lost_start_of_frame_goes_unnoticed_where_the_crc_starts_with_zero.
                (Ok((Some(received), BitStep::End)), Field::StartOfFrame) => {
                    assert_eq!(variant, FdVariant::NonIso, "{place}");
                    assert_ne!(received, frame, "{place}");
                }
                (other, field) => panic!("{place} in {field:?}: {other:?}"),
            }
        }
    }
    std::println!("seed {seed:#x}: stuff, form, CRC, stuff count errors {causes:?}");
    assert!(causes.iter().all(|&count| count > 0), "{causes:?}");
}

/// The reason for which ISO 11898-1:2015 lets the FD CRCs start with a one: a register of zeros
/// does not see a zero in front. A receiver that misses SOF takes the first zero of the identifier
/// for it, and the stuff bit, which the CRC covers, for a bit of the identifier.
#[test]
fn a_lost_start_of_frame_goes_unnoticed_where_the_crc_starts_with_zero() {
    let sent = Frame::fd_with(
        Id::extended(0).unwrap(),
        &[0x0C, 0xBA, 0xC4],
        FdFlags {
            bit_rate_switch: true,
            error_state_indicator: true,
        },
    )
    .unwrap();
    let without_start = |variant| {
        let wire = expand(&sent, variant);
        let levels: std::vec::Vec<Level> = wire.bits()[1..].iter().map(|bit| bit.level).collect();
        receive(levels, variant)
    };
    let taken = Frame::fd_with(
        Id::extended(0x200_0000).unwrap(),
        sent.data(),
        FdFlags {
            bit_rate_switch: true,
            error_state_indicator: true,
        },
    )
    .unwrap();
    assert_eq!(
        without_start(FdVariant::NonIso),
        Ok((Some(taken), BitStep::End))
    );
    // The same happens to the identifier, but now the CRC (or the stuff count) tells.
    assert!(matches!(
        without_start(FdVariant::Iso),
        Err((_, BitError::Crc | BitError::StuffCount))
    ));
}

/// Lays out a classic frame from its bits up to the data, whatever they are.
fn classic_levels(content: &[u8]) -> std::vec::Vec<Level> {
    let mut crc = crc::Crc::classic();
    content.iter().for_each(|&bit| crc.push(bit == 1));
    let crc_bits = (0..15).rev().map(|place| (crc.value() >> place & 1) as u8);
    let (mut levels, mut run, mut last) = (std::vec::Vec::new(), 0, 2);
    for bit in content.iter().copied().chain(crc_bits) {
        run = if bit == last { run + 1 } else { 1 };
        last = bit;
        levels.push(Level::from_bit(bit == 1));
        if run == 5 {
            (last, run) = (1 - bit, 1);
            levels.push(Level::from_bit(last == 1));
        }
    }
    levels.extend([Level::Recessive; 10]);
    levels
}

#[test]
fn reserved_bits_are_taken_at_either_level() {
    let id = 0x1555_5555_u32;
    let sent = Frame::classic(Id::extended(id).unwrap(), &[0x55]).unwrap();
    for (substitute, reserved) in [(1, 0), (0, 0), (1, 1), (0, 1)] {
        let bits = |value: u32, width: u32| {
            (0..width)
                .rev()
                .map(move |place| (value >> place & 1) as u8)
        };
        let mut content = std::vec![0];
        content.extend(bits(id >> 18, 11));
        content.extend([substitute, 1]);
        content.extend(bits(id, 18));
        content.extend([0, 0, reserved]);
        content.extend(bits(1, 4).chain(bits(0x55, 8)));
        let levels = classic_levels(&content);
        assert_eq!(
            receive(levels, FdVariant::Iso),
            Ok((Some(sent), BitStep::End))
        );
    }
}

#[test]
fn hostile_levels_end_in_errors_and_never_in_panic() {
    let seed = 0x5EED_0004;
    let mut random = Random::new(seed);
    let mut errors = 0_u32;
    for _ in 0..2_000 {
        let mut decoder = Decoder::new(random.variant());
        let stickiness = 1 + random.below(8);
        let mut level = Level::Dominant;
        for _ in 0..2 * WIRE_BITS_MAX {
            if random.below(stickiness) == 0 || decoder.next_bit().stuff != Stuff::None {
                level = level.complement();
            }
            // Mostly obeys, so that long frames are reached too.
            let next = decoder
                .next_bit()
                .required
                .filter(|_| random.below(500) > 0);
            if let Err(error) = decoder.push(next.unwrap_or(level)) {
                assert_eq!(decoder.push(Level::Recessive), Err(error));
                decoder.restart();
                errors += 1;
            }
        }
    }
    assert!(errors > 1_000, "seed {seed:#x}: {errors}");
}

#[test]
fn decoded_formats_cover_all_of_them() {
    let mut random = Random::new(0x5EED_0005);
    let formats: std::vec::Vec<Format> = (0..200).map(|_| random.frame().format()).collect();
    assert!(formats.contains(&Format::Remote) && formats.contains(&Format::Classic));
    assert!(formats.iter().any(|format| matches!(
        format,
        Format::Fd {
            bit_rate_switch: false,
            error_state_indicator: true
        }
    )));
}
