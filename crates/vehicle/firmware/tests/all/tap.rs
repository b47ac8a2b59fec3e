//! An image in a vehicle whose answers are kept, so that it can be run again without the vehicle.

use std::sync::{Arc, Mutex};

use waywarden_firmware_link::{Answer, MESSAGE_MAX, Request, TimedRequest};
use waywarden_vehicle_firmware::QemuImage;
use waywarden_vehicle_resources::{FirmwareImage, ImageFault, RunningImage};

use crate::image::exchanged;

/// The answers to an image, in their order.
pub(crate) type Answers = Vec<Vec<u8>>;

/// An image whose answers are kept, by boot.
#[derive(Clone, Debug)]
pub(crate) struct Tap {
    image: QemuImage,
    boots: Arc<Mutex<Vec<Answers>>>,
}

struct Tapped {
    running: Box<dyn RunningImage>,
    boots: Arc<Mutex<Vec<Answers>>>,
    boot: usize,
}

impl Tap {
    /// Listens to an image.
    pub(crate) fn new(image: QemuImage) -> Self {
        let boots = Arc::default();
        Tap { image, boots }
    }

    /// Returns the answers of a boot.
    pub(crate) fn answers(&self, boot: usize) -> Answers {
        self.boots.lock().expect("no panic meanwhile")[boot].clone()
    }
}

impl FirmwareImage for Tap {
    fn start(&self) -> Result<Box<dyn RunningImage>, ImageFault> {
        let mut boots = self.boots.lock().expect("no panic meanwhile");
        boots.push(Answers::new());
        Ok(Box::new(Tapped {
            running: self.image.start()?,
            boots: self.boots.clone(),
            boot: boots.len() - 1,
        }))
    }
}

impl RunningImage for Tapped {
    fn exchange(&mut self, answer: Option<&[u8]>) -> Result<&[u8], ImageFault> {
        if let Some(answer) = answer {
            let mut boots = self.boots.lock().expect("no panic meanwhile");
            boots[self.boot].push(answer.to_vec());
        }
        self.running.exchange(answer)
    }
}

/// The requests of a run: the name of each, and the instructions until then.
pub(crate) type Requests = Vec<(String, u64)>;

/// Runs an image again with the same answers, and then to its end; returns its requests and its
/// stack.
pub(crate) fn replayed(image: &QemuImage, answers: &[Vec<u8>]) -> (Requests, u32) {
    let mut running = image.start().expect("a start");
    let mut buffer = vec![0; MESSAGE_MAX];
    let length = Answer::Finish.encode(&mut buffer).expect("it fits");
    let end = [buffer[..length].to_vec()];
    let mut requests = Requests::new();
    let mut request = exchanged(&mut *running, None).expect("a request");
    for answer in answers.iter().chain(&end) {
        requests.push(named(&request));
        request = exchanged(&mut *running, Some(answer)).expect("a request");
    }
    match TimedRequest::decode(&request).expect("a request").request {
        Request::Stack(bytes) => (requests, bytes),
        other => panic!("no stack at the end: {other:?}"),
    }
}

fn named(request: &[u8]) -> (String, u64) {
    let timed = TimedRequest::decode(request).expect("a request");
    let text = format!("{:?}", timed.request);
    let name = text.split([' ', '(']).next().unwrap_or_default();
    (name.to_owned(), timed.instructions)
}
