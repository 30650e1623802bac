//! The PC's services in virtual time, through their public interfaces: what RFCs and standards give as examples, what they
//! ask for in words, and any bytes at all.

mod coap;
mod dhcp;
mod dhcpv6;
mod dns;
mod ftp;
mod mqtt;
mod seat;
mod sntp;
mod talk;
mod tftp;
mod tls;
