//! Leap seconds: the built-in table, files that replace it, and the seconds around a leap.

use sha1::{Digest, Sha1};
use waywarden_testkit::{Random, cases};
use waywarden_v2x_security::time::{CivilTime, FILE_BYTES_MAX, LeapSeconds, LeapSecondsError};
use waywarden_v2x_wire::ieee1609dot2::Time64;

/// The numbers of the file of July 2025, by the IERS.
const UPDATED: &str = "3960835200";
const EXPIRY: &str = "3991593600";
const HASH: &str = "49db2447 571e5e1b 2f002a53 9c8da8e4 39b8e49e";
const ENTRIES: &str = "\
2272060800 10 # 1 Jan 1972\n2287785600 11\n2303683200 12\n2335219200 13\n2366755200 14
2398291200 15\n2429913600 16\n2461449600 17\n2492985600 18\n2524521600 19\n2571782400 20
2603318400 21\n2634854400 22\n2698012800 23\n2776982400 24\n2840140800 25\n2871676800 26
2918937600 27\n2950473600 28\n2982009600 29\n3029443200 30\n3076704000 31\n3124137600 32
3345062400 33\n3439756800 34\n3550089600 35\n3644697600 36\n3692217600 37 # 1 Jan 2017\n";

/// 2016-12-31T23:59:60 and 2028-01-01T00:00:00 in microseconds and seconds since 1970.
const LEAP_2016: i64 = 1_483_228_800_000_000;
const IN_2028: i64 = 1_830_297_600;
const SECOND: i64 = 1_000_000;

fn file(updated: &str, expiry: &str, entries: &str, hash: &str) -> String {
    format!("#\tLeap seconds\n#$\t{updated}\n#@\t{expiry}\n#\n{entries}#\n#h\t{hash}\n")
}

/// A file with these entries more, the right hash, and an expiry at the end of 2030.
fn file_with(more: &str) -> String {
    let (entries, expiry) = (format!("{ENTRIES}{more}"), "4133894400");
    let mut digits = format!("{UPDATED}{expiry}");
    for line in entries.lines() {
        digits.extend(line.split('#').next().unwrap().split_whitespace());
    }
    let hash = Sha1::digest(digits);
    let words = hash.chunks(4).map(|word| {
        let word: [u8; 4] = word.try_into().unwrap();
        // Without leading zeros, as NIST wrote them.
        format!("{:x} ", u32::from_be_bytes(word))
    });
    file(UPDATED, expiry, &entries, &words.collect::<String>())
}

fn with(more: &str) -> LeapSeconds {
    LeapSeconds::parse(file_with(more).as_bytes()).unwrap()
}

fn shown(table: &LeapSeconds, time: u64) -> String {
    table.civil(Time64(time)).unwrap().to_string()
}

#[test]
fn the_file_of_the_iers_has_the_entries_of_the_built_in_table() {
    let read = LeapSeconds::parse(file(UPDATED, EXPIRY, ENTRIES, HASH).as_bytes()).unwrap();
    let built_in = LeapSeconds::built_in();
    assert_eq!(read.entries(), built_in.entries());
    assert_eq!(read.expiry(), 1_782_604_800);
    let expires = built_in.from_unix(built_in.expiry() * SECOND).unwrap();
    assert_eq!(shown(&built_in, expires.0), "2027-06-28T00:00:00Z");
    assert!(built_in.is_expired(expires));
    assert!(!built_in.is_expired(Time64(expires.0 - 1)));
}

#[test]
fn the_leap_second_of_2016_is_second_60() {
    let table = LeapSeconds::built_in();
    let first = table.from_unix(LEAP_2016).unwrap().0;
    let leap = first - 1_000_000;
    assert_eq!(shown(&table, leap - 1), "2016-12-31T23:59:59.999999Z");
    assert_eq!(shown(&table, leap), "2016-12-31T23:59:60Z");
    assert_eq!(shown(&table, leap + 999_999), "2016-12-31T23:59:60.999999Z");
    assert_eq!(shown(&table, first), "2017-01-01T00:00:00Z");
    for time in [leap - 1, leap, leap + 500_000, first] {
        let civil = table.civil(Time64(time)).unwrap();
        assert_eq!(CivilTime::parse(&civil.to_string()), Some(civil));
        assert_eq!(table.time(&civil), Some(Time64(time)), "{civil}");
    }
    for other in [
        "2017-12-31T23:59:60Z",
        "2016-12-31T22:59:60Z",
        "2016-12-31T23:59:61Z",
    ] {
        assert_eq!(
            CivilTime::parse(other).and_then(|civil| table.time(&civil)),
            None,
            "{other}"
        );
    }
}

#[test]
fn a_count_since_1970_in_a_leap_second_is_resolved_by_the_expected_time() {
    let table = LeapSeconds::built_in();
    let first = table.from_unix(LEAP_2016).unwrap().0;
    let leap = first - 1_000_000;
    // The system's clock repeats the second before, gpsd the one after.
    let near = |unix, expected| table.from_unix_near(unix, Time64(expected)).unwrap().0;
    assert_eq!(
        near(LEAP_2016 - SECOND + 7, leap - 1_000_000),
        leap - 1_000_000 + 7
    );
    assert_eq!(near(LEAP_2016 - SECOND + 7, leap + 100), leap + 7);
    assert_eq!(near(LEAP_2016 + 7, leap + 100), leap + 7);
    assert_eq!(near(LEAP_2016 + 7, first + 100), first + 7);
    // Elsewhere what is expected changes nothing.
    assert_eq!(near(LEAP_2016 + SECOND, leap), first + 1_000_000);
}

#[test]
fn a_file_adds_leap_seconds_and_takes_them_out() {
    let added = with("4039286400 38 # 1 Jan 2028\n");
    assert_eq!(
        added.entries().last().map(|leap| (leap.at, leap.offset)),
        Some((IN_2028, 6))
    );
    let first = added.from_unix(IN_2028 * SECOND).unwrap().0;
    assert_eq!(shown(&added, first - 1_000_000), "2027-12-31T23:59:60Z");
    assert_eq!(
        first,
        LeapSeconds::built_in()
            .from_unix(IN_2028 * SECOND)
            .unwrap()
            .0
            + 1_000_000
    );

    let removed = with("4039286400 36 # 1 Jan 2028\n");
    let first = removed.from_unix(IN_2028 * SECOND).unwrap().0;
    assert_eq!(shown(&removed, first), "2028-01-01T00:00:00Z");
    assert_eq!(shown(&removed, first - 1), "2027-12-31T23:59:58.999999Z");
    let missing = CivilTime::parse("2027-12-31T23:59:59Z").unwrap();
    assert_eq!(removed.time(&missing), None);
}

#[test]
fn a_damaged_file_is_refused_by_its_line() {
    use LeapSecondsError::*;
    let good = file(UPDATED, EXPIRY, ENTRIES, HASH);
    let cases = [
        (good.replace("#@\t3991593600\n", ""), NoExpiry),
        (good.replace("#h", "#"), NoHash),
        (good.replace("49db2447", "49db2448"), HashDiffers),
        (good.replace("49db2447", "49db2447 1"), HashWords(34)),
        (good.replace("#@\t3991593600", "#@\tsoon"), Number(3)),
        (good.replace("#@", "#@\t1\n#@"), Number(4)),
        (good.replace("2272060800 10", "2272060800"), Line(5)),
        (good.replace("2272060800 10", "2272060800 10 1"), Line(5)),
        (good.replace("2272060800 10", "2272060801 10"), Order(5)),
        (good.replace("2287785600 11", "2272060800 11"), Order(6)),
        (good.replace("2287785600 11", "2287785600 12"), Step(6)),
        (good.replace("3960835200", "3960835201"), HashDiffers),
        (file_with("4197139200 38\n"), ExpiryTooEarly),
        (file_with("").replace("\n", " "), NoExpiry),
        ("\n".repeat(FILE_BYTES_MAX + 1), TooLong),
        (String::new(), NoExpiry),
    ];
    for (text, error) in cases {
        assert_eq!(LeapSeconds::parse(text.as_bytes()), Err(error));
    }
    assert_eq!(LeapSeconds::parse(&[0xFF]), Err(NotText));
    let message = "line 6: the entry does not change TAI - UTC by one second; use an unchanged \
                   leap-seconds.list of the IERS";
    assert_eq!(Step(6).to_string(), message);
}

#[test]
fn mutated_files_and_extreme_numbers_do_no_harm() {
    let mut random = Random::of_test("leap_seconds");
    let good = file_with("4039286400 38\n").into_bytes();
    for _ in 0..cases(2_000) {
        let mut bytes = good.clone();
        for _ in 0..=random.below(3) {
            let at = random.index(bytes.len());
            bytes[at] = *b"0123456789#@$h \n\t-"
                .get(random.index(20))
                .unwrap_or(&(random.u64() as u8));
        }
        let _ = LeapSeconds::parse(&bytes);
    }
    let table = LeapSeconds::built_in();
    for unix in [i64::MIN, i64::MIN + 1, -1, 0, i64::MAX - 1, i64::MAX] {
        let _ = table.from_unix_near(unix, Time64(u64::MAX));
    }
    for time in [0, 1, u64::MAX - 1, u64::MAX, i64::MAX as u64] {
        let _ = (table.civil(Time64(time)), table.is_expired(Time64(time)));
    }
    for _ in 0..cases(2_000) {
        let time = Time64(random.below(1 << 51));
        assert_eq!(
            table.civil(time).and_then(|civil| table.time(&civil)),
            Some(time)
        );
    }
}
