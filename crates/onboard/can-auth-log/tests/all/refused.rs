//! Tests that unprotectable messages are refused, with the stream and the remedy.

use waywarden_can_auth_log::{
    AnnouncementError, CheckLogError, InsertedFrames, LOG_STREAMS_MAX, LogChecker, LogProtector,
    ProtectLogError, ProtectStreamError,
};
use waywarden_can_log::Channels;
use waywarden_vehicle_file::AuthenticationFile;

use super::{KEY, Log, plan, plan_of};

fn refused(table: &str, log: &str) -> ProtectLogError {
    let result = Log::new(log).protected(&plan(table));
    result.err().expect("it is protected")
}

#[test]
fn message_without_room_names_stream_and_remedy() {
    let error = refused(
        "scheme = \"secoc\"\nprotect = [0x280]",
        "(1) can0 280#0011223344556677\n",
    );
    assert_eq!(
        error,
        ProtectLogError::Stream {
            stream: "0x280".to_owned(),
            cause: ProtectStreamError::NoRoom {
                length: 8,
                trailer: 4
            },
        }
    );
    assert_eq!(
        error.to_string(),
        "0x280: 8 bytes, and freshness and code take 4 of the 8 that its frame has; make CAN FD \
         frames with `fd = true`, or leave it out with `except`"
    );
    let plan = plan_of("scheme = \"secoc\"\nprotect = [0x280]", 1, true);
    let widened = Log::short().protected(&plan);
    assert!(widened.is_ok(), "with `fd`");
}

#[test]
fn identifiers_of_inserted_frames_are_refused() {
    let all = |scheme: &str| format!("scheme = \"{scheme}\"\nprotect = \"all\"");
    let cases = [
        ("vatican", "101#01", "100#01", InsertedFrames::Tags),
        ("leia", "100#01", "00000101#01", InsertedFrames::Leia),
        ("secoc", "100#01", "00F#01", InsertedFrames::Announcements),
    ];
    for (scheme, first, second, inserted) in cases {
        let log = format!("(1) can0 {first}\n(2) can0 {second}\n");
        let error = refused(&all(scheme), &log);
        let ProtectLogError::IdentifierInUse { frames, .. } = &error else {
            panic!("{error:?}");
        };
        assert_eq!(*frames, inserted);
        assert!(error.to_string().contains("`announce_id`"), "{error}");
    }
}

#[test]
fn mixed_formats_of_one_identifier_are_refused() {
    let error = refused(
        "scheme = \"secoc\"\nprotect = [0x286]",
        "(1) can0 286#01\n(2) can0 286##102\n",
    );
    assert_eq!(
        error.to_string(),
        "0x286: CAN FD, where messages of this stream are classic; leave its identifier out with \
         `except`"
    );
}

#[test]
fn epoch_beyond_the_trip_counter_is_refused() {
    let table = "scheme = \"secoc\"\nfd = true\nprotect = [0x280]";
    let result = Log::short().protected(&plan_of(table, u32::MAX, false));
    assert!(
        matches!(
            result.err(),
            Some(ProtectLogError::Announcement(AnnouncementError::Epoch {
                epoch: u32::MAX,
                ..
            }))
        ),
        "the counter has fewer bits"
    );
}

#[test]
fn record_of_another_log_is_refused() {
    let plan = plan("scheme = \"vatican\"\nprotect = [0x280]");
    let (log, none) = (Log::short(), Channels::default());
    let result = LogProtector::new(plan.clone()).protect(&log.records[0], &none, &mut Vec::new());
    assert_eq!(result, Err(ProtectLogError::ForeignChannel));
    let result = LogChecker::new(plan).check(&log.records[0], &none, &mut Vec::new());
    assert_eq!(result, Err(CheckLogError::ForeignChannel));
}

#[test]
fn streams_are_bounded() {
    let line = |id: usize| format!("(1) can0 {:08X}#01\n", (id << 8) | 0x1000_0000);
    let log = Log::new(&(0..=LOG_STREAMS_MAX).map(line).collect::<String>());
    let plan = plan("scheme = \"secoc\"\nprofile = \"jaspar\"\nfd = true\nprotect = \"all\"");
    let mut protector = LogProtector::new(plan.clone());
    let mut out = Vec::new();
    let results: Vec<_> = log
        .records
        .iter()
        .map(|record| protector.protect(record, &log.channels, &mut out))
        .collect();
    let (last, before) = results.split_last().unwrap();
    assert!(before.iter().all(Result::is_ok));
    assert!(
        matches!(
            last,
            Err(ProtectLogError::Stream {
                cause: ProtectStreamError::TooManyStreams,
                ..
            })
        ),
        "{last:?}"
    );
    assert_eq!(protector.streams(), LOG_STREAMS_MAX);
    let mut checker = LogChecker::new(plan);
    let mut checked = Vec::new();
    let results = log.records.iter();
    let results = results.map(|record| checker.check(record, &log.channels, &mut checked));
    let error = results.filter_map(Result::err).next();
    assert_eq!(error, Some(CheckLogError::TooManyStreams));
}

#[test]
fn streams_of_one_key_do_not_share_a_data_id() {
    let parse = |text: &str| AuthenticationFile::parse("auth.toml", text, None);
    let table = |rest: &str| format!("[[authentication]]\nscheme = \"secoc\"\n{rest}\n");
    let ids = |rest: &str| format!("protect = [0x280, 0x300]\ndata_ids = [{rest}]\n{KEY}");
    let other = "key = \"99112233445566778899aabbccddeeff\"";
    let first = |key: &str| format!("protect = [0x280]\n{key}");
    let second = "protect = [0x300]\ndata_ids = [{ stream = 0x300, data_id = 0x280 }]";
    let wrong = [
        (table(&ids("{ stream = 0x280, data_id = 0x300 }")), "0x300"),
        (table(&ids("{ stream = 0x280, data_id = 0x00F }")), "0x00F"),
        (
            table(&ids(
                "{ stream = 0x280, data_id = 0x4000 }, { stream = 0x300, data_id = 0x4000 }",
            )),
            "0x4000",
        ),
        (
            table(&first(KEY)) + &table(&format!("announce_id = 0x10\n{second}\n{KEY}")),
            "authentic as the other",
        ),
        (
            table(&format!(
                "protect = \"all\"\ndata_ids = [{{ stream = 0x280, data_id = 0x281 }}]\n{KEY}"
            )),
            "above 0x07FF",
        ),
        (
            table(&ids("{ stream = 0x281, data_id = 0x4000 }")),
            "protect",
        ),
        (table(&ids("{ stream = 0x280, data_id = 0xFFFF }")), "65534"),
        (table(&ids("{ stream = 0x280 }")), "data_id"),
        (
            format!(
                "[[authentication]]\nscheme = \"vatican\"\nprotect = [0x280]\n\
                 data_ids = [{{ stream = 0x280, data_id = 1 }}]\n{KEY}"
            ),
            "data_ids",
        ),
    ];
    for (text, word) in wrong {
        let errors = parse(&text).expect_err(&text);
        let events: Vec<String> = errors.listed().iter().map(ToString::to_string).collect();
        assert!(events.join("\n").contains(word), "{text}{events:?}");
    }
    let right = [
        table(&ids("{ stream = 0x280, data_id = 0x4000 }")),
        // Each has the other's identifier: no data id is there twice.
        table(&ids(
            "{ stream = 0x280, data_id = 0x300 }, { stream = 0x300, data_id = 0x280 }",
        )),
        table(&first(other)) + &table(&format!("announce_id = 0x10\n{second}\n{KEY}")),
        table(&format!(
            "protect = \"all\"\ndata_ids = [{{ stream = 0x280, data_id = 0x1281 }}]\n{KEY}"
        )),
    ];
    for text in right {
        assert!(parse(&text).is_ok(), "{text}{:?}", parse(&text).err());
    }
}
