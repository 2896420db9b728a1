//! The fitted machine in the parameters of Hockney's model (`t_0`, `r_inf`, `n_1/2`; Hockney 1994)
//! and of LogGP (L, o, g, G; Alexandrov et al. 1995).

use panto_machine::{Machine, Protocol, one_way};

use crate::fitted::{Parameter, Unit};
use crate::machine_parameters::MachineParameters;
use crate::piecewise::PiecewiseLinear;

/// Returns Hockney's start-up, asymptotic bandwidth and half-performance length of each piece, and
/// the parameters of LogGP.
pub fn parameters(figures: &MachineParameters) -> Vec<Parameter> {
    let mut all = hockney(&figures.network.near);
    all.extend(loggp(figures));
    all
}

fn hockney(near: &PiecewiseLinear) -> Vec<Parameter> {
    let mut all = Vec::new();
    for (class, pieces) in near.classes() {
        let class = match class {
            panto_stats::ResidueClass::All => String::new(),
            panto_stats::ResidueClass::Multiples(modulus) => format!(", multiples of {modulus}"),
            panto_stats::ResidueClass::Others(modulus) => format!(", not multiples of {modulus}"),
        };
        let mut from = 0;
        for piece in pieces {
            let to = piece
                .up_to
                .map_or_else(|| "on".to_owned(), |most| format!("to {}", panto_units::bytes(most)));
            let method = format!("Hockney, one way from {} {to}{class}", panto_units::bytes(from));
            let (startup, each) = (piece.line.intercept, piece.line.slope);
            let parameter = |key: &str, value, unit| Parameter::new(key, value, unit, method.clone());
            let around =
                |value: f64, doubt: f64| panto_stats::Interval { low: value - doubt, high: value + doubt };
            all.push(
                parameter("t_0", startup, Unit::Seconds).within(around(startup, piece.intercept_margin)),
            );
            if each > 0.0 {
                all.push(parameter("r_inf", 1.0 / each, Unit::BytesPerSecond));
                all.push(parameter("n_1/2", startup.max(0.0) / each, Unit::Bytes));
            }
            from = piece.up_to.map_or(from, |most| most.saturating_add(1));
        }
    }
    all
}

fn loggp(MachineParameters { network, software, gap, .. }: &MachineParameters) -> Vec<Parameter> {
    let way = network.hop.map_or(0.0, |hop| hop.value * f64::from(network.links));
    let latency = network.link.at(0) + way;
    let large = network.link.piece(u64::MAX / 4).line.slope;
    let links = network.links;
    let mut all = vec![
        Parameter::new(
            "L",
            latency,
            Unit::Seconds,
            format!("LogGP, an empty message over the network, {links} links"),
        ),
        Parameter::new("G", large, Unit::SecondsPerByte, "LogGP, last piece of the link"),
    ];
    if software.measured {
        all.push(Parameter::new("o_s", software.send.at(0), Unit::Seconds, "LogGP, an empty message"));
        all.push(Parameter::new("o_r", software.receive.at(0), Unit::Seconds, "LogGP, an empty message"));
    }
    if let Some(gap) = gap {
        all.push(Parameter::new("g", gap.value, Unit::Seconds, "LogGP").within(gap.interval));
    }
    if let Protocol::Eager { limit } = network.protocol {
        all.push(Parameter::new("S", limit as f64, Unit::Bytes, "LogGOPS, the largest eager message"));
    }
    all
}

/// Returns the one-way time in seconds that the written model predicts over `links` links.
pub fn predicted(machine: &Machine, bytes: u64, links: u32) -> f64 {
    one_way(&machine.network, machine.protocol, bytes, links).as_secs()
}
