//! A queue of fixed capacity, without allocation.

/// First-in, first-out queue of at most `N` elements.
#[derive(Clone, Debug)]
pub(super) struct Queue<T, const N: usize> {
    places: [Option<T>; N],
    length: usize,
}

impl<T: Copy, const N: usize> Queue<T, N> {
    pub(super) const fn new() -> Self {
        Queue {
            places: [None; N],
            length: 0,
        }
    }

    pub(super) const fn length(&self) -> usize {
        self.length
    }

    pub(super) const fn is_full(&self) -> bool {
        self.length == N
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Appends an element, or returns it if the queue is full.
    pub(super) fn push(&mut self, what: T) -> Result<(), T> {
        let place = self.places.get_mut(self.length).ok_or(what)?;
        *place = Some(what);
        self.length += 1;
        Ok(())
    }

    pub(super) fn first_mut(&mut self) -> Option<&mut T> {
        self.find_mut(|_| true)
    }

    /// Returns the first element that fits.
    pub(super) fn find_mut(&mut self, mut fits: impl FnMut(&T) -> bool) -> Option<&mut T> {
        self.places.iter_mut().flatten().find(|place| fits(place))
    }

    pub(super) fn pop(&mut self) -> Option<T> {
        self.take_first(|_| true)
    }

    /// Removes and returns the first element that fits; the others keep their order.
    pub(super) fn take_first(&mut self, fits: impl Fn(&T) -> bool) -> Option<T> {
        let mut places = self.places.iter();
        let index = places.position(|place| place.as_ref().is_some_and(&fits))?;
        let taken = self.places[index].take();
        self.places[index..self.length].rotate_left(1);
        self.length -= 1;
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_kept_and_room_is_bounded() {
        let mut queue = Queue::<u8, 3>::new();
        assert!(queue.is_empty() && queue.pop().is_none() && queue.first_mut().is_none());
        for value in 1..=3 {
            assert_eq!(queue.push(value), Ok(()));
        }
        assert_eq!((queue.push(4), queue.is_full()), (Err(4), true));
        assert_eq!(queue.take_first(|value| *value == 2), Some(2));
        assert_eq!(queue.push(5), Ok(()));
        let rest: [Option<u8>; 4] = core::array::from_fn(|_| queue.pop());
        assert_eq!(rest, [Some(1), Some(3), Some(5), None]);
    }
}
