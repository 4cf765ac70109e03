//! Law checks for domains.
