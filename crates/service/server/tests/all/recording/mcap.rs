//! MCAP, read back by the crate `mcap` and by `rosbags`.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use waywarden_testkit::{Random, cases, hex_of, output_of, python_with};
use waywarden_v2x_recording::RecordFormat;
use waywarden_v2x_security::time::to_unix;
use waywarden_v2x_service_protocol::verdict::VerdictEvent;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::events::{files, random, record, settings};

const ROSBAGS: &str = r"
import json, sys
from pathlib import Path
from rosbags.highlevel import AnyReader

def plain(value):
    if hasattr(value, '__msgtype__'):
        names = [name for name in vars(value) if not name.startswith('_') and not name.isupper()]
        return {name: plain(getattr(value, name)) for name in names}
    if hasattr(value, 'tobytes'):
        return value.tobytes().hex()
    return value

with AnyReader([Path(sys.argv[1])]) as reader:
    for connection, time, raw in reader.messages():
        message = plain(reader.deserialize(raw, connection.msgtype))
        print(json.dumps([connection.topic, connection.msgtype, time, message]))
";

#[test]
fn every_field_of_mcap_comes_back() {
    let mut source = Random::of_test("every_field_of_mcap_comes_back");
    let events: Vec<VerdictEvent> = (0..cases(200) as u64)
        .map(|sequence| random(&mut source, sequence))
        .collect();
    let folder = tempfile::tempdir().expect("a folder");
    record(settings(folder.path(), RecordFormat::Mcap), &events);
    let [path] = &files(folder.path())[..] else {
        panic!("one file: {:?}", files(folder.path()));
    };
    let bytes = std::fs::read(path).expect("a file");
    assert_eq!(
        messages(&bytes),
        events.iter().map(fields).collect::<Vec<_>>()
    );

    let summary = mcap::Summary::read(&bytes)
        .expect("MCAP")
        .expect("a summary");
    let stats = summary.stats.expect("statistics");
    assert_eq!(stats.message_count, events.len() as u64);
    for (read, event) in mcap::MessageStream::new(&bytes).expect("MCAP").zip(&events) {
        let read = read.expect("a message");
        assert_eq!(read.sequence, event.sequence as u32);
        assert_eq!(
            (read.log_time, read.publish_time),
            (unix(event), unix(event))
        );
        assert_eq!(read.channel.topic, "/v2x/verified");
        assert_eq!(read.channel.message_encoding, "cdr");
        let schema = read.channel.schema.as_ref().expect("a schema");
        assert_eq!(schema.encoding, "ros2msg");
        assert_eq!(schema.name, "waywarden_msgs/msg/VerifiedMessage");
    }
    rosbags_reads(path, &events);
}

fn rosbags_reads(path: &Path, events: &[VerdictEvent]) {
    let Some(python) = python_with("rosbags") else {
        return;
    };
    let read = output_of(Command::new(python).arg("-c").arg(ROSBAGS).arg(path));
    let read: Vec<Value> = read
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let expected = |event| {
        let name = "waywarden_msgs/msg/VerifiedMessage";
        json!(["/v2x/verified", name, unix(event), fields(event)])
    };
    assert_eq!(read, events.iter().map(expected).collect::<Vec<_>>());
}

fn unix(event: &VerdictEvent) -> u64 {
    to_unix(event.received).expect("a time") as u64 * 1_000
}

/// Returns the fields that a reader of `VerifiedMessage.msg` finds.
fn fields(event: &VerdictEvent) -> Value {
    let of = &event.verification;
    let made = of.generation_time;
    let place = of.generation_location;
    json!({
        "stamp": stamp(Some(event.received)),
        "received_microseconds": event.received.0,
        "sequence": event.sequence,
        "latency_microseconds": event.latency.as_micros() as u64,
        "accepted": of.is_accepted(),
        "verdict": of.result.name(),
        "report": of.report as u8,
        "reason": of.payload_fault().unwrap_or(&of.reason),
        "certificate": of.certificate.map_or(String::new(), |id| hex_of(&id.0)),
        "field": of.field,
        "signer": of.signer.map_or(String::new(), |id| hex_of(&id.0)),
        "has_psid": of.psid.is_some(),
        "psid": of.psid.map_or(0, |psid| psid.0),
        "has_permissions": of.permissions.is_some(),
        "permissions": hex_of(of.permissions.as_deref().unwrap_or_default()),
        "has_generation_time": made.is_some(),
        "generation_stamp": stamp(made),
        "generation_microseconds": made.map_or(0, |time| time.0),
        "has_generation_location": place.is_some(),
        "latitude": place.map_or(0, |place| place.latitude.0),
        "longitude": place.map_or(0, |place| place.longitude.0),
        "elevation": place.map_or(0, |place| place.elevation.0),
        "message": hex_of(&event.message),
        "has_payload": of.payload.is_some(),
        "payload": hex_of(of.payload.as_deref().unwrap_or_default()),
    })
}

/// Seconds end in 2038.
fn stamp(time: Option<Time64>) -> Value {
    let Some(time) = time else {
        return json!({"sec": 0, "nanosec": 0});
    };
    let last = (i64::from(i32::MAX), 999_999_999);
    let parts = |unix: i64| (unix / 1_000_000, unix % 1_000_000 * 1_000);
    let (sec, nanosec) = to_unix(time).map_or(last, parts).min(last);
    json!({"sec": sec, "nanosec": nanosec})
}

/// Returns the messages of a file that may be torn: all before the first fault.
pub(super) fn messages(bytes: &[u8]) -> Vec<Value> {
    let options = mcap::read::Options::IgnoreEndMagic;
    let stream = mcap::MessageStream::new_with_options(bytes, options.into()).expect("MCAP");
    let whole = stream.map_while(Result::ok);
    whole
        .map(|message| Reader::new(&message.data).message())
        .collect()
}

/// Reads little-endian CDR, from the format's definition.
struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    fn new(bytes: &'b [u8]) -> Self {
        let (header, bytes) = bytes.split_at(4);
        assert_eq!(header, [0, 1, 0, 0]);
        Self { bytes, at: 0 }
    }

    fn take(&mut self, length: usize) -> &'b [u8] {
        let taken = &self.bytes[self.at..self.at + length];
        self.at += length;
        taken
    }

    fn number(&mut self, size: usize) -> u64 {
        while !self.at.is_multiple_of(size) {
            assert_eq!(self.take(1), [0]);
        }
        let digits = self.take(size).iter().rev();
        digits.fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    fn bool(&mut self) -> bool {
        [false, true][self.number(1) as usize]
    }

    fn i32(&mut self) -> i32 {
        self.number(4) as u32 as i32
    }

    fn sequence(&mut self) -> String {
        let length = self.number(4) as usize;
        hex_of(self.take(length))
    }

    fn string(&mut self) -> String {
        let length = self.number(4) as usize;
        let text = self.take(length - 1);
        assert_eq!(self.take(1), [0]);
        String::from_utf8(text.to_vec()).expect("UTF-8")
    }

    fn time(&mut self) -> Value {
        json!({"sec": self.i32(), "nanosec": self.number(4)})
    }

    fn message(mut self) -> Value {
        let message = json!({
            "stamp": self.time(),
            "received_microseconds": self.number(8),
            "sequence": self.number(8),
            "latency_microseconds": self.number(8),
            "accepted": self.bool(),
            "verdict": self.string(),
            "report": self.number(1),
            "reason": self.string(),
            "certificate": self.sequence(),
            "field": self.string(),
            "signer": self.sequence(),
            "has_psid": self.bool(),
            "psid": self.number(8),
            "has_permissions": self.bool(),
            "permissions": self.sequence(),
            "has_generation_time": self.bool(),
            "generation_stamp": self.time(),
            "generation_microseconds": self.number(8),
            "has_generation_location": self.bool(),
            "latitude": self.i32(),
            "longitude": self.i32(),
            "elevation": self.number(2),
            "message": self.sequence(),
            "has_payload": self.bool(),
            "payload": self.sequence(),
        });
        assert_eq!(self.at, self.bytes.len());
        message
    }
}
