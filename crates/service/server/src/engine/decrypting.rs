//! Messages decrypted, on a thread of their own: what clients without a grant ask for does not
//! delay it.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use waywarden_v2x_signing::decrypt;

use super::Shared;
use super::requests::{Handler, Requests};
use crate::materials::Decryption;
use waywarden_v2x_service_protocol::{DecryptRequest, RefusedRequest, ResponseBody, Status};

/// The thread that decrypts.
pub(super) type Decrypting = Requests<Decrypter>;

/// Starts the thread.
pub(super) fn start(
    shared: &Arc<Shared>,
    decryption: Decryption,
    room: usize,
) -> io::Result<Decrypting> {
    let names = ("decrypt", "decrypt");
    Requests::start(shared, names, room, Decrypter(decryption))
}

/// Decrypts.
pub(super) struct Decrypter(Decryption);

impl Handler for Decrypter {
    type Request = DecryptRequest;
    type Materials = Decryption;

    fn replace(&mut self, decryption: Decryption) {
        self.0 = decryption;
    }

    fn answer(
        &mut self,
        request: &DecryptRequest,
        _: Instant,
    ) -> Result<ResponseBody, RefusedRequest> {
        let Decryption { keys, store } = &mut self.0;
        let decrypted = decrypt(&mut **store, keys, &request.message);
        let decrypted = decrypted
            .map_err(|error| RefusedRequest::new(Status::NotDecrypted, error.to_string()))?;
        Ok(ResponseBody::Decrypted(decrypted.to_vec()))
    }
}
