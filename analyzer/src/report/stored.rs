//! Results of lints as bytes: see `source::stored`. Entries of `check` have no such form.

use super::advice::Advice;
use super::{Backing, Entry, Trouble};
use crate::granularity::Granularity;
use crate::source::stored::{Reader, Stored, Writer, stored_fields};

stored_fields!(Advice: call, guard);

impl Stored for Entry {
    fn write(&self, to: &mut Writer<'_>) {
        let Self {
            property,
            number,
            lint,
            name,
            function,
            granularity,
            verdict,
            rated,
            suppressed,
            known,
            advice,
            level,
            solver,
            seconds,
            model,
            vacuous,
            vacuous_parts,
            backing,
            certificate,
            message,
            span,
            expected,
            mistake,
            trouble,
        } = self;
        let plain = *granularity == Granularity::Statement && *trouble == Trouble::Own && !known;
        let of_property =
            number.is_some() || name.is_some() || vacuous.is_some() || !vacuous_parts.is_empty();
        let of_file = certificate.is_some() || expected.is_some() || mistake.is_some();
        let evidence = match backing {
            Backing::Program(evidence) if plain && !of_property && !of_file => evidence,
            _ => return to.refuse(),
        };
        property.write(to);
        lint.write(to);
        function.write(to);
        verdict.write(to);
        rated.write(to);
        suppressed.write(to);
        advice.write(to);
        level.write(to);
        solver.write(to);
        seconds.write(to);
        model.write(to);
        evidence.write(to);
        message.write(to);
        span.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let property = String::read(from)?;
        Some(Self {
            lint: Stored::read(from)?,
            function: Stored::read(from)?,
            verdict: Stored::read(from)?,
            rated: Stored::read(from)?,
            suppressed: Stored::read(from)?,
            advice: Stored::read(from)?,
            level: Stored::read(from)?,
            solver: Stored::read(from)?,
            seconds: Stored::read(from)?,
            model: Stored::read(from)?,
            backing: Backing::Program(Stored::read(from)?),
            message: Stored::read(from)?,
            span: Stored::read(from)?,
            ..Self::error(&property, Granularity::Statement, "")
        })
    }
}
