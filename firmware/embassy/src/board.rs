//! The board: CAN, clock, random generator, flash and watchdog of an STM32F405.

use embassy_stm32::can::{
    Can, CanRx, CanTx, Frame as DriverFrame, Rx0InterruptHandler, Rx1InterruptHandler,
    SceInterruptHandler, TxInterruptHandler,
};
use embassy_stm32::flash::{Blocking, Flash};
use embassy_stm32::peripherals::{CAN1, IWDG, RNG};
use embassy_stm32::rcc::{
    AHBPrescaler, APBPrescaler, Hse, HseMode, Pll, PllMul, PllPDiv, PllPreDiv, PllQDiv, PllSource,
    Sysclk,
};
use embassy_stm32::rng::{self, Rng};
use embassy_stm32::time::Hertz;
use embassy_stm32::wdg::IndependentWatchdog;
use embassy_stm32::{Config, bind_interrupts};
use embedded_can::Frame as _;
use waywarden_can::Frame;
use waywarden_can::mailbox::Device;
use waywarden_can::node::{Retained, Slot};
use waywarden_work::Instant;

use crate::journal::{Journal, SLOTS};

bind_interrupts!(struct Interrupts {
    CAN1_TX => TxInterruptHandler<CAN1>;
    CAN1_RX0 => Rx0InterruptHandler<CAN1>;
    CAN1_RX1 => Rx1InterruptHandler<CAN1>;
    CAN1_SCE => SceInterruptHandler<CAN1>;
    RNG => rng::InterruptHandler<RNG>;
});

/// Bits in a second on the bus.
const BIT_RATE: u32 = 500_000;
/// Time without a round after which the watchdog resets the part, in microseconds: a verification
/// of a signature takes 0.1 s.
const WATCHDOG: u32 = 1_000_000;

/// The devices that the node needs.
pub(crate) struct Board {
    can: Can<'static>,
    random: Rng<'static, RNG>,
    journal: Journal<Flash<'static, Blocking>>,
    watchdog: IndependentWatchdog<'static, IWDG>,
}

impl Board {
    /// Takes the part, with a crystal of 8 MHz: 168 MHz, and 48 MHz for the random generator.
    pub(crate) async fn take() -> Self {
        let mut config = Config::default();
        config.rcc.hse = Some(Hse {
            freq: Hertz(8_000_000),
            mode: HseMode::Oscillator,
        });
        config.rcc.pll_src = PllSource::HSE;
        config.rcc.pll = Some(Pll {
            prediv: PllPreDiv::DIV4,
            mul: PllMul::MUL168,
            divp: Some(PllPDiv::DIV2),
            divq: Some(PllQDiv::DIV7),
            divr: None,
        });
        config.rcc.ahb_pre = AHBPrescaler::DIV1;
        config.rcc.apb1_pre = APBPrescaler::DIV4;
        config.rcc.apb2_pre = APBPrescaler::DIV2;
        config.rcc.sys = Sysclk::PLL1_P;
        let part = embassy_stm32::init(config);
        let mut can = Can::new(part.CAN1, part.PA11, part.PA12, Interrupts);
        can.modify_config().set_bitrate(BIT_RATE);
        can.modify_filters().enable_bank(
            0,
            embassy_stm32::can::Fifo::Fifo0,
            embassy_stm32::can::filter::Mask32::accept_all(),
        );
        can.enable().await;
        let mut watchdog = IndependentWatchdog::new(part.IWDG, WATCHDOG);
        watchdog.unleash();
        Board {
            can,
            random: Rng::new(part.RNG, Interrupts),
            journal: Journal::open(Flash::new_blocking(part.FLASH)),
            watchdog,
        }
    }

    /// Returns random bytes of the part's generator.
    pub(crate) fn seed(&mut self) -> [u8; 32] {
        let mut seed = [0; 32];
        self.random.fill_bytes(&mut seed);
        seed
    }

    /// Copies the values that earlier boots stored; returns their number.
    pub(crate) fn retained(&self, into: &mut [(Slot, Retained); SLOTS]) -> usize {
        self.journal.slots(into)
    }

    /// Has the watchdog wait for the whole time again.
    pub(crate) fn feed(&mut self) {
        self.watchdog.pet();
    }

    /// Returns both halves of the controller, to wait for, and true if a frame is leaving.
    pub(crate) fn parts(&mut self) -> (CanTx<'static>, CanRx<'static>, bool) {
        let is_sending = !self.can.is_transmitter_idle();
        let (sender, receiver) = self.can.split();
        (sender, receiver, is_sending)
    }
}

/// The driver does not say if the controller is in bus-off: its frame stays in the mailbox until
/// the controller has recovered.
impl Device for Board {
    fn now(&self) -> Instant {
        Instant::from_nanos(embassy_time::Instant::now().as_nanos())
    }

    fn receive(&mut self) -> Option<Frame> {
        loop {
            let frame = self.can.try_read().ok()?.frame;
            // Remote frames are none of ours.
            if frame.is_data_frame() {
                return embedded_can::Frame::new(*frame.header().id(), frame.data());
            }
        }
    }

    fn send(&mut self, frame: &Frame) {
        let id: embedded_can::Id = frame.id().into();
        // One that this controller does not have, as of CAN FD, is never made for it.
        if let Ok(frame) = DriverFrame::new_data(id, frame.data()) {
            // The mailbox is empty, by the contract of the caller.
            let _ = self.can.try_write(&frame);
        }
    }

    fn is_sent(&self) -> bool {
        self.can.is_transmitter_idle()
    }

    fn store(&mut self, slot: Slot, value: &Retained) {
        if self.journal.store(slot, value).is_err() {
            // Going on would use a freshness value twice after the next reset.
            cortex_m::peripheral::SCB::sys_reset();
        }
    }
}
