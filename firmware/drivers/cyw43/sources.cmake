# The sources of the driver: AIRWIRE_CYW43_DRIVER.
set(AIRWIRE_CYW43_DRIVER bus.c control.c frames.c start.c station.c)
list(TRANSFORM AIRWIRE_CYW43_DRIVER PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
