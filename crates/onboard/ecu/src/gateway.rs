//! Routing between the buses of a gateway: frame by frame, unchanged, bounded.
//!
//! Controllers send the most urgent of their frames first, so what is forwarded may change its
//! order. Where the order matters a route keeps it: see [`GatewayRoute::in_order`].

use waywarden_can::node::{Port, Ports, Token};
use waywarden_can::{Frame, Id};

use crate::observer::MessageObserver;

/// The frames that a route carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matching {
    /// Every frame.
    All,
    /// Frames with this identifier.
    Only(Id),
    /// Frames with a 29-bit identifier that has the bits of `value` where `mask` has ones.
    Extended {
        /// The required bits.
        value: u32,
        /// The bits that count.
        mask: u32,
    },
}

impl Matching {
    /// Returns true if frames with this identifier match.
    #[must_use]
    pub const fn covers(self, id: Id) -> bool {
        match (self, id) {
            (Matching::All, _) => true,
            (Matching::Only(Id::Standard(one)), Id::Standard(id)) => one.raw() == id.raw(),
            (Matching::Only(Id::Extended(one)), Id::Extended(id)) => one.raw() == id.raw(),
            (Matching::Extended { value, mask }, Id::Extended(id)) => {
                (id.raw() ^ value) & mask == 0
            }
            _ => false,
        }
    }
}

/// From one port to another. Two opposite routes that match the same frame do not make a loop:
/// a node does not receive its own frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GatewayRoute {
    /// The port on which frames come in.
    pub from: Port,
    /// The port by which they go out.
    pub to: Port,
    /// The frames that it carries.
    pub matching: Matching,
    /// True if frames go out in the order in which they came in, whatever their identifiers: for
    /// messages that are cut into several frames. Of all in-order frames for a port one at a time
    /// is in its controller, and the next one follows when that one has been sent or taken back; a
    /// frame that is taken back is lost. They take at most half of the gateway's storage.
    pub in_order: bool,
}

/// A frame in a gateway's hands.
#[derive(Clone, Copy, Debug)]
pub struct Passing {
    to: Port,
    frame: Frame,
    order: Order,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Any order: the controller decides.
    Free,
    /// The order of reception.
    Kept,
    /// The same, and it is in the controller under this token.
    UnderWay(Token),
}

/// A place for a frame that is being forwarded; storage for a [`Gateway`]'s queue.
pub type ForwardedFrame = Option<Passing>;

/// Routes and what is being forwarded, oldest first.
#[derive(Debug)]
pub struct Gateway<R, Q> {
    routes: R,
    queue: Q,
    oldest: usize,
    /// Number of places that are taken; and below, of those by frames whose order is kept.
    taken: usize,
    in_order: usize,
    dropped: u64,
}

impl<R: AsRef<[GatewayRoute]>, Q: AsMut<[ForwardedFrame]> + AsRef<[ForwardedFrame]>> Gateway<R, Q> {
    /// Makes a gateway whose queue is as long as the storage.
    pub fn new(routes: R, mut queue: Q) -> Self {
        queue.as_mut().fill(None);
        Gateway {
            routes,
            queue,
            oldest: 0,
            taken: 0,
            in_order: 0,
            dropped: 0,
        }
    }

    /// Returns how many frames were lost because the queue was full.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Takes a received frame; it waits once for each route that matches.
    pub(crate) fn take(&mut self, from: Port, frame: &Frame, observer: &mut impl MessageObserver) {
        for at in 0..self.routes.as_ref().len() {
            let route = self.routes.as_ref()[at];
            if route.from != from || !route.matching.covers(frame.id()) {
                continue;
            }
            let passing = Passing {
                to: route.to,
                frame: *frame,
                order: match route.in_order {
                    true => Order::Kept,
                    false => Order::Free,
                },
            };
            self.push(passing, observer);
        }
    }

    fn push(&mut self, passing: Passing, observer: &mut impl MessageObserver) {
        let length = self.queue.as_mut().len();
        let in_order = passing.order != Order::Free;
        // A slow bus that a long message goes to leaves room for everything else.
        let crowded = in_order && self.in_order >= length.div_ceil(2);
        if crowded || self.taken == length {
            let displaced = self.make_room(passing.to, crowded);
            self.dropped += 1;
            let lost = displaced.unwrap_or(passing);
            observer.dropped(lost.to, &lost.frame);
            if displaced.is_none() {
                return;
            }
        }
        let queue = self.queue.as_mut();
        queue[(self.oldest + self.taken) % length] = Some(passing);
        self.taken += 1;
        self.in_order += usize::from(in_order);
    }

    /// Takes out the newest frame for the port that has most of them waiting, so that a bus which
    /// takes none leaves the storage to the others; none if that is the port that asks. With
    /// `in_order` those alone count whose order is kept. A frame in a controller stays.
    fn make_room(&mut self, to: Port, in_order: bool) -> Option<Passing> {
        let counts = |passing: &Passing| match passing.order {
            Order::Free => !in_order,
            Order::Kept => true,
            Order::UnderWay(_) => false,
        };
        let waiting = || {
            let (oldest, queue) = (self.oldest, self.queue.as_ref());
            let places = (0..self.taken).map(move |ahead| (oldest + ahead) % queue.len());
            let frames = places.enumerate().map(|(ahead, at)| (ahead, queue[at]));
            frames.filter_map(|(ahead, passing)| Some((ahead, passing.filter(counts)?)))
        };
        let mut numbers = [0_u32; Ports::MAX as usize];
        for (_, passing) in waiting() {
            numbers[usize::from(passing.to.0 % Ports::MAX)] += 1;
        }
        let number = |port: Port| numbers[usize::from(port.0 % Ports::MAX)];
        let longest = (0..Ports::MAX).map(Port).max_by_key(|&port| number(port));
        let longest = longest.filter(|&port| number(port) > number(to) + 1)?;
        let newest = waiting().rev();
        let mut newest = newest.filter(|(_, passing)| passing.to == longest);
        let (ahead, passing) = newest.next()?;
        self.in_order -= usize::from(passing.order != Order::Free);
        self.remove(ahead);
        Some(passing)
    }

    /// Returns the oldest frame that may leave, for a port with room; it leaves under `token`. A
    /// flooded port holds up no other: frames behind one that has to wait are looked at too, in
    /// order for each port.
    pub(crate) fn forward(&mut self, room: Ports, token: Token) -> Option<(Port, Frame)> {
        let queue = self.queue.as_mut();
        let length = queue.len();
        // The ports for which an in-order frame has been seen: later ones wait for it.
        let mut held = Ports::NONE;
        for ahead in 0..self.taken {
            let Some(passing) = &mut queue[(self.oldest + ahead) % length] else {
                continue;
            };
            let (to, frame) = (passing.to, passing.frame);
            let may_leave = room.contains(to);
            match passing.order {
                Order::Free if may_leave => {
                    self.remove(ahead);
                    return Some((to, frame));
                }
                // It keeps its place until it has been sent.
                Order::Kept if may_leave && !held.contains(to) => {
                    passing.order = Order::UnderWay(token);
                    return Some((to, frame));
                }
                Order::Free => {}
                Order::Kept | Order::UnderWay(_) => held = held.with(to),
            }
        }
        None
    }

    /// Takes note that a frame has been sent or taken back: the next one in order may follow.
    pub(crate) fn answered(&mut self, token: Token) {
        let queue = self.queue.as_mut();
        let length = queue.len();
        let is_it = |ahead: &usize| {
            let passing = &queue[(self.oldest + ahead) % length];
            passing
                .as_ref()
                .is_some_and(|one| one.order == Order::UnderWay(token))
        };
        if self.in_order == 0 {
            return;
        }
        if let Some(ahead) = (0..self.taken).find(is_it) {
            self.in_order -= 1;
            self.remove(ahead);
        }
    }

    /// Frees a place and moves the older frames up, so that their order stays.
    fn remove(&mut self, ahead: usize) {
        let queue = self.queue.as_mut();
        let length = queue.len();
        queue[(self.oldest + ahead) % length] = None;
        for gap in (0..ahead).rev() {
            let (from, to) = (
                (self.oldest + gap) % length,
                (self.oldest + gap + 1) % length,
            );
            queue.swap(from, to);
        }
        self.oldest = (self.oldest + 1) % length;
        self.taken -= 1;
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec;
    use std::vec::Vec;

    use super::*;

    fn route(to: u8, in_order: bool) -> GatewayRoute {
        GatewayRoute {
            from: Port(0),
            to: Port(to),
            // In-order routes carry the 29-bit identifiers, the others the rest.
            matching: match in_order {
                true => Matching::Extended { value: 0, mask: 0 },
                false => Matching::Only(Id::standard(0x100).unwrap()),
            },
            in_order,
        }
    }

    fn part(id: u32) -> Frame {
        Frame::classic(Id::extended(id).unwrap(), &[]).unwrap()
    }

    fn plain() -> Frame {
        Frame::classic(Id::standard(0x100).unwrap(), &[]).unwrap()
    }

    type Tested = Gateway<Vec<GatewayRoute>, Vec<ForwardedFrame>>;

    fn gateway(routes: &[GatewayRoute], length: usize) -> Tested {
        Gateway::new(routes.to_vec(), vec![None; length])
    }

    /// Forwards all that may leave, under tokens from `token` on.
    fn leave(gateway: &mut Tested, token: u32) -> Vec<(u8, u32)> {
        let next = |token| gateway.forward(Ports::ALL, Token(token));
        let left = (token..).map_while(next);
        left.map(|(port, frame)| (port.0, frame.id().raw()))
            .collect()
    }

    #[test]
    fn in_order_frames_follow_each_other_and_hold_up_no_one_else() {
        let routes = [route(1, true), route(2, true), route(1, false)];
        let mut gateway = gateway(&routes, 16);
        for frame in [part(15), part(1), plain(), part(2)] {
            gateway.take(Port(0), &frame, &mut ());
        }
        assert_eq!(leave(&mut gateway, 0), [(1, 15), (2, 15), (1, 0x100)]);
        // Neither what is sent of others nor what was never under way lets the next one go.
        gateway.answered(Token(2));
        gateway.answered(Token(9));
        assert_eq!(leave(&mut gateway, 10), []);
        gateway.answered(Token(0));
        assert_eq!(leave(&mut gateway, 10), [(1, 1)]);
        // The second port goes on by itself, a frame that was taken back is answered too.
        gateway.answered(Token(1));
        gateway.answered(Token(10));
        assert_eq!(leave(&mut gateway, 20), [(2, 1), (1, 2)]);
        gateway.answered(Token(20));
        gateway.answered(Token(21));
        assert_eq!(leave(&mut gateway, 30), [(2, 2)]);
        gateway.answered(Token(30));
        assert_eq!((gateway.taken, gateway.in_order), (0, 0));
        assert_eq!(gateway.dropped(), 0);
    }

    #[test]
    fn in_order_frames_leave_half_of_the_room_to_others() {
        let mut gateway = gateway(&[route(1, true), route(2, false)], 5);
        for id in 0..5 {
            gateway.take(Port(0), &part(id), &mut ());
        }
        assert_eq!((gateway.taken, gateway.dropped()), (3, 2));
        for _ in 0..3 {
            gateway.take(Port(0), &plain(), &mut ());
        }
        assert_eq!((gateway.taken, gateway.dropped()), (5, 3));
        let without_one = Ports::ALL.without(Port(1));
        for token in [1, 2] {
            let left = gateway.forward(without_one, Token(token));
            assert_eq!(left, Some((Port(2), plain())));
        }
        assert_eq!(gateway.forward(without_one, Token(3)), None);
        assert_eq!(leave(&mut gateway, 4), [(1, 0)]);
    }

    #[test]
    fn a_bus_that_takes_nothing_leaves_the_storage_to_the_others() {
        for in_order in [false, true] {
            let mut gateway = gateway(&[route(1, in_order), route(2, in_order)], 8);
            let frame = if in_order { part(1) } else { plain() };
            let live = Ports::NONE.with(Port(2));
            for token in 0..100 {
                gateway.take(Port(0), &frame, &mut ());
                let left = gateway.forward(live, Token(token));
                assert_eq!(left, Some((Port(2), frame)), "{in_order} {token}");
                gateway.answered(Token(token));
            }
            assert!(gateway.taken < 8 && gateway.dropped() > 80);
        }
    }

    #[test]
    fn a_queue_goes_round_with_frames_under_way_in_its_midst() {
        let mut gateway = gateway(&[route(1, true), route(1, false)], 4);
        let mut expected = 0;
        for id in 0..50 {
            gateway.take(Port(0), &part(id), &mut ());
            gateway.take(Port(0), &plain(), &mut ());
            let left = leave(&mut gateway, 100 * id);
            let parts: Vec<u32> = left
                .iter()
                .map(|(_, raw)| *raw)
                .filter(|raw| *raw != 0x100)
                .collect();
            // Each second one is answered late, while the next one waits.
            match id % 2 {
                0 => assert_eq!(parts, [expected]),
                _ => assert_eq!(parts, [0_u32; 0]),
            }
            if id % 2 == 1 {
                gateway.answered(Token(100 * (id - 1)));
                assert_eq!(leave(&mut gateway, 100 * id + 50), [(1, id)]);
                gateway.answered(Token(100 * id + 50));
                expected = id + 1;
            }
        }
        assert_eq!((gateway.taken, gateway.dropped()), (0, 0));
    }
}
