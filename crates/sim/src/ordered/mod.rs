//! Programs on the engine that does things in the order of time: shared links, wild cards, shared processors (P13, P21).
//!
//! A rank is a place in its code. It goes on until it must wait; then the [`Engine`] says whose turn it is. A channel is a tag
//! between its two ranks, so that what a pick accepts is a range of tags. Nothing is allocated for an operation.

mod lead;
mod messages;
mod place;
mod price;
mod probing;
mod routes;
mod touch;
mod walk;

use panto_units::Time;

use crate::engine::{Engine, Homes};
use crate::halt::{Halt, Halted, MOST_HALTS, Want};
use crate::large::Large;
use crate::memo::Memo;
use crate::observe::Observer;
use crate::program::{Act, Program};
use crate::setting::Setting;
use place::{Pending, Place};
use price::Price;
use routes::Routes;
use touch::Leads;
use walk::Walk;

/// Runs a program; answers when each rank ends, then each helper. The caller has checked that the machine takes so many ranks.
pub fn run<O: Observer>(program: &Program, setting: &Setting, observer: &mut O) -> Result<Vec<Time>, Halted> {
    let homes = Homes { ranks: program.ranks as usize, helps: &program.helps };
    let mut engine = Engine::beside(setting.machine, &homes, setting.model, u32::MAX).without_bytes();
    let routes = Routes::new(program, &mut engine);
    let places = Place::all(program);
    let slots = Large::filled(Pending::Nothing, places.last().map_or(0, |place| place.slots.end));
    let (prices, leads) = (Memo::default(), Leads::default());
    let mut run = Run { program, setting, routes, engine, places, slots, observer, prices, leads };
    while let Some(rank) = run.engine.turn() {
        run.touch_next();
        run.go_on(rank, true);
        if run.engine.is_over() {
            return Err(Halted::EndOfTime);
        }
    }
    if run.engine.is_over() { Err(Halted::EndOfTime) } else { run.ends() }
}

struct Run<'a, O> {
    program: &'a Program,
    setting: &'a Setting<'a>,
    routes: Routes,
    engine: Engine,
    places: Large<Place<'a>>,
    slots: Large<Pending>,
    observer: &'a mut O,
    prices: Memo<Price>,
    leads: Leads,
}

impl<O: Observer> Run<'_, O> {
    #[inline]
    fn go_on(&mut self, rank: u32, gathers: bool) {
        let place = &mut self.places[rank as usize];
        let mut walk = Walk {
            program: self.program,
            setting: self.setting,
            routes: &self.routes,
            rank,
            gathers,
            slots: &mut self.slots[place.slots.clone()],
            place,
            engine: &mut self.engine,
            observer: self.observer,
            prices: &mut self.prices,
        };
        if walk.go_on() {
            self.engine.finish(rank);
        }
    }

    /// When all have ended; or who has not, and why.
    fn ends(mut self) -> Result<Vec<Time>, Halted> {
        let ranks = 0..self.places.len() as u32;
        let stuck: Vec<u32> = ranks.clone().filter(|&rank| !self.places[rank as usize].is_done).collect();
        if stuck.is_empty() {
            return Ok(ranks.map(|rank| self.engine.clock(rank)).collect());
        }
        for &rank in &stuck {
            // It has come to the first of several things that will never be.
            if self.places[rank as usize].gathers {
                self.go_on(rank, false);
            }
        }
        let halt = |&rank: &u32| halt(rank, &self.places[rank as usize], &self.slots);
        let halts = stuck.iter().take(MOST_HALTS).filter_map(halt).collect();
        Err(Halted::Stuck { ranks: stuck.len(), halts })
    }
}

/// What a rank waits for that did not come to its end.
fn halt(rank: u32, place: &Place, slots: &[Pending]) -> Option<Halt> {
    let want = match place.ops.get(place.at as usize)?.act() {
        Act::Send { channel, .. } => Want::Receiver { channel },
        Act::Receive { channel } | Act::Probe { channel } => Want::Message { channel },
        Act::ProbePick { pick } | Act::StartPick { pick, .. } => Want::Pick { pick },
        Act::Wait { slot } => match slots[place.slots.clone()].get(slot as usize)? {
            Pending::Nothing => return None,
            &Pending::Send { channel, .. } => Want::Receiver { channel },
            &Pending::Receive { channel, .. } => Want::Message { channel },
            &Pending::Pick { pick, .. } => Want::Pick { pick },
        },
        _ => return None,
    };
    Some(Halt { rank, calls: place.calls, want })
}
