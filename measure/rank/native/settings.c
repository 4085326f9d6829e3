#define _GNU_SOURCE
#include "settings.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int pg_settings_open(void)
{
    int provided, n = 0;
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return 0;
    return MPI_T_cvar_get_num(&n) == MPI_SUCCESS ? n : 0;
}

int pg_settings_close(void)
{
    return MPI_T_finalize();
}

/* MPI_T tells no sources, and Open MPI's own functions do: they are the same from 1.7 to 6. */
typedef int (*find_by_name)(const char *name, int *index);
typedef int (*get_value)(int index, const void *value, int *source, const char **file);

static void source_of(pg_setting *s)
{
    static const int known[] = {PG_AS_INSTALLED, PG_BY_ENVIRONMENT, PG_BY_ENVIRONMENT, PG_BY_FILE, PG_BY_ITSELF, PG_BY_FILE};
    find_by_name find = (find_by_name)dlsym(RTLD_DEFAULT, "mca_base_var_find_by_name");
    get_value get = (get_value)dlsym(RTLD_DEFAULT, "mca_base_var_get_value");
    const char *file = NULL;
    const void *value = NULL;
    int index, source = -1;

    if (find == NULL || get == NULL || find(s->name, &index) != 0 || get(index, &value, &source, &file) != 0)
        return;
    if (source >= 0 && source < (int)(sizeof known / sizeof *known))
        s->source = known[source];
    if (s->source == PG_BY_FILE && file != NULL)
        snprintf(s->file, sizeof s->file, "%s", file);
}

int pg_read_value(MPI_T_cvar_handle handle, MPI_Datatype type, int count, char *text, int bytes)
{
    static char words[1 << 16];
    union {
        int i;
        unsigned u;
        char b;
        long long l;
    } number = {.l = 0}; /* room for any of them */
    double real;
    int rc;

    if (type == MPI_CHAR && count < (int)sizeof words) {
        memset(words, 0, sizeof words);
        rc = MPI_T_cvar_read(handle, words);
        snprintf(text, (size_t)bytes, "%.*s", bytes - 1, words);
        return rc == MPI_SUCCESS;
    }
    if (count != 1)
        return 0;
    if (type == MPI_DOUBLE) {
        rc = MPI_T_cvar_read(handle, &real);
        snprintf(text, (size_t)bytes, "%g", real);
        return rc == MPI_SUCCESS;
    }
    if ((rc = MPI_T_cvar_read(handle, &number)) != MPI_SUCCESS)
        return 0;
    long long whole = number.l;
    if (type == MPI_INT)
        whole = number.i;
    else if (type == MPI_UNSIGNED)
        whole = number.u;
    else if (type == MPI_C_BOOL)
        whole = number.b;
    else if (type != MPI_UNSIGNED_LONG && type != MPI_UNSIGNED_LONG_LONG && type != MPI_COUNT && type != MPI_LONG)
        return 0;
    snprintf(text, (size_t)bytes, "%lld", whole);
    return 1;
}

int pg_setting_at(int i, pg_setting *out)
{
    int verbosity, binding, scope, count, name_length = sizeof out->name, length = 0;
    MPI_Datatype type;
    MPI_T_enum items;
    MPI_T_cvar_handle handle;

    memset(out, 0, sizeof *out);
    if (MPI_T_cvar_get_info(i, out->name, &name_length, &verbosity, &type, &items, NULL, &length, &binding, &scope) != MPI_SUCCESS)
        return 0;
    source_of(out);
    if (binding != MPI_T_BIND_NO_OBJECT || MPI_T_cvar_handle_alloc(i, NULL, &handle, &count) != MPI_SUCCESS)
        return 1;
    if (!pg_read_value(handle, type, count, out->value, sizeof out->value))
        out->value[0] = 0;
    MPI_T_cvar_handle_free(&handle);
    return 1;
}
