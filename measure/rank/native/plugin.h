/* Shared libraries with mock-ups of the user's own. */
#ifndef PGMPI_PLUGIN_H
#define PGMPI_PLUGIN_H

#include "mockups.h"

/* Loads a shared library, whose path has a slash, and finds its pgmpi_plugin. Returns NULL if that
 * fails; then *error says why, until the next call. Nobody else sees the library's symbols. */
const pg_plugin *pg_load_plugin(const char *path, const char **error);

#endif
