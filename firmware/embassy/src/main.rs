//! An ECU that sends one stream with SecOC, on an STM32F405 with embassy: the parts of your own
//! board that docs/firmware.md lists, by real drivers. It is compiled, and runs nowhere in this
//! project.
#![no_std]
#![no_main]
#![forbid(unsafe_code)]

mod board;
mod journal;

use core::future::pending;

use embassy_executor::Spawner;
use embassy_futures::select::select3;
use embassy_time::{Duration as Time, Instant as Clock, Timer};
use panic_halt as _;
use waywarden_can::mailbox::{Device, Mailbox, PORT};
use waywarden_can::node::{Boot, Node, Ports, Retained, Slot};
use waywarden_can::{Id, StandardId};
use waywarden_can_auth::key_store::{KeyId, Usage};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{AesCmac, MacKey};
use waywarden_can_auth::secoc::{
    Layout, SecocCarrier, SecocProfile, SecocReceiver, SecocSender, SecocStream,
};
use waywarden_ecu::{
    Authenticator, Ecu, EcuRole, End, ForwardedFrame, FreshnessRole, GatewayRoute, PayloadContent,
    PeriodicStream, StreamFormat, StreamState,
};
use waywarden_work::Duration;

use crate::board::Board;

/// The stream: four bytes each 10 ms.
const STREAM: u16 = 0x0B8;
const KEY: KeyId = KeyId(1);
const SLOT: Slot = Slot(0);

/// The longest sleep: below the time of the watchdog.
const SLEEP_MAX: Time = Time::from_millis(200);

/// Makes the node of a boot. A product has the key in protected flash, written at the end of the
/// line.
fn ecu(boot: &Boot<'_>) -> Option<impl Node + use<>> {
    let id = StandardId::new(STREAM).ok()?;
    let mut keys = Keyring::<AesCmac, 1>::new();
    let key = MacKey::from_bytes(*b"a key of a test!");
    keys.insert(KEY, Usage::Protect, &key).ok()?;
    let layout = Layout::fixed(SecocCarrier::Classic, 4);
    let stream = SecocStream::new(SecocProfile::AUTOSAR_1, layout, id, KEY).ok()?;
    let senders = [End {
        port: PORT,
        end: SecocSender::under_fresh_key(stream),
    }];
    let receivers: [End<SecocReceiver>; 0] = [];
    let freshness = FreshnessRole::Unsynchronised;
    let role = Authenticator::new(SLOT, boot, freshness, keys, senders, receivers).ok()?;
    let role = EcuRole::new(role, Ports::NONE.with(PORT), SLOT);
    let streams = [StreamState::new(PeriodicStream {
        port: PORT,
        id: Id::Standard(id),
        format: StreamFormat::Classic,
        length: 4,
        period: Duration::from_millis(10),
        offset: Duration::from_millis(5),
        jitter: Duration::ZERO,
        content: PayloadContent::Counter,
    })];
    let (routes, queue): ([GatewayRoute; 0], [ForwardedFrame; 0]) = ([], []);
    Some(Ecu::with_roles(boot, streams, routes, queue, [role]))
}

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let mut board = Board::take().await;
    let mut retained = [(Slot(0), Retained::default()); journal::SLOTS];
    let count = board.retained(&mut retained);
    let boot = Boot {
        now: board.now(),
        seed: board.seed(),
        retained: &retained[..count],
    };
    let Some(node) = ecu(&boot) else {
        // The configuration is constant: it fails in the laboratory, or never.
        panic!("the configuration of the ECU");
    };
    let mut mailbox = Mailbox::new(node, boot.now);
    loop {
        if mailbox.serve(&mut board).is_err() {
            cortex_m::peripheral::SCB::sys_reset();
        }
        board.feed();
        let latest = Clock::now() + SLEEP_MAX;
        let due = mailbox.next_deadline();
        let due = due.map_or(latest, |at| Clock::from_nanos(at.as_nanos()).min(latest));
        let (sender, mut receiver, is_sending) = board.parts();
        let sent = async {
            match is_sending {
                true => sender.flush_all().await,
                false => pending().await,
            }
        };
        select3(Timer::at(due), receiver.wait_not_empty(), sent).await;
    }
}
