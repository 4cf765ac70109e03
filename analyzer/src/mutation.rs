//! Deliberately wrong rules, one at a time, to show that the differential oracle finds each of them.
//! Nothing but tests sets one.

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mutation {
    /// Every may edge counts as a must edge of its own.
    MayAsMust,
    /// A label that is not True counts as False.
    NoIsNotYes,
    /// The end and failures have no successor, so that everything holds on what follows.
    DroppedSelfLoops,
    /// A branch whose guard cannot hold is a must edge all the same.
    MustIntoEmptyCells,
    /// Every part of an input's range can be drawn, whatever its bounds are.
    InputMustWithoutWitness,
    /// Labels describe cells as they were when first visited.
    LabelsBeforeStabilisation,
}

impl Mutation {
    pub const ALL: [Mutation; 6] = [
        Self::MayAsMust,
        Self::NoIsNotYes,
        Self::DroppedSelfLoops,
        Self::MustIntoEmptyCells,
        Self::InputMustWithoutWitness,
        Self::LabelsBeforeStabilisation,
    ];
}
