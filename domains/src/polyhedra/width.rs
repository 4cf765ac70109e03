//! Where the width of scalars is chosen: an operation runs on machine words, and again one wider
//! whenever something does not fit. Results are kept as narrow as they can be.

use std::borrow::Cow;

use super::parts::Parts;
use super::scalar::{Limited, Scalar};
use crate::int::Int;

#[derive(Clone)]
pub enum Body {
    Small(Parts<i64>),
    Wide(Parts<i128>),
    Big(Parts<Int>),
}

/// Runs a computation of `Result<_, Stop>` with `S` as each width in turn until one suffices.
macro_rules! widths {
    ($S:ident => $run:expr) => {{
        use $crate::polyhedra::{parts::Stop, scalar::Limit};
        let small = || {
            type $S = i64;
            #[allow(unused_mut)]
            let mut run = || -> Result<_, Stop> { $run };
            run()
        };
        let wide = || {
            type $S = i128;
            let run = || -> Result<_, Stop> { $run };
            run()
        };
        let big = || {
            type $S = $crate::int::Int;
            let run = || -> Result<_, Stop> { $run };
            run()
        };
        let mut result = small();
        if matches!(result, Err(Stop::Limit(Limit::Width))) {
            result = wide();
        }
        if matches!(result, Err(Stop::Limit(Limit::Width))) {
            result = big();
        }
        result
    }};
}
pub(super) use widths;

impl Body {
    pub fn is_degraded(&self) -> bool {
        match self {
            Body::Small(parts) => parts.is_degraded(),
            Body::Wide(parts) => parts.is_degraded(),
            Body::Big(parts) => parts.is_degraded(),
        }
    }

    /// At this width, if it suffices.
    pub fn at<S: Width>(&self) -> Limited<Cow<'_, Parts<S>>> {
        match (S::borrow(self), self) {
            (Some(parts), _) => Ok(Cow::Borrowed(parts)),
            (None, Body::Small(parts)) => Ok(Cow::Owned(parts.cast()?)),
            (None, Body::Wide(parts)) => Ok(Cow::Owned(parts.cast()?)),
            (None, Body::Big(parts)) => Ok(Cow::Owned(parts.cast()?)),
        }
    }
}

/// A scalar that a body may be made of.
pub trait Width: Scalar {
    fn borrow(body: &Body) -> Option<&Parts<Self>>;
}

impl Width for i64 {
    fn borrow(body: &Body) -> Option<&Parts<Self>> {
        match body {
            Body::Small(parts) => Some(parts),
            _ => None,
        }
    }
}

impl Width for i128 {
    fn borrow(body: &Body) -> Option<&Parts<Self>> {
        match body {
            Body::Wide(parts) => Some(parts),
            _ => None,
        }
    }
}

impl Width for Int {
    fn borrow(body: &Body) -> Option<&Parts<Self>> {
        match body {
            Body::Big(parts) => Some(parts),
            _ => None,
        }
    }
}

impl From<Parts<i64>> for Body {
    fn from(parts: Parts<i64>) -> Self {
        Body::Small(parts)
    }
}

impl From<Parts<i128>> for Body {
    fn from(parts: Parts<i128>) -> Self {
        parts.cast().map_or(Body::Wide(parts), Body::Small)
    }
}

impl From<Parts<Int>> for Body {
    fn from(parts: Parts<Int>) -> Self {
        match parts.cast::<i128>() {
            Ok(wide) => Body::from(wide),
            Err(_) => Body::Big(parts),
        }
    }
}
