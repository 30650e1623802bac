# The stopwatch for a bare Pico, and what it is tested with. 125 MHz, so that a cycle is 8 ns.
set(STOPWATCH apps/stopwatch/stopwatch.c apps/stopwatch/commands.c apps/stopwatch/edges.c apps/stopwatch/schedule.c
              apps/stopwatch/stream.c common/crc32.c ${PORT}/sampler.c ${PORT}/pattern_generator.c
              ${PORT}/usb/serial.c ${PORT}/usb/control.c ${PORT}/usb/descriptors.c)
set_source_files_properties(${PORT}/clock.c PROPERTIES COMPILE_DEFINITIONS SYSTEM_HZ=125000000u)
airwire_image(stopwatch-usb SOURCES ${STOPWATCH} OPTIMISE -O2 IN_RAM)
airwire_image(trigger_reply-gpio SOURCES apps/trigger_reply/trigger_reply.c OPTIMISE -O2 IN_RAM)
