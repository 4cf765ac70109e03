//! Summaries as bytes: globals by their number among those of the part.

use fixedbitset::FixedBitSet;
use kleene_domains::{Int, Interval};

use super::{Answer, Summary};
use crate::ir::LocationId;
use crate::source::stored::{Reader, Stored, Writer};

/// Whether it returns, and between what its answers lie.
type Answered = (bool, Option<(Int, Int)>);
/// What it writes, and where no run comes.
type Where = (Vec<usize>, Vec<usize>);

impl Summary {
    /// `globals` are those of the part, in order. `None` if something of it has no form.
    pub fn stored(&self, globals: &[u32]) -> Option<Vec<u8>> {
        let Self { answer, writes, never, cells, may_edges } = self;
        let answered: Answered = match answer {
            Answer::Nothing => (false, None),
            Answer::Anything => (true, None),
            Answer::Between(values) => {
                (true, Some((values.low().finite()?.clone(), values.high().finite()?.clone())))
            }
        };
        let own = |global: usize| globals.binary_search(&u32::try_from(global).ok()?).ok();
        let writes: Option<Vec<usize>> = writes.ones().map(own).collect();
        let mut never: Vec<usize> = never.iter().map(|location| location.index()).collect();
        never.sort_unstable();
        let mut to = Writer::new(None);
        (answered, ((writes?, never), (*cells, *may_edges))).write(&mut to);
        to.finish()
    }

    /// The same among all globals of the program.
    pub fn restored(bytes: &[u8], globals: &[u32], count: usize) -> Option<Self> {
        let (answered, ((written, never), (cells, may_edges))): (Answered, (Where, (usize, usize))) =
            Reader::new(bytes, None).whole()?;
        let answer = match answered {
            (false, _) => Answer::Nothing,
            (true, None) => Answer::Anything,
            (true, Some((low, high))) => Answer::Between(Interval::finite(low, high)?),
        };
        let mut writes = FixedBitSet::with_capacity(count);
        for own in written {
            writes.insert(*globals.get(own)? as usize);
        }
        let never = never.into_iter().map(LocationId::new).collect();
        Some(Self { answer, writes, never, cells, may_edges })
    }
}
