#include "algorithms.h"

#include "settings.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pg_forced {
    MPI_T_cvar_handle handle;
    int value;
    MPI_Comm comm; /* made under the value, or MPI_COMM_NULL if the value holds in every call */
    struct pg_forced *next;
};

static pg_forced *all;
static int started;

static int start(void)
{
    int provided, rc = started ? MPI_SUCCESS : MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    started = started || rc == MPI_SUCCESS;
    return rc;
}

/* Finds the control variable of a collective. Returns 0 if there is none. */
static int find(const char *collective, char *variable, int *index, int *per_communicator)
{
    char upper[PG_NAME] = "";
    for (int i = 0; collective[i] != 0 && i < PG_NAME - 1; i++)
        upper[i] = (char)toupper((unsigned char)collective[i]);
    *per_communicator = 1;
    snprintf(variable, PG_NAME, "coll_tuned_%s_algorithm", collective);
    if (MPI_T_cvar_get_index(variable, index) == MPI_SUCCESS)
        return 1;
    *per_communicator = 0;
    snprintf(variable, PG_NAME, "MPIR_CVAR_%.80s_INTRA_ALGORITHM", upper);
    if (MPI_T_cvar_get_index(variable, index) == MPI_SUCCESS)
        return 1;
    variable[0] = 0;
    return 0;
}

static void add(pg_algorithms *out, const char *name, int length, int value)
{
    if (out->n == PG_ALGORITHMS || value == PG_DEFAULT)
        return;
    pg_algorithm *a = &out->of[out->n++];
    snprintf(a->name, sizeof a->name, "%.*s", length, name);
    a->value = value;
}

static int from_enum(MPI_T_enum items, pg_algorithms *out)
{
    char name[PG_NAME];
    int n, length = sizeof name, rc = MPI_T_enum_get_info(items, &n, name, &length);
    for (int i = 0; i < n && rc == MPI_SUCCESS; i++) {
        int value;
        length = sizeof name;
        rc = MPI_T_enum_get_item(items, i, &value, name, &length);
        if (rc == MPI_SUCCESS)
            add(out, name, (int)strlen(name), value);
    }
    return rc;
}

int pg_list_algorithms(const char *collective, pg_algorithms *out)
{
    char name[PG_NAME];
    int index, per_communicator, verbosity, binding, scope, count, name_length = sizeof name, length = sizeof out->text;
    MPI_Datatype type;
    MPI_T_enum items;
    MPI_T_cvar_handle handle;

    memset(out, 0, sizeof *out);
    int rc = start();
    if (rc != MPI_SUCCESS || !find(collective, out->variable, &index, &per_communicator))
        return rc;
    rc = MPI_T_cvar_get_info(index, name, &name_length, &verbosity, &type, &items, out->text, &length, &binding, &scope);
    out->fixed = scope == MPI_T_SCOPE_CONSTANT || scope == MPI_T_SCOPE_READONLY;
    if (rc == MPI_SUCCESS && type == MPI_INT && items != MPI_T_ENUM_NULL) {
        out->text[0] = 0;
        rc = from_enum(items, out);
    }
    if (rc == MPI_SUCCESS && type == MPI_INT && (rc = MPI_T_cvar_handle_alloc(index, NULL, &handle, &count)) == MPI_SUCCESS) {
        rc = MPI_T_cvar_read(handle, &out->now);
        MPI_T_cvar_handle_free(&handle);
    }
    return rc;
}

int pg_read_variable(const char *name, char *text, int bytes)
{
    char own[PG_NAME];
    int index, verbosity, binding, scope, count, name_length = sizeof own, length = 0;
    MPI_Datatype type;
    MPI_T_enum items;
    MPI_T_cvar_handle handle;

    text[0] = 0;
    if (start() != MPI_SUCCESS || MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
        MPI_T_cvar_get_info(index, own, &name_length, &verbosity, &type, &items, NULL, &length, &binding, &scope) != MPI_SUCCESS ||
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
        return 0;
    int read = pg_read_value(handle, type, count, text, bytes);
    MPI_T_cvar_handle_free(&handle);
    return read;
}

static int write_value(const pg_forced *f, int value)
{
    return MPI_T_cvar_write(f->handle, &value);
}

/* Writes a value, and sees that it is there: times of the default must not come under
 * another name. */
static int set_value(const pg_forced *f, int value)
{
    int now = ~value, rc = write_value(f, value);
    if (rc == MPI_SUCCESS)
        rc = MPI_T_cvar_read(f->handle, &now);
    return rc == MPI_SUCCESS && now != value ? MPI_T_ERR_CVAR_SET_NEVER : rc;
}

/* Writes a parameter of a collective's algorithms, if it is wanted, and gives back what was there. */
static int set_parameter(const char *collective, const char *name, int wanted, int value, int *before)
{
    char variable[PG_NAME];
    int index, count;
    MPI_T_cvar_handle handle;
    if (!wanted)
        return MPI_SUCCESS;
    snprintf(variable, PG_NAME, "coll_tuned_%.80s_algorithm_%s", collective, name);
    int rc = MPI_T_cvar_get_index(variable, &index);
    if (rc == MPI_SUCCESS)
        rc = MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
    if (rc != MPI_SUCCESS)
        return rc;
    if (before != NULL)
        rc = MPI_T_cvar_read(handle, before);
    if (rc == MPI_SUCCESS)
        rc = MPI_T_cvar_write(handle, &value);
    MPI_T_cvar_handle_free(&handle);
    return rc;
}

/* A communicator whose collectives coll/tuned chooses: from 5.0 on Open MPI gives one on several
 * nodes to "han", which looks at no variable of tuned's. */
static int dup_for_tuned(MPI_Comm from, MPI_Comm *to)
{
    MPI_Info info;
    int rc = MPI_Info_create(&info);
    if (rc != MPI_SUCCESS)
        return rc;
    rc = pg_first(rc, MPI_Info_set(info, "ompi_comm_coll_preference", "^han"));
    rc = pg_first(rc, MPI_Comm_dup_with_info(from, info, to));
    return pg_first(rc, MPI_Info_free(&info));
}

int pg_make_forced(pg_ctx *x, const char *collective, int value, int segment, int fanout, pg_forced **out)
{
    char variable[PG_NAME];
    int index, per_communicator, count, segment_before = 0, fanout_before = 0, rc = start();
    if (rc != MPI_SUCCESS)
        return rc;
    pg_forced *f = calloc(1, sizeof *f);
    if (f == NULL)
        return MPI_ERR_NO_MEM;
    f->value = value;
    f->comm = MPI_COMM_NULL;
    if (!find(collective, variable, &index, &per_communicator)) {
        free(f);
        *out = NULL;
        return value == PG_DEFAULT ? MPI_SUCCESS : MPI_ERR_ARG;
    }
    rc = MPI_T_cvar_handle_alloc(index, NULL, &f->handle, &count);
    if (rc != MPI_SUCCESS) {
        free(f);
        return rc;
    }
    f->next = all;
    all = *out = f;
    rc = set_value(f, value);
    rc = pg_first(rc, set_parameter(collective, "segmentsize", segment, segment, &segment_before));
    rc = pg_first(rc, set_parameter(collective, "chain_fanout", fanout, fanout, &fanout_before));
    if (per_communicator) /* all ranks do, also one whose value is not there */
        rc = pg_first(rc, value == PG_DEFAULT ? MPI_Comm_dup(x->own, &f->comm) : dup_for_tuned(x->own, &f->comm));
    rc = pg_first(rc, set_value(f, PG_DEFAULT));
    rc = pg_first(rc, set_parameter(collective, "segmentsize", segment, segment_before, NULL));
    rc = pg_first(rc, set_parameter(collective, "chain_fanout", fanout, fanout_before, NULL));
    if (f->comm != MPI_COMM_NULL)
        rc = pg_first(rc, MPI_Comm_set_errhandler(f->comm, MPI_ERRORS_RETURN));
    return rc;
}

static MPI_Comm calls_on; /* where no algorithm has a communicator of its own */

void pg_calls_on(MPI_Comm comm) { calls_on = comm; }

void pg_choose_forced(pg_ctx *x, const pg_forced *forced)
{
    int own_comm = forced != NULL && forced->comm != MPI_COMM_NULL;
    x->comm = own_comm ? forced->comm : calls_on;
    x->forced = own_comm ? NULL : forced;
}

int pg_force(const pg_ctx *x)
{
    return x->forced != NULL ? write_value(x->forced, x->forced->value) : MPI_SUCCESS;
}

int pg_unforce(const pg_ctx *x)
{
    return x->forced != NULL ? write_value(x->forced, PG_DEFAULT) : MPI_SUCCESS;
}

int pg_algorithms_done(void)
{
    int rc = MPI_SUCCESS;
    while (all != NULL && rc == MPI_SUCCESS) {
        pg_forced *f = all;
        all = f->next;
        if (f->comm != MPI_COMM_NULL)
            rc = MPI_Comm_free(&f->comm);
        MPI_T_cvar_handle_free(&f->handle);
        free(f);
    }
    if (started && rc == MPI_SUCCESS)
        rc = MPI_T_finalize();
    started = 0;
    return rc;
}
