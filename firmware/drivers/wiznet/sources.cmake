# The sources of the driver: AIRWIRE_WIZNET_DRIVER, and a table of facts for each chip, AIRWIRE_WIZNET_CHIPS.
set(AIRWIRE_WIZNET_DRIVER bus.c command.c macraw.c memory.c sockets.c wiznet.c)
set(AIRWIRE_WIZNET_CHIPS chips/w5100.c chips/w5100s.c chips/w5200.c chips/w5500.c chips/w6100.c)
list(TRANSFORM AIRWIRE_WIZNET_DRIVER PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
list(TRANSFORM AIRWIRE_WIZNET_CHIPS PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
