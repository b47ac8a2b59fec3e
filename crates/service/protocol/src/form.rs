//! The two forms of the protocol, and where a frame ends.
//!
//! The first byte of a connection or a datagram says which form it has: `{` begins JSON Lines. The
//! length of a binary frame begins with a zero byte, because a frame is shorter than 16 MiB.

use std::borrow::Cow;

use super::binary::LENGTH_BYTES;
use super::bounds::too_long;
use super::{FRAME_BYTES_MAX, RefusedRequest, Request, Response, Status, Unreadable, binary, json};

/// A form of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtocolForm {
    /// Frames with a length, for programs.
    Binary,
    /// A JSON object a line, for scripts.
    Json,
}

impl ProtocolForm {
    /// Returns the form that a first byte announces.
    ///
    /// # Errors
    /// [`Status::Malformed`]: neither form begins so.
    pub fn of_first_byte(first: u8) -> Result<Self, RefusedRequest> {
        match first {
            0 => Ok(Self::Binary),
            b'{' => Ok(Self::Json),
            _ => Err(RefusedRequest::new(
                Status::Malformed,
                format!(
                    "the first byte is {first:#04x}: 0x00 (a binary length) or {{ (a line of \
                     JSON) is expected"
                ),
            )),
        }
    }

    /// Returns the form of a datagram and its one frame.
    ///
    /// # Errors
    /// [`Status::Malformed`] or [`Status::TooLong`]: it is not one frame.
    pub fn of_datagram(datagram: &[u8]) -> Result<(Self, &[u8]), RefusedRequest> {
        let first = datagram.first().copied();
        let first =
            first.ok_or_else(|| RefusedRequest::new(Status::Malformed, "an empty datagram"))?;
        let form = Self::of_first_byte(first)?;
        match form {
            Self::Binary => one_frame(datagram).map(|frame| (form, frame)),
            Self::Json => Ok((form, datagram)),
        }
    }

    /// Decodes a request from a frame, as [`Frames`] yields it.
    ///
    /// # Errors
    /// [`Unreadable`], which says what to answer.
    pub fn decode_request(self, frame: &[u8]) -> Result<Request, Unreadable> {
        match self {
            Self::Binary => binary::decode_request(frame),
            Self::Json => json::decode_request(frame),
        }
    }

    /// Encodes a request as a whole frame.
    ///
    /// # Errors
    /// [`Status::TooLong`] or [`Status::Malformed`], as [`Request::check`] has them.
    pub fn encode_request(self, request: &Request) -> Result<Vec<u8>, RefusedRequest> {
        match self {
            Self::Binary => binary::encode_request(request),
            Self::Json => json::encode_request(request),
        }
    }

    /// Decodes a response or an event from a frame, as [`Frames`] yields it.
    ///
    /// # Errors
    /// [`Status::Malformed`]: it is none.
    pub fn decode_response(self, frame: &[u8]) -> Result<Response, RefusedRequest> {
        match self {
            Self::Binary => binary::decode_response(frame),
            Self::Json => json::decode_response(frame),
        }
    }

    /// Encodes a response or an event as a whole frame. One that is too long for a frame becomes a
    /// refusal with [`Status::TooLong`].
    #[must_use]
    pub fn encode_response(self, response: &Response) -> Vec<u8> {
        let encode = |response: &Response| match self {
            Self::Binary => binary::encode_response(response),
            Self::Json => json::encode_response(response),
        };
        encode(response).unwrap_or_else(|refused| {
            let refusal = Response {
                id: response.id,
                body: Err(refused),
            };
            // A refusal has at most REASON_BYTES_MAX bytes of text: it fits.
            encode(&refusal).unwrap_or_default()
        })
    }
}

/// Finds the frames in the bytes of a connection as they come. It holds at most one frame that is
/// not complete, so at most [`FRAME_BYTES_MAX`] + 4 bytes (twice that while the buffer grows).
#[derive(Debug, Default)]
pub struct Frames {
    form: Option<ProtocolForm>,
    /// Received bytes of the next frame; with the length in the binary form.
    partial: Vec<u8>,
}

impl Frames {
    /// Begins with a connection whose form is not known yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes bytes from the front of `input` up to the end of a frame, and returns that frame;
    /// `None` once all bytes are taken and the next frame is not complete. Call it until then.
    ///
    /// A binary frame comes without its length, a line without its end.
    ///
    /// # Errors
    /// [`Status::Malformed`] or [`Status::TooLong`]: the rest of the connection cannot be read.
    /// Answer and close it.
    pub fn next<'i>(
        &mut self,
        input: &mut &'i [u8],
    ) -> Result<Option<Cow<'i, [u8]>>, RefusedRequest> {
        let Some(first) = input.first() else {
            return Ok(None);
        };
        let form = match self.form {
            Some(form) => form,
            None => *self.form.insert(ProtocolForm::of_first_byte(*first)?),
        };
        match form {
            ProtocolForm::Binary => self.next_binary(input),
            ProtocolForm::Json => self.next_line(input),
        }
    }

    /// Returns the form, once the first byte has come.
    #[must_use]
    pub fn form(&self) -> Option<ProtocolForm> {
        self.form
    }

    /// Returns the number of received bytes of an incomplete frame.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.partial.len()
    }

    fn next_binary<'i>(
        &mut self,
        input: &mut &'i [u8],
    ) -> Result<Option<Cow<'i, [u8]>>, RefusedRequest> {
        if self.partial.is_empty()
            && let Some((length, rest)) = input.split_first_chunk()
        {
            let length = frame_length(*length)?;
            if let Some((frame, rest)) = rest.split_at_checked(length) {
                *input = rest;
                return Ok(Some(Cow::Borrowed(frame)));
            }
        }
        self.fill(input, LENGTH_BYTES);
        let Some(length) = self.partial.first_chunk() else {
            return Ok(None);
        };
        let end = LENGTH_BYTES + frame_length(*length)?;
        self.fill(input, end);
        if self.partial.len() < end {
            return Ok(None);
        }
        let mut frame = std::mem::take(&mut self.partial);
        frame.drain(..LENGTH_BYTES);
        Ok(Some(Cow::Owned(frame)))
    }

    fn next_line<'i>(
        &mut self,
        input: &mut &'i [u8],
    ) -> Result<Option<Cow<'i, [u8]>>, RefusedRequest> {
        loop {
            let end = input.iter().position(|byte| *byte == b'\n');
            let (line, rest) = input.split_at(end.unwrap_or(input.len()));
            if self.partial.len() + line.len() > FRAME_BYTES_MAX {
                let bytes = self.partial.len() + line.len();
                return Err(too_long("the line", bytes, FRAME_BYTES_MAX));
            }
            *input = rest.get(1..).unwrap_or_default();
            if end.is_none() {
                self.partial.extend_from_slice(line);
                return Ok(None);
            }
            let line = if self.partial.is_empty() {
                Cow::Borrowed(line)
            } else {
                self.partial.extend_from_slice(line);
                Cow::Owned(std::mem::take(&mut self.partial))
            };
            // A line of white space asks for nothing.
            if !line.trim_ascii().is_empty() {
                return Ok(Some(line));
            }
        }
    }

    /// Takes bytes until `end` are there.
    fn fill(&mut self, input: &mut &[u8], end: usize) {
        let missing = end.saturating_sub(self.partial.len());
        let (taken, rest) = input.split_at(missing.min(input.len()));
        self.partial.extend_from_slice(taken);
        *input = rest;
    }
}

fn frame_length(bytes: [u8; LENGTH_BYTES]) -> Result<usize, RefusedRequest> {
    let length = u32::from_be_bytes(bytes) as usize;
    if length < binary::HEADER_BYTES {
        let least = binary::HEADER_BYTES;
        let reason = format!("the frame has {length} bytes: at least {least} are expected");
        return Err(RefusedRequest::new(Status::Malformed, reason));
    }
    match length <= FRAME_BYTES_MAX {
        true => Ok(length),
        false => Err(too_long("the frame", length, FRAME_BYTES_MAX)),
    }
}

fn one_frame(datagram: &[u8]) -> Result<&[u8], RefusedRequest> {
    let short = || {
        RefusedRequest::new(
            Status::Malformed,
            "the datagram ends within its frame's length",
        )
    };
    let (length, frame) = datagram.split_first_chunk().ok_or_else(short)?;
    let length = frame_length(*length)?;
    if length != frame.len() {
        let reason = format!(
            "the frame has {length} bytes by its length, and the datagram has {} for it",
            frame.len()
        );
        return Err(RefusedRequest::new(Status::Malformed, reason));
    }
    Ok(frame)
}
