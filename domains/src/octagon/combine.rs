//! Joins, meets, widening and narrowing, block by block.
//!
//! Widening compares with a matrix that is *not* closed: closing what widening left would bring the
//! bounds it dropped back in, and chains need not stop (Miné 2006, §4.2). An octagon that is the
//! result of widening keeps that matrix beside its closed form; any change drops it.

use std::sync::Arc;

use super::blocks::{Block, Blocks, classes_of, minus, plus, split, variable_of};
use super::half::Empty;
use super::linear::Inequality;
use super::matrix::Combine;
use crate::expr::Var;

/// Variables that one of the two relates, and for joins those whose bounds differ, become one class.
fn common_classes(older: &Blocks, newer: &Blocks, how: Combine) -> Vec<Vec<Var>> {
    let in_both = how == Combine::Join;
    let counts = |variable: &usize| {
        let homes = [older, newer].map(|side| side.home(Var(*variable as u32)).is_some());
        if in_both { homes[0] && homes[1] } else { homes[0] || homes[1] }
    };
    let classes = classes_of(older.dimensions(), |classes| {
        for block in older.iter().chain(newer.iter()) {
            for pair in block.variables.windows(2) {
                classes.unite(pair[0].0 as usize, pair[1].0 as usize);
            }
        }
        if in_both {
            let moved = |variable: &Var| {
                let sides = [plus(*variable), minus(*variable)];
                sides.iter().any(|&side| older.bound(side, side) != newer.bound(side, side))
            };
            let every = (0..older.dimensions()).filter(counts).map(|variable| Var(variable as u32));
            let moved: Vec<Var> = every.filter(moved).collect();
            for pair in moved.windows(2) {
                classes.unite(pair[0].0 as usize, pair[1].0 as usize);
            }
        }
    });
    let kept = classes.into_iter().map(|class| class.into_iter().filter(counts));
    let kept = kept.map(|class| class.map(|variable| Var(variable as u32)).collect::<Vec<Var>>());
    kept.filter(|class| !class.is_empty()).collect()
}

/// The block of exactly these variables, if both have the same.
fn shared(older: &Blocks, newer: &Blocks, class: &[Var]) -> Option<Arc<Block>> {
    let (left, right) = (older.home(class[0])?, newer.home(class[0])?);
    (left.variables == class && left == right).then(|| left.clone())
}

/// Cell by cell over both, closed again where that is needed.
pub(super) fn combined(older: &Blocks, newer: &Blocks, how: Combine) -> Result<Blocks, Empty> {
    let mut blocks = Vec::new();
    for class in common_classes(older, newer, how) {
        if let Some(block) = shared(older, newer, &class) {
            blocks.push(block);
            continue;
        }
        let left = older.gather(&class);
        let mut matrix = left.combined(how, &newer.gather(&class));
        // The greater of two closed matrices is closed.
        if how != Combine::Join && matrix != left {
            matrix.close()?;
        }
        blocks.extend(split(&class, matrix));
    }
    Ok(Blocks::new(older.dimensions(), blocks))
}

/// What is left of `older`, not closed. `newer` is closed and above it.
pub(super) fn widened(older: &Blocks, newer: &Blocks, thresholds: &[Inequality]) -> Blocks {
    let mut classes = common_classes(older, newer, Combine::Widen);
    for threshold in thresholds {
        unite_with(&mut classes, [variable_of(threshold.a), variable_of(threshold.b)]);
    }
    let blocks = classes.into_iter().map(|class| {
        let mut matrix = older.gather(&class).combined(Combine::Widen, &newer.gather(&class));
        let place = |side: usize| Some(2 * class.binary_search(&variable_of(side)).ok()? + side % 2);
        for threshold in thresholds {
            if let (Some(a), Some(b)) = (place(threshold.a), place(threshold.b)) {
                matrix.note(a, b, &threshold.bound);
            }
        }
        matrix.settle();
        Arc::new(Block { variables: class, matrix })
    });
    Blocks::new(older.dimensions(), blocks.collect())
}

/// Moves the classes of both variables together; one without a class joins the other's.
fn unite_with(classes: &mut Vec<Vec<Var>>, pair: [Var; 2]) {
    let (mut united, apart): (Vec<_>, Vec<_>) = classes
        .drain(..)
        .partition(|class| pair.iter().any(|variable| class.binary_search(variable).is_ok()));
    united.push(pair.to_vec());
    let mut united = united.concat();
    united.sort_unstable();
    united.dedup();
    *classes = apart;
    classes.push(united);
}

/// Closes and splits what widening left.
pub(super) fn closed(widened: &Blocks) -> Result<Blocks, Empty> {
    let mut blocks = Vec::new();
    for block in widened.iter() {
        let mut matrix = block.matrix.clone();
        matrix.close()?;
        blocks.extend(split(&block.variables, matrix));
    }
    Ok(Blocks::new(widened.dimensions(), blocks))
}

pub(super) fn leq(left: &Blocks, right: &Blocks) -> bool {
    right.iter().all(|block| {
        let home = left.home(block.variables[0]);
        home.is_some_and(|home| Arc::ptr_eq(home, block)) || left.gather(&block.variables).leq(&block.matrix)
    })
}
