#include "plugin.h"

#include <dlfcn.h>

const pg_plugin *pg_load_plugin(const char *path, const char **error)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        *error = dlerror();
        return NULL;
    }
    const pg_plugin *found = dlsym(library, "pgmpi_plugin");
    *error = "it has no symbol pgmpi_plugin";
    return found;
}
