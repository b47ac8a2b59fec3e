//! Resynchronisation: a receiver asks for a stream's position, and the answer binds the question.
//!
//! Both protocols use LeiA's identifiers for it: the question is an epoch frame under the asking
//! ECU's own identifier with the stream's identifier and 48 bits that no other node can foresee;
//! the answer an epoch frame under the stream's identifier with epoch and counter, and a tag frame
//! under the one above. Each ECU asks under an identifier of its own, so that two may ask at once.

use waywarden_can::{Format, Frame, FrameError, StandardId};

use super::wire::{Command, Header, Question, StreamPosition};

/// A question about `stream`, under the asking ECU's identifier.
pub(super) fn question_frame(
    under: StandardId,
    stream: StandardId,
    question: Question,
) -> Result<Frame, FrameError> {
    let mut data = [0; 8];
    data[..2].copy_from_slice(&stream.raw().to_le_bytes());
    data[2..].copy_from_slice(&question.0);
    let low = u16::from_le_bytes([question.0[0], question.0[1]]);
    Frame::classic(Header::new(under, Command::Epoch, low).id(), &data)
}

/// Reads a question about `stream`, whichever ECU asks.
pub(super) fn parse_question(stream: StandardId, frame: &Frame) -> Option<Question> {
    let header = Header::of(frame)?;
    let data: [u8; 8] = data(frame)?;
    let [low, high, question @ ..] = data;
    let asked = u16::from_le_bytes([low, high]) == stream.raw();
    // A stream's own identifier is that of answers.
    (header.command == Command::Epoch && header.id != stream && asked).then_some(Question(question))
}

/// The two frames of an answer.
pub(super) fn answer_frames(
    stream: StandardId,
    tag_id: StandardId,
    at: StreamPosition,
    tag: [u8; 8],
) -> Result<[Frame; 2], FrameError> {
    let low = at.counter as u16;
    Ok([
        Frame::classic(
            Header::new(stream, Command::Epoch, low).id(),
            &at.to_bytes(),
        )?,
        Frame::classic(Header::new(tag_id, Command::EpochTag, low).id(), &tag)?,
    ])
}

/// A frame of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Position(StreamPosition),
    Tag { low: u16, tag: [u8; 8] },
}

/// Reads a frame of an answer about a stream.
pub(super) fn parse_answer(
    stream: StandardId,
    tag_id: StandardId,
    frame: &Frame,
) -> Option<Answer> {
    let header = Header::of(frame)?;
    let data = data(frame)?;
    match header.command {
        Command::Epoch if header.id == stream => {
            let at = StreamPosition::from_bytes(data);
            (at.counter as u16 == header.counter).then_some(Answer::Position(at))
        }
        Command::EpochTag if header.id == tag_id => Some(Answer::Tag {
            low: header.counter,
            tag: data,
        }),
        _ => None,
    }
}

fn data(frame: &Frame) -> Option<[u8; 8]> {
    let is_classic = frame.format() == Format::Classic;
    is_classic.then(|| frame.data().try_into().ok()).flatten()
}
