//! Hostile bytes: no panic, and bounded work.

use waywarden_testkit::each_random_bytes;

use crate::Message;

#[test]
fn random_bytes_are_read_or_refused() {
    each_random_bytes(
        2_000,
        |bytes| {
            for message in Message::all() {
                if let Ok(value) = message.read(bytes) {
                    let written = message.write(&value);
                    assert_eq!(written.as_deref(), Ok(bytes), "{message}: {value}");
                }
            }
        },
        drop,
    );
}
