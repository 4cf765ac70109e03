//! The operators as the contract's sections 1 and 2 define them on the full graph: quantifiers over live
//! runs, formulas read on visible states.

use crate::check::{Graph, Mode, Reading, Set, both, complement, either};

/// E-quantifiers range over live runs.
pub struct LiveReading<'m> {
    pub graph: &'m Graph,
    pub discarded: &'m Set,
    /// Live for sure, and perhaps.
    pub sure: Set,
    pub perhaps: Set,
}

impl LiveReading<'_> {
    fn live(&self, mode: Mode) -> &Set {
        match mode {
            Mode::Sure => &self.sure,
            Mode::Perhaps => &self.perhaps,
        }
    }
}

impl Reading for LiveReading<'_> {
    fn ex(&self, inner: &Set, mode: Mode) -> Set {
        self.graph.ex(&both(inner, self.live(mode)), mode)
    }

    fn eu(&self, left: &Set, right: &Set, mode: Mode) -> Set {
        self.graph.eu(left, &both(right, self.live(mode)), mode)
    }

    fn eg(&self, inner: &Set, mode: Mode) -> Set {
        self.graph.eg(&both(inner, &complement(self.discarded.clone())), mode)
    }
}

/// Formulas are read on visible states.
pub struct VisibleReading<'m> {
    pub live: &'m LiveReading<'m>,
    pub visible: &'m Set,
    pub invisible: Set,
}

impl VisibleReading<'_> {
    pub fn some_run_never_visible(&self, initial: &[u32]) -> bool {
        let silent = self.live.eg(&self.invisible, Mode::Perhaps);
        initial.iter().any(|node| silent[*node as usize])
    }
}

impl Reading for VisibleReading<'_> {
    fn ex(&self, inner: &Set, mode: Mode) -> Set {
        let shown = both(self.visible, inner);
        let step = self.live.ex(&self.live.eu(&self.invisible, &shown, mode), mode);
        let stays = self.live.ex(&self.live.eg(&self.invisible, mode), mode);
        either(&step, &both(inner, &stays))
    }

    fn eu(&self, left: &Set, right: &Set, mode: Mode) -> Set {
        let shown = both(self.visible, right);
        self.live.eu(&either(&self.invisible, left), &shown, mode)
    }

    fn eg(&self, inner: &Set, mode: Mode) -> Set {
        self.live.eg(&either(&self.invisible, inner), mode)
    }
}
