//! Calls from Panto into user code on one rank, and what becomes of their errors.

use std::ffi::c_int;
use std::time::Duration;

use panto_implementation::abi;

use super::bridge::Bridge;
use super::watchdog;
use crate::error::{Error, Result};
use crate::message::Tag;
use crate::reduce_op::ReduceOp;
use crate::transport::Transport;

/// User code on one rank, with the message layer that it sees.
pub(super) struct Caller<'t, T: Transport> {
    pub(super) transport: &'t T,
    /// File and name as the user gave them.
    title: &'static str,
    pub(super) bridge: Box<Bridge<'t, T>>,
}

impl<'t, T: Transport> Caller<'t, T> {
    pub(super) fn new(
        transport: &'t T,
        (title, time_limit): (&'static str, Duration),
        tag: Tag,
        combine: ReduceOp,
    ) -> Result<Self> {
        let watched = watchdog::register(title, time_limit, transport.rank())?;
        Ok(Self { transport, title, bridge: Bridge::new(transport, tag, combine, watched) })
    }

    /// Calls user code under the eyes of the watchdog; returns its code.
    pub(super) fn call(&self, act: impl FnOnce(*const abi::World) -> c_int) -> c_int {
        self.bridge.watched.enter();
        let code = act(&raw const self.bridge.world);
        self.bridge.watched.leave();
        code
    }

    /// Returns the error of the message layer or of the user's code, if there was one.
    pub(super) fn outcome(&self, function: &str, code: c_int) -> Result<()> {
        let (failure, title) = (self.bridge.take_failure(), self.title);
        if failure.is_some() || code != abi::OK {
            self.bridge.cancel_all();
        }
        match failure {
            // These name their cause already.
            Some(error @ (Error::Aborted { .. } | Error::Deadlock(_))) => Err(error),
            Some(error) => Err(self.transport.abort(&format!("{title}: {error}"))),
            None if code != abi::OK => {
                Err(self.transport.abort(&format!("{title}: `{function}` returned {code}")))
            }
            None => Ok(()),
        }
    }

    /// Returns an error if requests are still pending when the user's code reports completion.
    pub(super) fn check_completed(&self) -> Result<()> {
        match self.bridge.cancel_all() {
            0 => Ok(()),
            left => Err(self.transport.abort(&format!(
                "{} returned with {left} requests pending; wait for each request",
                self.title
            ))),
        }
    }
}
