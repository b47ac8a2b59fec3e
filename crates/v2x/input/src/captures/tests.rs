//! Both formats in both byte orders, every way to tell times, and hostile bytes.

use super::*;

/// Items of a capture: frames by link, time, bytes and length; `Err`: broken packets and ends.
type Seen = Vec<Result<(u32, Option<i64>, Vec<u8>, u32), String>>;

fn seen(capture: Result<impl Capture, Stop>) -> Seen {
    let mut seen = Vec::new();
    let mut capture = match capture {
        Ok(capture) => capture,
        Err(stop) => return vec![Err(stop.words())],
    };
    loop {
        match capture.next() {
            Ok(Next::Frame(packet)) => seen.push(Ok((
                packet.frame.link,
                packet.captured,
                packet.bytes,
                packet.frame.length,
            ))),
            Ok(Next::Broken(why)) => seen.push(Err(why)),
            Ok(Next::Other) => {}
            Ok(Next::End) => return seen,
            Err(stop) => {
                seen.push(Err(stop.words()));
                return seen;
            }
        }
    }
}

/// Words in one byte order.
fn words(order: Order, words: &[u32]) -> Vec<u8> {
    let bytes = |word: &u32| match order {
        Order::Big => word.to_be_bytes(),
        Order::Little => word.to_le_bytes(),
    };
    words.iter().flat_map(bytes).collect()
}

fn block(order: Order, kind: u32, body: &[u8]) -> Vec<u8> {
    let length = 12 + body.len() as u32;
    let head = words(order, &[kind, length]);
    [head, body.to_vec(), words(order, &[length])].concat()
}

fn section(order: Order) -> Vec<u8> {
    block(order, 0x0A0D_0D0A, &words(order, &[0x1A2B_3C4D, 1, 0, 0]))
}

#[test]
fn packets_in_both_orders_and_both_units() {
    for (magic, fraction) in [(0xA1B2_C3D4, 250_000), (0xA1B2_3C4D, 250_000_999)] {
        for order in [Order::Big, Order::Little] {
            // The link's number has the length of a frame check sequence above it.
            let version = match order {
                Order::Big => 0x0002_0004,
                Order::Little => 0x0004_0002,
            };
            let header = [magic, version, 0, 0, 96, 0x2400_0069];
            let packet = [7, fraction, 4, 9, 0x0102_0304];
            let bytes = words(order, &[&header[..], &packet].concat());
            let data = words(order, &[0x0102_0304]);
            let expected = vec![Ok((105, Some(7_250_000), data, 9))];
            assert_eq!(seen(Packets::new(&bytes[..])), expected);
        }
    }
}

/// Microseconds unless another power of ten or of two is stated, and seconds to be added.
#[test]
fn times_of_interfaces() {
    for order in [Order::Big, Order::Little] {
        let half = |word: u16| words(order, &[u32::from(word)])[..].to_vec();
        let short = |word: u16| match order {
            Order::Big => half(word)[2..].to_vec(),
            Order::Little => half(word)[..2].to_vec(),
        };
        let resolution = |value: u8| [short(9), short(1), vec![value, 0, 0, 0]].concat();
        let seconds: [u32; 2] = match order {
            Order::Big => [0, 100],
            Order::Little => [100, 0],
        };
        let offset = [short(14), short(8), words(order, &seconds)].concat();
        let cases: [(Vec<u8>, u32, Option<i64>); 6] = [
            (Vec::new(), 5_000_000, Some(5_000_000)),
            (resolution(3), 5_000, Some(5_000_000)),
            (resolution(9), 5_999, Some(5)),
            (resolution(0x80 | 10), 512, Some(500_000)),
            ([resolution(0), offset].concat(), 5, Some(105_000_000)),
            (resolution(39), 5, None),
        ];
        for (options, units, expected) in cases {
            let interface = [short(1), short(0), words(order, &[0]), options].concat();
            let packet = words(order, &[0, 0, units, 4, 4, 77]);
            let parts = [section(order), block(order, 1, &interface)];
            let bytes = [parts.concat(), block(order, 6, &packet)].concat();
            let data = words(order, &[77]);
            assert_eq!(
                seen(Ok(Sections::new(&bytes[..]))),
                vec![Ok((1, expected, data, 4))]
            );
        }
    }
}

/// Packets without a time, of the first interface; those of the older block; and a section that
/// forgets what was described before it.
#[test]
fn other_blocks_of_packets() {
    let order = Order::Little;
    let interface = block(order, 1, &words(order, &[105, 6]));
    let simple = block(order, 3, &words(order, &[9, 0x0403_0201, 0x0807_0605]));
    let old = block(order, 2, &words(order, &[0, 0, 8, 3, 3, 0x0403_0201]));
    let parts = [
        section(order),
        interface,
        simple.clone(),
        old,
        section(order),
        simple,
    ];
    let bytes = parts.concat();
    let expected = vec![
        Ok((105, None, vec![1, 2, 3, 4, 5, 6], 9)),
        Ok((105, Some(8), vec![1, 2, 3], 3)),
        Err("of interface 0, which is not described".to_owned()),
    ];
    assert_eq!(seen(Ok(Sections::new(&bytes[..]))), expected);
}

/// Changed anywhere, cut anywhere, or made up: read to an end, and no more frames than fit.
#[test]
fn hostile_bytes() {
    let order = Order::Little;
    let packet = block(order, 6, &words(order, &[0, 0, 5, 4, 4, 77]));
    let interface = block(order, 1, &words(order, &[1, 0, 0x0001_0009, 6]));
    let newer = [section(order), interface, packet.repeat(4)].concat();
    let header = words(order, &[0xA1B2_C3D4, 0x0004_0002, 0, 0, 96, 1]);
    let older = [header, words(order, &[7, 8, 4, 4, 77]).repeat(4)].concat();
    let mut state = 0x5eed_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize
    };
    for round in 0..20_000 {
        let mut bytes = if round % 2 == 0 {
            newer.clone()
        } else {
            older.clone()
        };
        for _ in 0..=next() % 4 {
            let place = next() % bytes.len();
            bytes[place] = next() as u8;
        }
        bytes.truncate(bytes.len() - next() % 8 * (next() % 2));
        for seen in [
            seen(Packets::new(&bytes[..])),
            seen(Ok(Sections::new(&bytes[..]))),
        ] {
            assert!(seen.len() <= bytes.len() / 12 + 1, "{bytes:?}");
        }
    }
}
