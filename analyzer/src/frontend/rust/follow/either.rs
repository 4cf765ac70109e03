//! Conditions that nobody knows. Where all ways behind one come to the same, the run goes on with that.
//!
//! Whichever way is taken: nothing counts that is passed there, and nothing may be written that was there before.

use super::value::Value;
use super::{Flow, Flowing, Follower, Frame, Stop};

pub(super) const UNKNOWN: Stop = "a value that nobody knows";

/// Conditions on one way, and ways in all.
const MOST_ASKED: usize = 8;
const MOST_WAYS: usize = 40;
/// How often ways are tried in vain in one run.
const MOST_TRIES: usize = 24;

#[derive(Debug, Default)]
pub(super) struct Either {
    /// While ways are tried: what the conditions on this one say, and how many were asked.
    way: Option<(Vec<bool>, usize)>,
    /// Such a condition has stopped the run.
    undecided: bool,
    tries: usize,
}

impl<'f> Follower<'f, '_> {
    /// Whether a condition with this value holds.
    pub(super) fn truth(&mut self, value: &Value) -> Flowing<bool> {
        let number = match self.number(value) {
            Err(Flow::Stop(UNKNOWN)) => None,
            number => Some(number?),
        };
        match (number, &mut self.either.way) {
            (Some(number), _) => Ok(number != 0),
            (None, None) => {
                self.either.undecided = true;
                Err(Flow::Stop(UNKNOWN))
            }
            (None, Some((said, asked))) => {
                if *asked == said.len() {
                    if *asked == MOST_ASKED {
                        return Err(Flow::Stop(UNKNOWN));
                    }
                    said.push(false);
                }
                *asked += 1;
                Ok(said[*asked - 1])
            }
        }
    }

    /// What something comes to, whatever unknown conditions in it say. It is followed from the same beginning each time.
    pub(super) fn whichever(
        &mut self,
        mut follow: impl FnMut(&mut Self) -> Flowing<Value>,
    ) -> Flowing<Value> {
        if self.either.way.is_some() {
            return follow(self);
        }
        let (depth, calls) = (self.depth, self.calls);
        let (watched, shown) = (self.memory.watch(), self.shows.watch());
        let end = follow(self);
        let untouched = self.memory.watched(watched) & self.shows.watched(shown);
        let undecided = self.either.undecided && matches!(end, Err(Flow::Stop(UNKNOWN)));
        if !undecided || !untouched || self.either.tries == MOST_TRIES {
            return end;
        }
        self.either.tries += 1;
        let (fence, texts) = (self.memory.fence(), self.shows.fence());
        self.quiet += 1;
        let joined = self.joined_ways(|this| {
            (this.depth, this.calls) = (depth, calls);
            follow(this)
        });
        self.quiet -= 1;
        self.memory.unfence(fence);
        self.shows.unfence(texts);
        (self.depth, self.calls) = (depth, calls);
        self.either.undecided &= joined.is_none();
        joined.map_or(end, Ok)
    }

    /// The same of a part of a frame, which ends as it begins.
    pub(super) fn whichever_in(
        &mut self,
        frame: &mut Frame<'f>,
        follow: impl Fn(&mut Self, &mut Frame<'f>) -> Flowing<Value>,
    ) -> Flowing<Value> {
        let owned = frame.owned.len();
        self.whichever(|this| {
            frame.owned.truncate(owned);
            let value = follow(this, frame)?;
            match this.either.way.is_some() && frame.owned.len() != owned {
                true => Err(Flow::Stop(UNKNOWN)),
                false => Ok(value),
            }
        })
    }

    fn joined_ways(&mut self, mut follow: impl FnMut(&mut Self) -> Flowing<Value>) -> Option<Value> {
        let mut said = Vec::new();
        let mut joined = None;
        for _ in 0..MOST_WAYS {
            self.either.way = Some((said, 0));
            let value = follow(self);
            (said, _) = self.either.way.take().unwrap_or_default();
            joined = Some(match joined {
                None => value.ok()?,
                Some(before) => same(before, value.ok()?)?,
            });
            // The next way takes another turn at the last condition that can.
            while said.last() == Some(&true) {
                said.pop();
            }
            match said.last_mut() {
                Some(last) => *last = true,
                None => return joined,
            }
        }
        None
    }
}

/// What is known of a value that is one or the other.
fn same(one: Value, other: Value) -> Option<Value> {
    Some(match (one, other) {
        (one, other) if one.is_same(&other) => one,
        (Value::Between(least, most), Value::Between(low, high)) => {
            Value::Between(least.min(low), most.max(high))
        }
        (Value::Moved, _) | (_, Value::Moved) => return None,
        (Value::Parts(one), Value::Parts(other))
            if one.tag == other.tag && one.list.len() == other.list.len() =>
        {
            let pairs = one.list.iter().cloned().zip(other.list.iter().cloned());
            let list: Option<Vec<Value>> = pairs.map(|(one, other)| same(one, other)).collect();
            Value::variant(one.tag, list?)
        }
        _ => Value::Unseen,
    })
}
