//! An in-memory link between stations of one process.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use super::StationLink;
use crate::frame::EthernetFrame;

/// Maximum number of frames that wait for a station; further ones are lost, as in a socket buffer.
const WAITING_MAX: usize = 4_096;
/// Maximum number of frames that one `receive` takes after the first.
const TAKEN_MAX: usize = 1_024;

/// One station's end of a [`medium`].
pub struct MediumLink {
    own: Receiver<EthernetFrame>,
    others: Vec<(SyncSender<EthernetFrame>, Arc<AtomicU64>)>,
    lost: Arc<AtomicU64>,
}

/// Creates links for `count` stations; each station receives the frames of all others.
#[must_use]
pub fn medium(count: usize) -> Vec<MediumLink> {
    let ends: Vec<_> = (0..count)
        .map(|_| (sync_channel(WAITING_MAX), Arc::<AtomicU64>::default()))
        .collect();
    let senders: Vec<_> = ends
        .iter()
        .map(|((sender, _), lost)| (sender.clone(), Arc::clone(lost)))
        .collect();
    let links = ends.into_iter().enumerate();
    let links = links.map(|(at, ((_, own), lost))| MediumLink {
        own,
        lost,
        others: senders
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != at)
            .map(|(_, one)| one.clone())
            .collect(),
    });
    links.collect()
}

impl StationLink for MediumLink {
    fn receive(&mut self, within: Duration, take: &mut dyn FnMut(EthernetFrame)) -> io::Result<()> {
        let Ok(first) = self.own.recv_timeout(within) else {
            return Ok(());
        };
        take(first);
        self.own.try_iter().take(TAKEN_MAX).for_each(take);
        Ok(())
    }

    fn send(&mut self, frame: &EthernetFrame) -> io::Result<()> {
        for (sender, lost) in &self.others {
            if sender.try_send(frame.clone()).is_err() {
                lost.fetch_add(1, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    fn set_port(&mut self, _port: u16) -> io::Result<()> {
        Ok(())
    }

    fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}
