//! Closed convex polyhedra over exact rationals, tightened for integers.
