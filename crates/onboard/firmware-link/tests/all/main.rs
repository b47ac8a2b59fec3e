//! Messages to and from images: each comes back as it was, and no bytes do harm.

mod group;
mod lasan;
mod paired;
mod sample;

use sample::{answers, record, requests};
use waywarden_firmware_link::{
    Answer, EcuRecord, KINDS, MESSAGE_MAX, MessageError, Record, SECOC, TimedRequest,
};
use waywarden_testkit::{Random, cases, first_seed};

/// Writes a message into a buffer of the largest size.
fn encoded(encode: impl Fn(&mut [u8]) -> Result<usize, MessageError>) -> Vec<u8> {
    let mut buffer = vec![0; MESSAGE_MAX];
    let length = encode(&mut buffer).expect("it fits");
    // A buffer that is too short is refused, whatever its length.
    for short in 0..length {
        assert_eq!(
            encode(&mut buffer[..short]),
            Err(MessageError::NoRoom),
            "{short}"
        );
    }
    encode(&mut buffer).expect("it fits");
    buffer.truncate(length);
    buffer
}

fn all_requests() -> Vec<Vec<u8>> {
    let encode = |request: TimedRequest<'static>| encoded(|into| request.encode(into));
    requests().into_iter().map(encode).collect()
}

fn all_answers() -> Vec<Vec<u8>> {
    let encode = |answer: Answer<'static>| encoded(|into| answer.encode(into));
    answers().into_iter().map(encode).collect()
}

#[test]
fn requests_and_answers_come_back() {
    for (request, bytes) in requests().into_iter().zip(all_requests()) {
        assert_eq!(TimedRequest::decode(&bytes), Ok(request));
    }
    for (answer, bytes) in answers().into_iter().zip(all_answers()) {
        assert_eq!(Answer::decode(&bytes).as_ref(), Ok(&answer));
    }
}

#[test]
fn a_record_comes_back() {
    let bytes = encoded(|into| record().encode(into));
    let read = EcuRecord::decode(&bytes).expect("our own");
    let (one, other) = (record(), &read);
    assert_eq!(one.streams, other.streams);
    assert_eq!(one.freshness, other.freshness);
    assert_eq!(one.senders, other.senders);
    assert_eq!(one.receivers, other.receivers);
    for (one, other) in one.keys.iter().zip(&other.keys) {
        assert_eq!((one.id, one.usage), (other.id, other.usage));
        assert!(one.key == other.key);
    }
    assert_eq!(encoded(|into| read.encode(into)), bytes);
}

#[test]
fn a_record_of_another_kind_names_the_image_for_it() {
    let mut bytes = encoded(|into| record().encode(into));
    assert_eq!(bytes[0], SECOC);
    bytes[0] = 0;
    let error = EcuRecord::decode(&bytes).err().expect("another kind");
    assert_eq!(error, MessageError::Kind(0));
    assert_eq!(error.to_string(), "the kind of the record is unknown");
    for kind in KINDS {
        let text = MessageError::Kind(kind.number).to_string();
        assert_eq!(
            text,
            format!("it is for {}: use {}", kind.purpose, kind.image)
        );
        // With `the record of the ECU: ` in front it is the last word of an image.
        assert!(
            text.len() + 23 <= waywarden_firmware_link::TEXT_MAX,
            "{text}"
        );
        assert_eq!(
            KINDS.iter().filter(|one| one.number == kind.number).count(),
            1
        );
    }
}

#[test]
fn a_message_that_is_cut_or_longer_is_refused() {
    for bytes in all_requests() {
        let cut = (0..bytes.len()).map(|length| TimedRequest::decode(&bytes[..length]));
        assert!(cut.into_iter().all(|read| read.is_err()));
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(TimedRequest::decode(&longer), Err(MessageError::Long));
    }
    for bytes in all_answers() {
        let cut = (0..bytes.len()).map(|length| Answer::decode(&bytes[..length]).is_err());
        assert!(cut.into_iter().all(|refused| refused));
    }
    let bytes = encoded(|into| record().encode(into));
    let cut = (0..bytes.len()).map(|length| EcuRecord::decode(&bytes[..length]).is_err());
    assert!(cut.into_iter().all(|refused| refused));
}

#[test]
fn changed_messages_are_refused_or_read_alike_again() {
    let seed = first_seed(1);
    let mut random = Random::new(seed);
    let (requests, answers) = (all_requests(), all_answers());
    let record = encoded(|into| record().encode(into));
    let mut change = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        for _ in 0..=random.below(3) {
            let at = random.index(bytes.len());
            bytes[at] = random.u64() as u8;
        }
        bytes
    };
    for case in 0..cases(20_000) {
        let bytes = change(&requests[case % requests.len()]);
        if let Ok(read) = TimedRequest::decode(&bytes) {
            let again = encoded(|into| read.encode(into));
            assert_eq!(TimedRequest::decode(&again), Ok(read), "seed {seed}");
        }
        let bytes = change(&answers[case % answers.len()]);
        if let Ok(read) = Answer::decode(&bytes) {
            let again = encoded(|into| read.encode(into));
            assert_eq!(Answer::decode(&again), Ok(read), "seed {seed}");
        }
        let bytes = change(&record);
        if let Ok(read) = EcuRecord::decode(&bytes) {
            let mut buffer = [0; MESSAGE_MAX];
            assert!(read.encode(&mut buffer).is_ok(), "seed {seed}");
        }
    }
}
