//! A client of the stream sockets.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;

use waywarden_v2x_service_protocol::{
    ClientToken, DecryptRequest, Frames, ProtocolForm, Request, RequestedOperation, Response,
    ResponseBody, SignRequest, Status, VerifyRequest,
};
use waywarden_v2x_wire::ieee1609dot2::Psid;
use zeroize::Zeroizing;

use super::served::PATIENCE;

/// A client that speaks one form.
pub(super) struct Client {
    pub(super) form: ProtocolForm,
    socket: Either,
    frames: Frames,
    responses: VecDeque<Response>,
}

enum Either {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Client {
    pub(super) fn unix(path: &Path) -> Self {
        let socket = UnixStream::connect(path).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.set_write_timeout(Some(PATIENCE)).unwrap();
        Self::of(Either::Unix(socket))
    }

    pub(super) fn tcp(address: SocketAddr) -> Self {
        let socket = TcpStream::connect(address).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.set_write_timeout(Some(PATIENCE)).unwrap();
        Self::of(Either::Tcp(socket))
    }

    fn of(socket: Either) -> Self {
        Self {
            form: ProtocolForm::Binary,
            socket,
            frames: Frames::new(),
            responses: VecDeque::new(),
        }
    }

    pub(super) fn json(mut self) -> Self {
        self.form = ProtocolForm::Json;
        self
    }

    pub(super) fn send(&mut self, id: u64, operation: RequestedOperation) {
        let bytes = encode(self.form, id, operation);
        self.send_bytes(&bytes);
    }

    pub(super) fn send_bytes(&mut self, bytes: &[u8]) {
        self.try_send_bytes(bytes).unwrap();
    }

    pub(super) fn try_send_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.socket {
            Either::Unix(socket) => socket.write_all(bytes),
            Either::Tcp(socket) => socket.write_all(bytes),
        }
    }

    /// Ends the requests.
    pub(super) fn finish(&mut self) {
        match &mut self.socket {
            Either::Unix(socket) => socket.shutdown(Shutdown::Write).unwrap(),
            Either::Tcp(socket) => socket.shutdown(Shutdown::Write).unwrap(),
        }
    }

    /// Returns the next response; `None` once the server has closed the connection.
    pub(super) fn next(&mut self) -> Option<Response> {
        while self.responses.is_empty() {
            let mut buffer = [0; 4096];
            let read = match &mut self.socket {
                Either::Unix(socket) => socket.read(&mut buffer),
                Either::Tcp(socket) => socket.read(&mut buffer),
            };
            let length = match read {
                Ok(0) => return None,
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return None,
                read => read.unwrap(),
            };
            let mut rest = &buffer[..length];
            while let Some(frame) = self.frames.next(&mut rest).unwrap() {
                assert_eq!(self.frames.form(), Some(self.form), "the client's form");
                let response = self.form.decode_response(&frame).unwrap();
                self.responses.push_back(response);
            }
        }
        self.responses.pop_front()
    }

    pub(super) fn receive(&mut self) -> Response {
        self.next().expect("the connection is open")
    }

    /// Sends a request and returns its answer, which is the next response.
    pub(super) fn ask(&mut self, id: u64, operation: RequestedOperation) -> Response {
        self.send(id, operation);
        let response = self.receive();
        assert_eq!(response.id, id);
        response
    }

    /// Asks, and checks that the answer is an echo.
    pub(super) fn echo(&mut self, id: u64, message: &[u8]) {
        let response = self.ask(id, verify(message));
        assert_eq!(echoed(&response), message);
    }
}

pub(super) fn encode(form: ProtocolForm, id: u64, operation: RequestedOperation) -> Vec<u8> {
    let request = Request {
        id,
        deadline: None,
        operation,
    };
    form.encode_request(&request).unwrap()
}

pub(super) fn verify(message: &[u8]) -> RequestedOperation {
    RequestedOperation::Verify(VerifyRequest {
        message: message.to_vec(),
        psid: None,
        reports_payload_check: false,
    })
}

pub(super) fn sign(psid: u64) -> RequestedOperation {
    RequestedOperation::Sign(SignRequest {
        psid: Psid(psid),
        permissions: None,
        payload: b"payload".to_vec(),
        signer: None,
        location: None,
        lifetime: None,
    })
}

pub(super) fn decrypt() -> RequestedOperation {
    RequestedOperation::Decrypt(DecryptRequest {
        message: b"message".to_vec(),
    })
}

pub(super) fn secret(text: &str) -> ClientToken {
    ClientToken(Zeroizing::new(text.as_bytes().to_vec()))
}

pub(super) fn token(token: &str) -> RequestedOperation {
    RequestedOperation::Authenticate(secret(token))
}

/// Returns the message that an answer echoes.
pub(super) fn echoed(response: &Response) -> &[u8] {
    match &response.body {
        Ok(ResponseBody::Verified(verification)) => verification.payload.as_deref().unwrap(),
        other => panic!("{other:?}"),
    }
}

/// Returns the status of an answer, and its reason.
pub(super) fn refusal(response: &Response) -> (Status, &str) {
    match &response.body {
        Ok(_) => (Status::Ok, ""),
        Err(refused) => (refused.status, &refused.reason),
    }
}

pub(super) fn status(response: &Response) -> Status {
    refusal(response).0
}
