# The sources of the HTTP server.
set(AIRWIRE_HTTP_SOURCES http_connection.c http_field.c http_form.c http_match.c http_request.c http_response.c
    http_run.c)
list(TRANSFORM AIRWIRE_HTTP_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
