//! Work that a program in which it runs can end: the interpreter of another language looks for its
//! signals between the steps. A command of its own is ended by the system, and asks for nothing.

use std::cell::RefCell;

use crate::exit::Failure;

type Ended = Box<dyn FnMut() -> bool>;

thread_local! {
    static ENDED: RefCell<Option<Ended>> = const { RefCell::new(None) };
}

/// Does `work`; steps of this thread that may take long ask `is_ended` between each other.
pub fn with<T>(is_ended: impl FnMut() -> bool + 'static, work: impl FnOnce() -> T) -> T {
    let before = ENDED.replace(Some(Box::new(is_ended)));
    let result = work();
    ENDED.set(before);
    result
}

/// Returns true if the work of this thread can be ended.
#[must_use]
pub fn is_possible() -> bool {
    ENDED.with_borrow(Option::is_some)
}

/// Goes on unless the work was ended.
///
/// # Errors
/// It was ended.
pub fn check() -> Result<(), Failure> {
    let is_ended = ENDED.with_borrow_mut(|ended| ended.as_mut().is_some_and(|ended| ended()));
    match is_ended {
        true => Err(Failure::new("interrupted")),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_command() {
        assert!(!is_possible());
        assert!(check().is_ok());
    }

    #[test]
    fn work_ends_when_its_owner_says_so_and_not_later() {
        let mut asked = 0;
        let is_third = move || {
            asked += 1;
            asked == 3
        };
        with(is_third, || {
            assert!(is_possible());
            assert!(check().is_ok() && check().is_ok() && check().is_err());
        });
        assert!(!is_possible());
    }
}
