//! Clients and servers of every kind, with peers that keep to no rules, and with tools of others.

mod any_events;
mod hostile_peers;
mod kinds;
mod services;
mod services_interop;
mod slow_peers;
