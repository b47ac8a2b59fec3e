//! The budgets of the images in groups: a vehicle of three ECUs, of which the image is a member or
//! the orchestrator, up to its first key.

use std::sync::Arc;

use waywarden_vehicle_firmware::QemuImage;

use crate::budgets::{hold_all, off};
use crate::group_vehicles::{SUITES, car, on_core};
use crate::image::{Core, M4F, OTHERS, group_image};
use crate::tap::{Tap, replayed};

/// The instructions of a boot, those from there to the first key, and the stack.
fn measure(core: &Core, image: &QemuImage, suite: &str, orchestrator: &str) -> [u64; 3] {
    let tap = Tap::new(image.clone());
    let text = car(suite, orchestrator, "");
    on_core(core, &text, &(Arc::new(tap.clone()) as _), 1);
    let (requests, stack) = replayed(image, &tap.answers(0));
    let first = |name: &str| {
        let mut requests = requests.iter();
        let found = requests.find(|(request, _)| request == name);
        found
            .unwrap_or_else(|| panic!("no {name}: {suite}, {orchestrator}"))
            .1
    };
    let (boot, key) = (first("Wait"), first("GroupKey"));
    [boot, key - boot, stack.into()]
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn images_in_groups_keep_their_budgets() {
    let cores = [M4F].into_iter().chain(OTHERS);
    let images = cores.flat_map(|core| SUITES.map(|suite| row_if_off(&core, suite)));
    hold_all(&images.flatten().collect::<Vec<_>>());
}

/// Measures an image on a core; returns its row if it is off.
fn row_if_off(core: &Core, suite: &str) -> Option<String> {
    let image = group_image(core, suite)?;
    let [boot, member, member_stack] = measure(core, &image, suite, "two");
    let [_, orchestrator, orchestrator_stack] = measure(core, &image, suite, "one");
    let footprint = image.footprint();
    let measured = [
        ("flash_bytes", footprint.flash.into()),
        ("ram_bytes", footprint.ram.into()),
        ("stack_bytes", member_stack.max(orchestrator_stack)),
        ("boot", boot),
        ("member", member),
        ("orchestrator", orchestrator),
    ];
    off(&core.row(&format!("group-keys-{suite}")), &measured, &image)
}
