# The sources of the reader of pages.
set(AIRWIRE_FSDATA_SOURCES ${CMAKE_CURRENT_LIST_DIR}/fsdata_image.c)
