//! The run folder: the one artefact that every measurement leaves behind, whatever was measured.
//!
//! `manifest.json` holds only what determines the result; `environment.json` stands apart. `samples/` and `edges/`
//! hold `part-NNNNN.parquet`, each written under a temporary name and renamed when complete, so that readers
//! never see half a part. `docs/reference/run-folder.md` describes every field.

mod error;
mod part;
mod stage;
mod tables;
mod writer;

pub use error::{Kept, RunFolderError};
pub use stage::{Site, Stage, Subject, UnderWay};
pub use tables::{
    SampleLabels, SpanRow, StrayDone, edges_table, samples_schema, samples_table, spans_schema, spans_table,
};
pub use writer::{RunFolder, TableName, check_absent};

/// The version of the run folder's layout and fields.
pub const SCHEMA: &str = "airwire.run/2";
