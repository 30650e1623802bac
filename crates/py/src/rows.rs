//! Rows of a suite, measured. Those of links and of boards are one type in the core; Python has a class for each.

use std::collections::BTreeMap;

use bench::rows::{PublishedEntry, RowEntry, RowResult};
use bench::targets::Facts;
use bench::targets::link::LinkFacts;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use record::run_folder::samples_table;

use crate::refused;
use crate::statistics::{finding_list, interval_dict, outcome_dict, summary_dict};
use crate::table::Table;

/// What both classes of rows have in common: the names of their members are written once.
macro_rules! row_class {
    ($(#[$about:meta])* $class:ident, $name:literal, { $($own:tt)* }) => {
        $(#[$about])*
        #[pyclass(frozen, module = "airwire._core", name = $name)]
        pub(crate) struct $class(pub(crate) (RowEntry, RowResult));

        #[pymethods]
        impl $class {
            #[getter]
            fn run(&self) -> &str {
                &self.0.0.run
            }

            #[getter]
            fn outcomes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
                outcome_dict(py, &self.0.1.outcomes)
            }

            #[getter]
            fn unfinished(&self) -> usize {
                self.0.1.statistics.unfinished
            }

            #[getter]
            fn latency<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
                summary_dict(py, &self.0.1.statistics)
            }

            #[getter]
            fn intervals<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
                interval_dict(py, self.0.1.statistics.intervals.as_ref())
            }

            #[getter]
            fn findings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
                finding_list(py, &self.0.1.statistics.findings)
            }

            /// What its figures are to keep, and whether they do, as JSON.
            #[getter]
            fn bounds(&self) -> PyResult<String> {
                serde_json::to_string(&self.0.0.bounds).map_err(refused)
            }

            /// One row per message; empty once a run folder holds them.
            fn samples(&self, py: Python<'_>) -> Table {
                Table(py.detach(|| samples_table(&self.0.1.labels(), &self.0.1.samples)))
            }

            /// Where the time of some messages went; empty once a run folder holds it.
            fn spans(&self) -> Table {
                Table(self.0.1.spans_table())
            }

            $($own)*
        }
    };
}

row_class! {
    /// A row of a suite that ran on a link.
    PyRow, "RowResult", {
        #[getter]
        fn entry(&self) -> &str {
            &self.0.0.variant
        }

        #[getter]
        fn link(&self) -> PyResult<&'static str> {
            Ok(self.facts()?.link)
        }

        #[getter]
        fn title(&self) -> &str {
            &self.0.0.title
        }

        #[getter]
        fn payload_bytes(&self) -> PyResult<u32> {
            Ok(self.facts()?.payload_bytes)
        }

        #[getter]
        fn settings(&self) -> PyResult<BTreeMap<&'static str, String>> {
            Ok(self.facts()?.settings.clone())
        }

        #[getter]
        fn trigger(&self) -> PyResult<&str> {
            Ok(&self.facts()?.trigger)
        }

        #[getter]
        fn longest_queue(&self) -> PyResult<usize> {
            Ok(self.facts()?.longest_queue)
        }

        #[getter]
        fn end_ps(&self) -> i64 {
            self.0.0.end_ps
        }

        /// What others measured of the row, as in its manifest; nothing where that is not known.
        #[getter]
        fn published<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
            let Some(PublishedEntry::Median(published)) = &self.0.0.published else { return Ok(None) };
            let dict = PyDict::new(py);
            dict.set_item("median_ps", published.median_ps)?;
            dict.set_item("source", &published.source)?;
            dict.set_item("note", &published.note)?;
            Ok(Some(dict))
        }

        /// What a message takes of the sender's battery, and how far apart messages were; nothing where no currents are known.
        #[getter]
        fn energy<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
            let Some(entry) = self.facts()?.energy else { return Ok(None) };
            let dict = PyDict::new(py);
            dict.set_item("chip", entry.energy.chip)?;
            dict.set_item("message_j", entry.energy.message_j)?;
            dict.set_item("between_a", entry.energy.between_a)?;
            dict.set_item("supply_volts", entry.energy.supply_volts)?;
            dict.set_item("every_ps", entry.every_ps)?;
            Ok(Some(dict))
        }

        #[getter]
        fn budget<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
            let entry = |stage: &bench::targets::link::StageEntry| {
                let dict = PyDict::new(py);
                dict.set_item("cause", stage.cause)?;
                dict.set_item("site", stage.site)?;
                dict.set_item("subject", stage.subject)?;
                dict.set_item("detail", &stage.detail)?;
                dict.set_item("ps", stage.ps)?;
                Ok(dict)
            };
            self.facts()?.budget.iter().map(entry).collect()
        }
    }
}

impl PyRow {
    fn facts(&self) -> PyResult<&LinkFacts> {
        match &self.0.0.facts {
            Facts::Link(facts) => Ok(facts),
            _ => Err(refused("this row is of no link")),
        }
    }
}

row_class! {
    /// A row of a suite that ran on a board, virtual or real: all that is to be said of it is in its entry.
    PyFigureRow, "FigureRowResult", {
        /// What the run folder's manifest says of it, as JSON.
        fn entry(&self) -> PyResult<String> {
            serde_json::to_string(&self.0.0).map_err(refused)
        }
    }
}
