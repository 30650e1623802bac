//! One writer per file format, each a sink for the changes of a [`crate::ChangeSource`].
