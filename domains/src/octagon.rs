//! Octagons: constraints `±x ± y <= c` over integers.
