//! Ranks of all traces, and their calls under an assumption about grid and loops.

use smallvec::SmallVec;

use crate::align::{Call, Class, Found, Kind, Node, Row, Takes};
use crate::call::{Partner, Shape};
use crate::fold::{CallItem, Item};
use crate::grid::Grid;
use crate::partner::{Candidates, Rules};
use crate::read::{RankCalls, Symbol};

/// A rank of a trace.
pub struct Member {
    /// The number of its trace.
    pub trace: usize,
    pub rank: u32,
    pub calls: RankCalls,
    /// The calls with their loops.
    pub items: Vec<Item>,
    /// The same, where rows of equal calls with different partners are loops, too.
    pub over_partners: Vec<Item>,
    /// The same, where calls to the children in a tree are loops, too; empty if there are none.
    pub along_trees: Vec<Item>,
}

/// Which rows of equal calls with different partners are loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// None.
    Single,
    /// Those of several calls.
    Partners,
    /// Those as well, and all calls to the children in a tree.
    Trees,
}

impl Member {
    /// Returns the calls with their loops.
    pub fn row(&self, rows: Rows) -> &[Item] {
        match rows {
            Rows::Single => &self.items,
            Rows::Partners => &self.over_partners,
            Rows::Trees => &self.along_trees,
        }
    }
}

/// What is assumed of ranks: how they are arranged.
pub struct View<'a> {
    pub shapes: &'a [Shape],
    /// The grid of each trace.
    pub grids: &'a [Grid],
    pub rules: &'a Rules,
}

impl View<'_> {
    /// Returns the calls of a rank with the rules that explain their partners; none if a partner
    /// follows no rule.
    pub fn row<'i>(&self, number: usize, member: &Member, items: &'i [Item]) -> Option<Row<'i>> {
        let nodes = items.iter().map(|item| self.node(number, member, item, false));
        nodes.collect::<Option<Vec<_>>>().map(Row)
    }

    fn node<'i>(
        &self,
        number: usize,
        member: &Member,
        item: &'i Item,
        is_over_partners: bool,
    ) -> Option<(Node<'i>, Row<'i>)> {
        let found = vec![Found { member: number, item }];
        match item {
            Item::Call(call) => {
                let kind = Kind::Call(self.call(member, call, is_over_partners)?);
                Some((Node { kind, found }, Row::default()))
            }
            Item::Loop(repeated) => {
                let is_over_partners = repeated.is_over_partners;
                let body = repeated.body.iter();
                let body: Option<Vec<_>> =
                    body.map(|item| self.node(number, member, item, is_over_partners)).collect();
                let body = Row(body?);
                let kind = Kind::Loop { is_over_partners };
                Some((Node { kind, found }, body))
            }
        }
    }

    fn call(&self, member: &Member, item: &CallItem, is_over_partners: bool) -> Option<Call> {
        let symbols = &member.calls.symbols;
        let first: &Symbol = &symbols[item.symbols[0] as usize];
        let seen = |place: usize| -> Vec<Partner> {
            item.symbols.iter().map(|symbol| symbols[*symbol as usize].partners[place]).collect()
        };
        let partners: Option<SmallVec<[Candidates; 2]>> = (0..first.partners.len())
            .map(|place| self.explain(member, &seen(place), is_over_partners))
            .collect();
        let has_null = (0..first.partners.len()).any(|place| seen(place).contains(&Partner::Null));
        let requests = first.takes.requests.iter().map(|(symbol, place)| {
            let made = &symbols[*symbol as usize];
            Some((self.class(member, made)?, *place))
        });
        let requests = requests.collect::<Option<Vec<_>>>();
        let takes = Takes {
            is_all: first.takes.is_all,
            requests: requests.or_else(|| first.takes.is_all.then(Vec::new))?,
        };
        Some(Call { class: Class { shape: first.shape, partners: partners? }, has_null, takes })
    }

    fn class(&self, member: &Member, symbol: &Symbol) -> Option<Class> {
        let partners: Option<_> =
            symbol.partners.iter().map(|partner| self.explain(member, &[*partner], false)).collect();
        Some(Class { shape: symbol.shape, partners: partners? })
    }

    fn explain(&self, member: &Member, partners: &[Partner], is_loop: bool) -> Option<Candidates> {
        let found = self.rules.explain(&self.grids[member.trace], member.rank, partners, is_loop);
        (!found.is_empty()).then_some(found)
    }
}
