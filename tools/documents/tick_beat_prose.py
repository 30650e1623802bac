"""The words of ``docs/explanation/tick-beat.md``; ``tick_beat.py`` puts a figure into each ``[[place]]``."""

PROSE = """\
# The tick beat

How a tick of 10 ms shaped a well-known comparison of wireless links for microcontrollers, and its ranking without it.

Scott Rapson measured one-way latency across some twenty links. He published the article, the firmware and every raw
capture ([whose measurements](whose-measurements.md)). Few comparisons can be checked in this way, and only because of
that can this page be written. Nothing below says that he measured wrongly: his captures are exact. They hold more than
their medians tell.

Figures on this page are computed by [`tick_beat.py`](../../tools/documents/tick_beat.py) from the captures of 12 B
and 1024 B and from Airwire's [link models](link-models.md). Times are milliseconds unless a unit stands beside them.

## A trigger and a tick

In the ESP32 test programs the trigger's interrupt only leaves a note. The task that sends finds it when its wait
ends, at the next tick of FreeRTOS. ESP-IDF ticks every 10 ms by default, so each message first waits between 0 and 10
ms.

If triggers came at random times, every wait would be as likely as any other. But a signal generator is steady. A
steady trigger meets only `gate / gcd(trigger, gate)` phases of anything that opens at a steady period. Each interval
of the comparison is a whole number of ticks. So all messages of a run wait *equally long*. How long is decided by the
moment at which the generator was switched on. The same sum holds for connection intervals and beacons:

[[beats]]

Two crystals are never equal, so a phase creeps. In the TCP run the trigger comes every [[tcp_interval]] ms and board
and generator differ by [[tcp_ppm]] ppm: the wait grows by [[tcp_creep]] us from one trigger to the next. The run would
need [[tcp_round]] triggers ([[tcp_minutes]] minutes) to meet the whole tick. The 802.15.4 run would need
[[blind_round]] triggers; it has [[blind_sent]].

## What it looks like

![Latency over time: thin ramps, and a fall where the TCP run crosses the tick](../pictures/tick-beat-runs.png)

Dots are captured messages. The black line is the model with the run's own tick phase: the wait until the next tick,
plus the median of all that follows. Phase and drift are fitted, nothing else. The bars on the right reach from p5 to
p95 of what the same model gives when the trigger may come at any phase. Messages beyond the axis are left out.

- **802.15.4.** Two thin lines: blind at [[blind_captured]] ms, acknowledged at [[acked_captured]] ms. The
  acknowledgement accounts for [[ack_cost]] ms of the difference of [[ack_gap]] ms, the places of the tick for
  [[ack_waits]] ms. Either run could have been anywhere on its bar; phase-free the medians are [[blind_free]] and
  [[acked_free]] ms.
- **WebSocket.** 1024 B took [[large_captured]] ms and 12 B took [[small_captured]] ms. Larger messages are not
  faster: phase-free it is [[large_free]] against [[small_free]] ms.
- **TCP.** The run begins just before the end of a tick, crosses it, and all messages are 10 ms faster from then on.

## Where each run stood

![Which part of the 10 ms each run met: short bars, scattered over the whole tick](../pictures/tick-beat-phases.png)

[[told]] captures tell where the tick stood. Each met between [[least_met]] and [[most_met]] ms of the 10. In the other
[[untold]] that have a tick, something longer hides it: a connection interval, a beacon, or a measured tail. There the
fit explains less than [[explained]] of the latency, or drifts by more than the [[plausible]] ppm that crystals do.

The creep is a check that nobody planned. The [[esp32_runs]] runs of the ESP32 creep by [[esp32_ppm]] ppm against the
generator, whether they speak ESP-NOW, Bluetooth, TCP or WebSocket. The [[c6_runs]] runs of the ESP32-C6 creep by
[[c6_ppm]] ppm, with 802.15.4 and with WebSocket. Radios have no reason to agree; runs that share a crystal have one.

One check needs no model of the firmware. A blind 802.15.4 message of 12 B is on the air for [[blind_air]] ms, and the
fastest one captured took [[blind_fastest]] ms, tick included. With half a tick added, the phase-free median must lie
between [[blind_lowest]] and [[blind_highest]] ms. The model says [[blind_free]]; the run happened to show
[[blind_captured]].

## The ranking

- *Captured* is the run as published.
- *Phase-free* is the model with triggers at any phase of every gate. The next user should expect this of the same
  firmware.
- *Woken* is phase-free with `tick = none`, which means that the interrupt wakes the task.

The last two are predictions ([[samples]] messages each, seed [[seed]]).

![12 B: captured, phase-free and woken latency of every link](../pictures/tick-beat-ranking-12.png)

Thin lines reach from p5 to p95, thick ones from p25 to p75, and the mark is the median. On the right are the places by
captured, phase-free and woken median. A link without a tick has the second place twice. Places are in colour where
they differ by more than one.

Phase-free, at 12 B, these stood at least [[clearly]] before another link and are now at least as far behind it:

[[falls_12]]

This is how it would be if every ESP32 were woken by its interrupt (ESP-NOW's place
[rests on an assumption](#what-this-does-not-show)):

[[woken_12]]

Two more comparisons turn round or shrink. ESP-NOW in long range ([[far_captured]]) looked faster than ESP-NOW at 1
Mbit/s ([[near_captured]]); phase-free it is [[far_free]] against [[near_free]]. The ESP32-C6 looked
[[c6_ratio_captured]] times as fast as the ESP32 at WebSocket ([[c6_captured]] against [[small_captured]]);
[[c6_ratio_free]] times is what remains ([[c6_free]] against [[small_free]]).

At 1024 B most links take longer than a tick, and less changes:

![1024 B: captured, phase-free and woken latency of every link](../pictures/tick-beat-ranking-1024.png)

[[falls_1024]]

This is how it would be when woken:

[[woken_1024]]

The table has all medians. The column *fit* is the model with the phases of that run. A miss there is a warning, but a
hit is weak evidence where the phase was free to move. The column *place* has the places by captured, phase-free and
woken median.

[[table]]

## What this does not show

- *Woken* was measured by nobody. It leaves out only the tick in the sender's test program.
- In a frozen run the wait and the firmware's own time are one number. So such a capture by itself gives only two
  bounds of the phase-free median of 12 B. The lower one is half a tick plus the time on the air. The upper one is half
  a tick plus the captured median. The bounds are [[bounds]]. Within these the models place it by other evidence
  ([fidelity](fidelity.md)), ESP-NOW by an assumed [[firmware]] of firmware. So these orders are likely, not proven.
  Whatever the firmware takes, TCP stays behind the Pi. So does ESP-NOW in long range if its frames went at 250 kbit/s,
  which is open.
- ESP-NOW's first place when woken rests on the same [[firmware]]: [[second]] is only [[first_margin]] ms behind.
- TCP without power save, HC-05 and the Pi are shapes measured at that site; another site has others.
- [[tcp_too_early]] of the [[tcp_before]] TCP messages before the crossing are too fast for the tick, which is not
  explained.
- The nRF24 at 2 Mbit/s, TCP and UDP at other settings and all runs of 128 B are not in these orders.

The remedy is not ours. For the nRF52840 the author swept the trigger, from [[swept_least]] to [[swept_most]] ms. In
another run he took [[odd_interval]] ms, which meets [[odd_phases]] phases of the connection interval of 30 ms. These
medians, [[swept_captured]] and [[odd_captured]] ms, lie near the phase-free [[swept_free]].

## On your own bench

**Look at a capture that you have.** `frozen_phase` is the finding to watch for
([findings](findings.md)); with the link named, the phase is fitted:

```console
$ airwire analyze captures/esp-802154/12B-FaF.csv > found.txt
$ airwire explain captures/esp-802154/12B-FaF.csv --link esp32-802154 --set ack=off --changes 0 > phase.txt
```

**Dither the trigger** by the longest gate that you expect. If the generator cannot do that, take an interval that is
no simple multiple. For example [[golden]] ms meets [[golden_phases]] phases of a 10 ms tick where 200 ms meets one.

**Wake on the interrupt.** Let it notify the task (`vTaskNotifyGiveFromISR`, then `portYIELD_FROM_ISR`) instead of
leaving a note for a task that polls. Where that is not possible, `CONFIG_FREERTOS_HZ=1000` brings blind 802.15.4 at
12 B to [[fast_tick]] ms; woken it is [[blind_woken]].

**Try it without a board.** This suite has a run that is frozen at one phase. Beside it are dithered ones with a tick
of 10 ms, of 1 ms and with none:

```console
$ printf '%s\\n' 'samples = 1000' 'payloads = [12]' > tick.toml
$ printf '%s\\n' '[links.frozen]' 'link = "esp32-802154"' 'trigger = { kind = "fixed", period = "200 ms" }' >> tick.toml
$ printf '%s\\n' '[links.dithered]' 'link = "esp32-802154"' 'tick = ["10 ms", "1 ms", "none"]' >> tick.toml
$ airwire run tick.toml --out runs/tick --report tick.html > tick.txt
```

With another `--seed` the frozen median jumps; the dithered ones stay.
"""
