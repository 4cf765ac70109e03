//! Evidence as bytes: see `source::stored`.

use std::sync::LazyLock;

use kleene_domains::Int;

use super::{
    Attempt, Called, Cause, CauseKind, Evidence, Obligation, Proof, Run, RunStep, Shown, Start, Strategy,
};
use crate::ir::{FunctionId, StepKind};
use crate::precision::Precision;
use crate::source::stored::{Reader, Stored, Writer, stored_fields, stored_names};

stored_fields!(Run: start, steps, cycle, length, conclusion, calls);
stored_fields!(Start: initial, shown);
stored_fields!(Called: function, name, arguments);
stored_fields!(Shown: name, value, argument);
stored_fields!(RunStep: index, span, what, inputs, changes, shown, outcome);
stored_fields!(Strategy: cells, must_edges, example);
stored_fields!(Proof: cells, may_edges, rankings, invariants);
stored_fields!(
    Cause: kind, span, message, values, relations, path, help, holds_if, fails_if, obligation, tried
);
stored_fields!(Obligation: reached_if, undecided, inputs);
stored_names!(CauseKind: Widening, Join, Branch, Input, Loop, Unknown, Undefined, Limit);
stored_names!(
    StepKind: Assignment, Declaration, Input, Condition, Assert, Assume, Call, Return, Skip, Cast, Begin, End
);

impl Stored for Evidence {
    fn write(&self, to: &mut Writer<'_>) {
        to.text(self.kind().unwrap_or("none"));
        match self {
            Self::Run(run) => run.write(to),
            Self::Strategy(strategy) => strategy.write(to),
            Self::Proof(proof) => proof.write(to),
            Self::Mixed { run, then } => {
                run.write(to);
                then.write(to);
            }
            Self::Cause(cause) => cause.write(to),
            Self::None => {}
        }
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        Some(match from.text()? {
            "run" => Self::Run(Run::read(from)?),
            "strategy" => Self::Strategy(Strategy::read(from)?),
            "proof" => Self::Proof(Proof::read(from)?),
            "mixed" => Self::Mixed { run: Run::read(from)?, then: Proof::read(from)? },
            "cause" => Self::Cause(Cause::read(from)?),
            "none" => Self::None,
            _ => return None,
        })
    }
}

impl Stored for FunctionId {
    fn write(&self, to: &mut Writer<'_>) {
        to.function(self.0);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        from.function().map(Self)
    }
}

/// A number that fits 63 bits as itself, every other one as its digits.
impl Stored for Int {
    fn write(&self, to: &mut Writer<'_>) {
        match self.to_i64() {
            Some(small) if small.unsigned_abs() < 1 << 62 => {
                to.number((small.unsigned_abs() << 1 | u64::from(small < 0)) + 1);
            }
            _ => {
                to.number(0);
                to.text(&self.to_string());
            }
        }
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        match from.number()? {
            0 => from.text()?.parse().ok(),
            small => {
                let value = i64::try_from((small - 1) >> 1).ok()?;
                Some(Int::from(if (small - 1) & 1 == 1 { -value } else { value }))
            }
        }
    }
}

/// The names that attempts can have.
static PRECISIONS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let usual = Precision::ladder().map(|precision| precision.name);
    usual.into_iter().chain(["none", "searched"]).collect()
});

impl Stored for Attempt {
    fn write(&self, to: &mut Writer<'_>) {
        let Self { precision, cells, limit } = self;
        if !PRECISIONS.contains(precision) {
            to.refuse();
        }
        to.text(precision);
        cells.write(to);
        limit.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let name = from.text()?;
        let precision = PRECISIONS.iter().find(|known| **known == name)?;
        Some(Self { precision, cells: Stored::read(from)?, limit: Stored::read(from)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_sizes_come_back() {
        let texts = ["0", "1", "-1", "4611686018427387903", "4611686018427387904", "-4611686018427387904"];
        let more = ["9223372036854775807", "-9223372036854775808", "340282366920938463463374607431768211455"];
        let numbers: Vec<Int> =
            texts.iter().chain(&more).map(|text| text.parse().expect("a number")).collect();
        let mut writer = Writer::new(None);
        numbers.write(&mut writer);
        let bytes = writer.finish().expect("it has a form");
        assert_eq!(Reader::new(&bytes, None).whole::<Vec<Int>>(), Some(numbers));
    }
}
