//! What is found in latencies, and that nothing is found where there is nothing.

mod false_alarms;
mod gates;
mod outside;
mod patterns;
mod support;
