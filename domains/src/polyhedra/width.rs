//! Where the width of scalars is chosen: an operation runs on machine words, and again one wider
//! whenever something does not fit. Results are kept as narrow as they can be.

use std::borrow::Cow;

use super::parts::Parts;
use super::scalar::{Limit, Limited, Scalar};
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
        let small = || -> Result<_, Stop> {
            type $S = i64;
            $run
        };
        let wide = || -> Result<_, Stop> {
            type $S = i128;
            $run
        };
        let big = || -> Result<_, Stop> {
            type $S = $crate::int::Int;
            $run
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
        S::of(self)
    }
}

/// A scalar that a body may be made of.
pub trait Width: Scalar {
    fn of(body: &Body) -> Limited<Cow<'_, Parts<Self>>>;
}

impl Width for i64 {
    fn of(body: &Body) -> Limited<Cow<'_, Parts<Self>>> {
        match body {
            Body::Small(parts) => Ok(Cow::Borrowed(parts)),
            // Results are as narrow as they can be.
            Body::Wide(_) | Body::Big(_) => Err(Limit::Width),
        }
    }
}

impl Width for i128 {
    fn of(body: &Body) -> Limited<Cow<'_, Parts<Self>>> {
        match body {
            Body::Small(parts) => Ok(Cow::Owned(parts.widened()?)),
            Body::Wide(parts) => Ok(Cow::Borrowed(parts)),
            Body::Big(_) => Err(Limit::Width),
        }
    }
}

impl Width for Int {
    fn of(body: &Body) -> Limited<Cow<'_, Parts<Self>>> {
        match body {
            Body::Small(parts) => Ok(Cow::Owned(parts.widened::<i128>()?.widened()?)),
            Body::Wide(parts) => Ok(Cow::Owned(parts.widened()?)),
            Body::Big(parts) => Ok(Cow::Borrowed(parts)),
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
