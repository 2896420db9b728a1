//! Background messages of a scenario.

use panto_transport::{PersistentReceive, PersistentSend, Result, Selector, SendMode, Transport};

use super::script::Background;

/// Messages in flight from the action `load` until after `stop`.
pub(super) struct BackgroundMessages<'t, T: Transport> {
    sends: Vec<PersistentSend<'t, T>>,
    receives: Vec<PersistentReceive<'t, T>>,
    under_way: bool,
}

impl<'t, T: Transport> BackgroundMessages<'t, T> {
    pub fn new(transport: &'t T, load: &Background) -> Result<Self> {
        let room = || vec![0_u8; load.bytes as usize];
        let each = 0..load.messages;
        let want = Selector::new(load.from, load.tag);
        let receives = each.clone().map(|_| PersistentReceive::new(transport, room(), want));
        let sends =
            each.map(|_| PersistentSend::new(transport, SendMode::Standard, room(), load.to, load.tag));
        Ok(Self {
            receives: receives.collect::<Result<_>>()?,
            sends: sends.collect::<Result<_>>()?,
            under_way: false,
        })
    }

    /// Starts the messages.
    pub fn start(&mut self) -> Result<()> {
        self.under_way = true;
        self.receives.iter_mut().try_for_each(PersistentReceive::start)?;
        self.sends.iter_mut().try_for_each(PersistentSend::start)
    }

    /// Waits until all have arrived, on both sides.
    pub fn end(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.under_way) {
            return Ok(());
        }
        for receive in &mut self.receives {
            receive.wait()?;
        }
        for send in &mut self.sends {
            send.wait()?;
        }
        Ok(())
    }
}
