//! What a run costs, from the price of a node hour.

use clap::Args;
use panto_predict::sweep::{Parameter, Row, Variant};

use crate::failure::Failure;

/// Seconds of an hour.
const HOUR: f64 = 3600.0;

/// Options of the price.
#[derive(Args)]
pub struct PriceArgs {
    /// Price of a node for an hour, in any currency: one for all machines, or one for each, such as
    /// efa=3.9,hdr=3.6. Adds the cost of a run.
    #[arg(long, value_name = "PRICE,...", value_delimiter = ',')]
    price: Vec<Price>,

    /// Ranks of a node, for the number of nodes to pay.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    ranks_per_node: u32,
}

/// The price of a node hour, of one machine or of all.
#[derive(Debug, Clone, PartialEq)]
struct Price {
    machine: Option<String>,
    amount: f64,
}

impl std::str::FromStr for Price {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (machine, amount) = match text.split_once('=') {
            Some((machine, amount)) => (Some(machine.trim().to_owned()), amount),
            None => (None, text),
        };
        let valid = |amount: &f64| amount.is_finite() && *amount >= 0.0;
        let amount =
            amount.trim().parse().ok().filter(valid).ok_or_else(|| {
                format!("`{text}` is not a price: expected a number such as 3.5, or efa=3.9")
            })?;
        Ok(Self { machine, amount })
    }
}

impl PriceArgs {
    /// Checks that every price is of a machine of the sweep.
    pub fn check<'a>(&self, variants: impl Iterator<Item = &'a Variant>) -> Result<(), Failure> {
        let machines: Vec<&str> = variants.filter_map(|variant| variant.get(&Parameter::Machine)).collect();
        let unknown = |price: &&Price| price.machine.as_deref().is_some_and(|name| !machines.contains(&name));
        match self.price.iter().find(unknown) {
            Some(Price { machine: Some(name), .. }) => Err(Failure::Usage(format!(
                "--price {name}: the sweep has no machine `{name}`; it has {}",
                machines.join(", ")
            ))),
            _ => Ok(()),
        }
    }

    /// Returns the cost of a run, if it did not fail and its machine has a price.
    pub fn cost(&self, row: &Row) -> Option<f64> {
        let machine = row.variant.get(&Parameter::Machine);
        let own =
            self.price.iter().find(|price| price.machine.is_some() && price.machine.as_deref() == machine);
        let price = own.or_else(|| self.price.iter().find(|price| price.machine.is_none()))?;
        let figures = row.outcome.as_ref().ok()?;
        let nodes = figures.processors.div_ceil(self.ranks_per_node as usize);
        Some(price.amount * nodes as f64 * figures.time / HOUR)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use panto_predict::sweep::Figures;

    fn price(text: &str) -> Price {
        text.parse().expect("a price")
    }

    #[test]
    fn a_run_costs_node_hours() {
        let args = PriceArgs { price: vec![price("2"), price("hdr=4.5")], ranks_per_node: 8 };
        let row = |machine: &str| Row {
            key: String::new(),
            variant: Variant::new([(Parameter::Machine, machine.to_owned())]),
            outcome: Ok(Figures {
                time: 1800.0,
                speedup: 1.0,
                utilisation: 1.0,
                waiting: 0.0,
                processors: 20,
            }),
            assessment: None,
            cost: None,
        };
        // 20 ranks fill three nodes, for half an hour.
        assert_eq!(args.cost(&row("hdr")), Some(3.0 * 0.5 * 4.5));
        assert_eq!(args.cost(&row("efa")), Some(3.0 * 0.5 * 2.0));
        let only = PriceArgs { price: vec![price("hdr=4.5")], ranks_per_node: 1 };
        assert_eq!(only.cost(&row("efa")), None);
        let error = only.check([row("efa").variant].iter()).unwrap_err().to_string();
        assert!(error.contains("no machine `hdr`"), "{error}");
        assert!(
            "hdr=much".parse::<Price>().unwrap_err().contains("not a price")
                && "-1".parse::<Price>().is_err()
        );
    }
}
