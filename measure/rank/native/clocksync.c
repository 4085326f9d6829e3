/* The exchanges that clock synchronisation is made of. Which rank talks to which,
 * and what follows from the readings, is decided in Go. */
#define _POSIX_C_SOURCE 200809L
#include "clock.h"

#include <stddef.h>
#include <time.h>

enum { TAG_ASK = 2, TAG_GIVE = 3 };

int pg_ask(pg_ctx *x, pg_clock *now, int ref, int n, int patience, pg_ping *out, int *done)
{
    int64_t shortest = INT64_MAX;
    int rc = MPI_SUCCESS, age = 0, last = 0;

    *done = 0;
    for (int i = 0; i < n && !last && rc == MPI_SUCCESS; i++) {
        last = i + 1 == n || (patience > 0 && age >= patience);
        out[i].sent = now();
        rc = MPI_Send(&last, 1, MPI_INT, ref, TAG_ASK, x->own);
        if (rc == MPI_SUCCESS)
            rc = MPI_Recv(&out[i].remote, 1, MPI_INT64_T, ref, TAG_ASK, x->own, MPI_STATUS_IGNORE);
        out[i].back = now();
        ++*done;
        age++;
        if (out[i].back - out[i].sent < shortest) {
            shortest = out[i].back - out[i].sent;
            age = 0;
        }
    }
    return rc;
}

int pg_answer(pg_ctx *x, pg_clock *now, const pg_model *m, int client)
{
    int rc = MPI_SUCCESS, last = 0;
    while (!last && rc == MPI_SUCCESS) {
        rc = MPI_Recv(&last, 1, MPI_INT, client, TAG_ASK, x->own, MPI_STATUS_IGNORE);
        int64_t t = pg_global(m, now());
        if (rc == MPI_SUCCESS)
            rc = MPI_Send(&t, 1, MPI_INT64_T, client, TAG_ASK, x->own);
    }
    return rc;
}

int pg_give(pg_ctx *x, int to, const void *data, int bytes)
{
    return MPI_Send(data, bytes, MPI_BYTE, to, TAG_GIVE, x->own);
}

int pg_take(pg_ctx *x, int from, void *data, int bytes)
{
    const struct timespec moment = {0, 20000};
    for (;;) {
        int there;
        int rc = MPI_Iprobe(from, TAG_GIVE, x->own, &there, MPI_STATUS_IGNORE);
        if (rc != MPI_SUCCESS)
            return rc;
        if (there)
            return MPI_Recv(data, bytes, MPI_BYTE, from, TAG_GIVE, x->own, MPI_STATUS_IGNORE);
        nanosleep(&moment, NULL);
    }
}
