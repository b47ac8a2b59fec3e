//! Reading and writing take no memory from a heap: counted.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use crate::support::maker::{Maker, Scope};
use crate::support::{etsi_certificates, field_messages, written};
use waywarden_v2x_wire::coer::{emit, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CrlContents, Ieee1609Dot2Content, Ieee1609Dot2Data, SignerIdentifier,
    SubjectPermissions,
};

thread_local! {
    /// Number of allocations of this thread; the other threads belong to the test harness.
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

fn count() {
    // A thread that ends has no counter any more, and nothing to count.
    let _ = ASKED.try_with(|asked| asked.set(asked.get() + 1));
}

// SAFETY: the system's allocator does the work; counting touches no memory of its own making.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller's promise is passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn asked() -> usize {
    ASKED.with(Cell::get)
}

/// Goes through all lists of a certificate; returns how many permissions there are.
fn walk(certificate: &Certificate<'_>) -> usize {
    let own = &certificate.to_be_signed;
    let said = own.app_permissions.iter().flatten();
    let mut permissions = said.inspect(|one| assert!(one.is_ok())).count();
    for group in own.cert_issue_permissions.iter().flatten() {
        if let SubjectPermissions::Explicit(ranges) = group.unwrap().subject {
            permissions += ranges.iter().inspect(|one| assert!(one.is_ok())).count();
        }
    }
    permissions
}

/// Reads a message and everything in it, and writes it again.
fn read_and_write(bytes: &[u8], room: &mut [u8]) -> usize {
    let data: Ieee1609Dot2Data<'_> = parse(bytes).unwrap();
    let mut permissions = 0;
    if let Ieee1609Dot2Content::Signed(signed) = data.content {
        if let Some(inner) = signed.tbs_data.payload.data {
            inner.view().unwrap();
        }
        if let SignerIdentifier::Certificate(chain) = signed.signer {
            permissions = chain.iter().map(|one| walk(&one.unwrap())).sum();
        }
    }
    assert_eq!(emit(&data, room).unwrap(), bytes);
    permissions
}

#[test]
fn nothing_is_allocated() {
    let before = asked();
    drop(std::hint::black_box(vec![1_u8; 9]));
    assert_eq!(asked(), before + 1, "the counter counts");

    let messages = field_messages().unwrap_or_default();
    let certificates = etsi_certificates().unwrap_or_default();
    let scope = Scope {
        of_2022: true,
        unknown_additions: true,
        ..Scope::default()
    };
    let mut maker = Maker::new(1, scope);
    let made: Vec<_> = (0..100)
        .map(|_| (written(&maker.data()), written(&maker.revocation_list())))
        .collect();
    let mut room = vec![0; 1 << 20];

    let before = asked();
    let mut permissions = 0;
    let all = messages.iter().map(|(_, bytes)| bytes);
    for bytes in all.chain(made.iter().map(|(data, _)| data)) {
        permissions += read_and_write(bytes, &mut room);
    }
    for (_, bytes) in &certificates {
        permissions += walk(&parse(bytes).unwrap());
    }
    for (_, bytes) in &made {
        parse::<CrlContents<'_>>(bytes).unwrap();
    }
    parse::<Ieee1609Dot2Data<'_>>(&[3, 0x80, 9]).unwrap_err();
    assert_eq!(asked(), before, "nothing was asked for");
    assert!(permissions > 0);
    println!(
        "{} messages, {permissions} permissions",
        messages.len() + made.len()
    );
}
