//! Exchanges recorded from another implementation, and payloads of every length.

use super::*;

/// CRC-32 of IEEE 802.3.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &byte| {
        (0..8).fold(crc ^ byte as u32, |crc, _| {
            (crc >> 1) ^ (0xEDB8_8320 * (crc & 1))
        })
    })
}

/// Writes an exchange as the file of vectors does.
fn write_out(bus: &[(char, DataFieldBytes, Instant)]) -> Vec<String> {
    let line = |(way, data, _): &(char, DataFieldBytes, Instant)| {
        let hex: String = data.iter().map(|byte| format!("{byte:02X}")).collect();
        format!("{way} {hex}")
    };
    if bus.len() <= 24 {
        return bus.iter().map(line).collect();
    }
    let (head, rest) = bus.split_at(6);
    let (middle, tail) = rest.split_at(rest.len() - 3);
    let bytes: Vec<u8> = middle
        .iter()
        .flat_map(|(way, data, _)| [&[*way as u8, data.len() as u8][..], data].concat())
        .collect();
    let summary = format!(
        "... {} frames, CRC-32 of their bytes {:08X}",
        middle.len(),
        crc32(&bytes)
    );
    let mut lines: Vec<String> = head.iter().map(line).collect();
    lines.push(summary);
    lines.extend(tail.iter().map(line));
    lines
}

#[test]
fn exchanges_are_those_of_another_implementation() {
    let lines: Vec<&str> = EXCHANGES
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect();
    let starts = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.starts_with("exchange "));
    let mut count = 0;
    for (at, header) in starts {
        let words: Vec<&str> = header.split(' ').skip(1).collect();
        let [
            length,
            addressing,
            capacity,
            padding,
            block_size,
            separation,
        ] = words[..]
        else {
            panic!("{header}")
        };
        let link = IsoTpLink {
            capacity: FrameCapacity::new(capacity.parse().unwrap()).unwrap(),
            addressing: match addressing {
                "normal" => Addressing::Normal,
                _ => Addressing::Extended {
                    transmit: 0xB5,
                    receive: 0xA4,
                },
            },
            padding: u8::from_str_radix(padding, 16).ok(),
        };
        let parameters = FlowControlParameters {
            block_size: block_size.parse().unwrap(),
            separation: SeparationTime(u8::from_str_radix(separation, 16).unwrap()),
            ..FlowControlParameters::FASTEST
        };
        let payload = payload(length.parse().unwrap());
        let mut pair = Pair::<5_000>::new(link, parameters);
        let outcome = pair.run(&payload);
        assert_eq!(
            outcome,
            Outcome {
                sent: Ok(()),
                received: Ok(payload)
            },
            "{header}"
        );
        let ours = write_out(&pair.bus);
        let theirs = &lines[at + 1..];
        let end = theirs.iter().position(|line| line.starts_with("exchange"));
        assert_eq!(ours, theirs[..end.unwrap_or(theirs.len())], "{header}");
        count += 1;
    }
    assert_eq!(count, 55);
}

#[test]
fn every_length_comes_back_whole() {
    let extended = Addressing::Extended {
        transmit: 1,
        receive: 2,
    };
    for (bytes, addressing, padding) in [
        (8, Addressing::Normal, None),
        (8, extended, Some(0xAA)),
        (12, Addressing::Normal, Some(0)),
        (64, Addressing::Normal, None),
        (64, extended, Some(0xFF)),
    ] {
        let capacity = FrameCapacity::new(bytes).unwrap();
        let link = IsoTpLink {
            capacity,
            addressing,
            padding,
        };
        for length in (1..300).chain([4_094, 4_095, 4_096, 4_097]) {
            let payload = payload(length);
            let outcome = Pair::<5_000>::new(link, FlowControlParameters::FASTEST).run(&payload);
            assert_eq!(
                outcome,
                Outcome {
                    sent: Ok(()),
                    received: Ok(payload)
                },
                "{length} {link:?}"
            );
        }
    }
}
