//! Inputs that bytes choose: real parts, cut, changed and put together.

use std::fmt::Write as _;

use crate::source::Source;

/// A CAM in GeoNetworking in the clear, and a CAM alone.
const CLEAR_CAM: &str = "1100050120500280003201001400a6daf37248b48c9be80d1eb14ab10570fc0f821c0ad0\
    0000a00007d100000202f37248b4ea00005a8ac678ce175997623022c6de3e239658ad00e0defe02c68a3f33f401ff\
    ba203fff945980";

/// Changes of one input.
const CHANGES_MAX: usize = 4;

fn hex(digits: &str) -> Vec<u8> {
    let digits = digits.as_bytes().chunks(2);
    let byte = |pair: &[u8]| std::str::from_utf8(pair).ok()?.parse_hex();
    digits.filter_map(byte).collect()
}

trait ParseHex {
    fn parse_hex(&self) -> Option<u8>;
}

impl ParseHex for str {
    fn parse_hex(&self) -> Option<u8> {
        u8::from_str_radix(self, 16).ok()
    }
}

/// Returns an SPDU of unsecured data.
fn spdu(source: &mut Source<'_>) -> Vec<u8> {
    let mut payload = vec![0; usize::from(source.byte() % 64)];
    source.fill(&mut payload);
    [&[3, 0x80, payload.len() as u8][..], &payload].concat()
}

/// Changes some bytes: a bit, a length, the end.
fn change(bytes: &mut Vec<u8>, source: &mut Source<'_>) {
    for _ in 0..usize::from(source.byte()) % (CHANGES_MAX + 1) {
        if bytes.is_empty() {
            return;
        }
        let at = usize::from(u16::from_be_bytes([source.byte(), source.byte()])) % bytes.len();
        match source.byte() % 5 {
            0 => bytes[at] ^= 1 << (source.byte() % 8),
            1 => bytes[at] = source.byte(),
            2 => drop(bytes.remove(at)),
            3 => bytes.insert(at, source.byte()),
            _ => bytes.truncate(at),
        }
    }
}

fn udp(packet: &[u8], source: &mut Source<'_>) -> Vec<u8> {
    let length = (8 + packet.len() as u16).to_be_bytes();
    let udp = [&[4, 210, 4, 211][..], &length, &[0, 0], packet].concat();
    let fragment = source.choose(&[[0, 0], [0x40, 0], [0x20, 0], [0, 9]]);
    match source.byte() % 2 {
        0 => {
            let total = (20 + udp.len() as u16).to_be_bytes();
            let head = [&[0x45, 0][..], &total, &[0, 0], &fragment, &[64, 17, 0, 0]].concat();
            [&head[..], &[10; 8], &udp].concat()
        }
        _ => {
            let length = (udp.len() as u16).to_be_bytes();
            let next = source.choose(&[17, 0, 43, 44, 60]);
            [&[0x60, 0, 0, 0][..], &length, &[next, 64], &[1; 32], &udp].concat()
        }
    }
}

/// Returns a frame of some link around a packet of some network, changed.
pub(super) fn frame(source: &mut Source<'_>) -> Vec<u8> {
    let inner = match source.byte() % 4 {
        0 => hex(CLEAR_CAM),
        1 => [&[0, 20, 3, 1, 2, 3][..]].concat(),
        _ => spdu(source),
    };
    let (packet, ethertype) = match source.byte() % 4 {
        0 => (inner, [0x89, 0x47]),
        1 => {
            let head = [3, 0, 32, inner.len() as u8];
            ([&head[..], &inner].concat(), [0x88, 0xDC])
        }
        2 => (
            [&[source.choose(&[1, 3])][..], &inner].concat(),
            [0x88, 0xDC],
        ),
        _ => (udp(&inner, source), source.choose(&[[8, 0], [0x86, 0xDD]])),
    };
    let snap = [&[0xAA, 0xAA, 3, 0, 0, 0][..], &ethertype, &packet].concat();
    let control = source.choose(&[[0, 0], [0xE0, 0xFF], [0xF0, 0xFF], [1, 0]]);
    let first = source.choose(&[[0x88, 0], [8, 0], [0x88, 4], [0x80, 0], [0x88, 0x40]]);
    let wlan = [&first[..], &[0, 0], &[0xFF; 18], &control, &[0, 0], &snap].concat();
    let mut frame = match source.byte() % 6 {
        0 => [&[0xFF; 6][..], &[2; 6], &ethertype, &packet].concat(),
        1 => wlan,
        2 => [&[0, 0, 8, 0, 0, 0, 0, 0][..], &wlan].concat(),
        3 => {
            let fields = [2, 0, 4, 0, 0, 0, source.byte(), 0];
            [&[0, 0, 16, 0, 105, 0, 0, 0][..], &fields, &wlan].concat()
        }
        4 => [&[0; 14][..], &ethertype, &packet].concat(),
        _ => packet,
    };
    change(&mut frame, source);
    frame
}

/// Returns a text of parts, of digits and of letters.
pub(super) fn text(source: &mut Source<'_>) -> String {
    const PARTS: [&str; 30] = [
        "{",
        "}",
        "[",
        "]",
        "\"payload\": \"",
        "\"",
        ",\n",
        "\n",
        "\n",
        "\n\n",
        "0x03, ",
        "0380",
        "-----BEGIN X-----\n",
        "-----END X-----\n",
        "00000000: ",
        "00000010: ",
        "0000  ",
        "*\n",
        "  |..|",
        "#",
        "/*",
        "*/",
        "//",
        " = ",
        "A4ADAQID\n",
        "  ",
        "label ",
        "\\\n",
        "uint8_t a[] = {",
        "12:00 RX ",
    ];
    let mut all = String::new();
    while !source.0.is_empty() {
        match source.byte() % 4 {
            0 | 1 => all.push_str(source.choose(&PARTS)),
            2 => {
                let width = 1 + usize::from(source.byte() % 80);
                let mut digits = String::new();
                for byte in spdu(source) {
                    let _ = write!(digits, "{byte:02x}");
                }
                for line in digits.as_bytes().chunks(width) {
                    all.push_str(std::str::from_utf8(line).unwrap_or(""));
                    all.push('\n');
                }
            }
            _ => all.push(char::from(source.byte() & 0x7F)),
        }
    }
    all
}

/// Returns a file of positions, changed.
pub(super) fn track(source: &mut Source<'_>) -> Vec<u8> {
    const LINES: [&str; 12] = [
        "$GPRMC,120000.00,A,5129.61,N,00907.74,E,10.0,90.0,010326,,,A*57\r\n",
        "$GPRMC,120001.00,A,5129.62,N,00907.75,E,10.0,90.0,010326,,,A\r\n",
        "$GPGGA,120001.00,5129.61,N,00907.74,E,1,08,1.0,100.0,M,46.0,M,,\r\n",
        "$GNRMC,235960.00,V,,,,,,,010326,,,N\r\n",
        "<gpx xmlns=\"http://www.topografix.com/GPX/1/1\"><trk><trkseg>",
        "<trkpt lat=\"51.49\" lon=\"9.12\"><time>2026-03-01T12:00:00Z</time></trkpt>",
        "<trkpt lat=\"51.50\" lon=\"9.13\"><time>2026-03-01T12:00:01</time></trkpt>",
        "</trkseg></trk></gpx>",
        "time,latitude,longitude,speed,vehicle\n",
        "0,51.49,9.12,10,a\n",
        "1,51.50,9.13,10,a\n",
        "\"1,51.50\n",
    ];
    let first = source.choose(&[0, 4, 8]);
    let mut all = LINES[first].as_bytes().to_vec();
    for _ in 0..source.byte() % 24 {
        let line = match source.byte() % 8 {
            0 => source.choose(&LINES),
            _ => LINES[first + usize::from(source.byte() % 4)],
        };
        all.extend_from_slice(line.as_bytes());
    }
    change(&mut all, source);
    all
}

/// Returns a payload: a packet with a CAM, or anything, changed.
pub(super) fn payload(source: &mut Source<'_>) -> Vec<u8> {
    let mut payload = match source.byte() % 3 {
        // Without the basic header, which is outside of a signature.
        0 => hex(CLEAR_CAM).split_off(4),
        1 => [&[0, 20, 8][..], &[source.byte(); 8]].concat(),
        _ => spdu(source),
    };
    change(&mut payload, source);
    payload
}
