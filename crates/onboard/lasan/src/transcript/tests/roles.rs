//! Two roles in arrays, as a microcontroller has them.

use super::*;

pub(super) type Roles<'a> = (
    SecurityModule<'static, S, &'a Known>,
    LasanEcu<'static, S, &'a Known>,
);

const MESSAGE: usize = S::MESSAGE_MAX;
const KEY: usize = S::SIZES.public_key;

/// Arrays as a microcontroller has them, for good.
fn kept<T>(arrays: T) -> &'static mut T {
    std::boxed::Box::leak(std::boxed::Box::new(arrays))
}

pub(super) fn roles<'a>(fields: &Fields<'_>, known: &'a Known) -> Roles<'a> {
    let boot = |name: &str| Boot {
        now: Instant::ZERO,
        seed: array(fields, name),
        retained: &[],
    };
    let identity = |address, name: &str| PartyIdentity {
        address,
        ports: Ports::NONE.with(Port(0)),
        secret: secret(fields, name),
        slot: Slot(0),
    };
    let module = identity(MODULE, "module");
    let messages = kept(ModuleMessages::<MESSAGE, 1>::new());
    let memory = kept(ModuleArrays::<S, 2, 1, 1>::new(messages)).storage();
    let module =
        SecurityModule::new(&boot("moduleseed"), EcdheEcdsa, module, known, memory).unwrap();
    let memory = kept(EcuArrays::<MESSAGE, KEY, 2>::new()).storage();
    let ecu = LasanEcu::new(
        &boot("ecuseed"),
        EcdheEcdsa,
        identity(ECU, "ecu"),
        known,
        memory,
    );
    (module, ecu)
}
