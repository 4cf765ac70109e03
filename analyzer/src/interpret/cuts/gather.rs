//! What the functions of a program say of cuts, put together.

use kleene_domains::Int;

use super::collect::{Collector, Compared, OwnFlows};
use super::facts::{Facts, Named, Said, first_values};
use super::{Flow, Numbers};
use crate::ir::{FunctionId, Program, VariableId};

struct Gathering<'g> {
    numbers: &'g Numbers,
    facts: &'g [&'g Facts],
    /// The number of a function here.
    own: &'g dyn Fn(FunctionId) -> FunctionId,
    fixed: Vec<Option<Int>>,
    collector: Collector<'g>,
}

pub fn gathered<'g>(
    program: &Program,
    numbers: &'g Numbers,
    facts: &'g [&'g Facts],
    own: &'g dyn Fn(FunctionId) -> FunctionId,
) -> Collector<'g> {
    let mut fixed = first_values(program);
    for index in facts.iter().flat_map(|facts| &facts.written) {
        fixed[*index as usize] = None;
    }
    let mut collector = Collector::new(&[]);
    collector.cuts.resize(numbers.count(), Vec::new());
    collector.flows.resize(numbers.count(), Vec::new());
    collector.own_flows.resize(numbers.count(), None);
    let mut gathering = Gathering { numbers, facts, own, fixed, collector };
    let mut taken = vec![false; facts.len()];
    for id in (0..facts.len() as u32).map(FunctionId) {
        gathering.say(id, &facts[id.0 as usize].said);
        gathering.flow(id, &mut taken);
    }
    for (id, _) in (0..).map(FunctionId).zip(taken).filter(|(_, taken)| *taken) {
        gathering.say(id, &facts[id.0 as usize].returned);
    }
    gathering.collector
}

impl<'g> Gathering<'g> {
    fn facts(&self, id: FunctionId) -> &Facts {
        self.facts[id.0 as usize]
    }

    /// What a number of a function stands for, in the program.
    fn number(&self, id: FunctionId, number: u32) -> u32 {
        match self.facts(id).named(number) {
            Named::Global(index) => index,
            Named::Local(index) => self.numbers.of(id, VariableId::Local(index)),
            Named::Parameter(function, index) => {
                self.numbers.of((self.own)(function), VariableId::Local(index))
            }
            Named::Result(_) => unreachable!("results are replaced by what they are made of"),
        }
    }

    fn here(&self, id: FunctionId, flow: &Flow) -> Flow {
        Flow { source: self.number(id, flow.source), ..flow.clone() }
    }

    fn say(&mut self, id: FunctionId, said: &Said) {
        for (owner, cuts) in &said.cuts {
            let owner = self.number(id, *owner);
            self.collector.cut(owner, cuts.iter().cloned());
        }
        for compared in &said.compared {
            let Compared { global, owner, .. } = compared;
            if let Some(value) = &self.fixed[*global as usize] {
                let cuts = compared.cuts(value);
                self.collector.cut(self.number(id, *owner), cuts);
            }
        }
    }

    fn flow(&mut self, id: FunctionId, taken: &mut [bool]) {
        let facts: &'g Facts = self.facts[id.0 as usize];
        let (globals, first) = (facts.globals(), self.numbers.of(id, VariableId::Local(0)));
        for (target, flows) in &facts.own_flows {
            let target = self.number(id, *target) as usize;
            self.collector.own_flows[target] = Some(OwnFlows { flows, globals, first });
        }
        for (target, flow) in
            facts.shared_flows.iter().flat_map(|(to, flows)| flows.iter().map(|flow| (*to, flow)))
        {
            let target = self.number(id, target);
            match facts.named(flow.source) {
                Named::Result(callee) => {
                    let callee = (self.own)(callee);
                    taken[callee.0 as usize] = true;
                    for flow in &self.facts[callee.0 as usize].returned_flows {
                        self.collector.flow(target, self.here(callee, flow));
                    }
                }
                _ => self.collector.flow(target, self.here(id, flow)),
            }
        }
    }
}
