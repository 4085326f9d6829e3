/* Messages between two ranks, which the caller has put into displs. The others return at once, and wait in the
 * synchronisation after it. */
#include "variants.h"

enum { TAG = 2 };

/* The second request of a rank is in the room of counts, which messages have not. */
_Static_assert(sizeof(MPI_Request) <= 2 * sizeof(int), "a request needs more room than the counts of two processes");

static MPI_Request *receiving(const pg_ctx *x) { return (MPI_Request *)(void *)x->counts; }

/* The two, of which the first begins. */
static inline int begins(const pg_ctx *x) { return x->rank == x->displs[0]; }
static inline int takes_part(const pg_ctx *x) { return begins(x) || x->rank == x->displs[1]; }
static inline int other(const pg_ctx *x) { return x->displs[begins(x)]; }

static int prepare(pg_ctx *x)
{
    return x->size < 2 || x->displs[1] >= x->size ? PG_LACKS : pg_check_count(x->count);
}

static int send(pg_ctx *x) { return MPI_Send(x->send, (int)x->count, x->type, other(x), TAG, x->comm); }

static int receive(pg_ctx *x)
{
    return MPI_Recv(x->recv, (int)x->count, x->type, other(x), TAG, x->comm, MPI_STATUS_IGNORE);
}

static int synchronous(pg_ctx *x) { return MPI_Ssend(x->send, (int)x->count, x->type, other(x), TAG, x->comm); }

static int isend(pg_ctx *x)
{
    return pg_wait_for(x, MPI_Isend(x->send, (int)x->count, x->type, other(x), TAG, x->comm, &x->request));
}

static int irecv(pg_ctx *x)
{
    return pg_wait_for(x, MPI_Irecv(x->recv, (int)x->count, x->type, other(x), TAG, x->comm, &x->request));
}

static int start_send(pg_ctx *x) { return pg_wait_for(x, MPI_Start(&x->request)); }

static int start_receive(pg_ctx *x)
{
    int err = MPI_Start(receiving(x));
    return err == MPI_SUCCESS ? MPI_Wait(receiving(x), MPI_STATUS_IGNORE) : err;
}

/* The first sends and then receives, the second the other way round. */
static inline int ping_pong(pg_ctx *x, int (*out)(pg_ctx *), int (*in)(pg_ctx *))
{
    if (!takes_part(x))
        return MPI_SUCCESS;
    int err = begins(x) ? out(x) : in(x);
    return pg_first(err, begins(x) ? in(x) : out(x));
}

static int by_send(pg_ctx *x) { return ping_pong(x, send, receive); }
static int by_ssend(pg_ctx *x) { return ping_pong(x, synchronous, receive); }
static int by_isend(pg_ctx *x) { return ping_pong(x, isend, irecv); }
static int by_start(pg_ctx *x) { return ping_pong(x, start_send, start_receive); }

/* The identities (identity.c). */
static int psend(pg_ctx *x) { return PMPI_Send(x->send, (int)x->count, x->type, other(x), TAG, x->comm); }

static int preceive(pg_ctx *x)
{
    return PMPI_Recv(x->recv, (int)x->count, x->type, other(x), TAG, x->comm, MPI_STATUS_IGNORE);
}

static int by_psend(pg_ctx *x) { return ping_pong(x, psend, preceive); }

/* The messages of a stream (mockups/messages.go). */
enum { STREAM = 64 };

static int stream(pg_ctx *x)
{
    int err = MPI_SUCCESS;
    if (!takes_part(x))
        return err;
    for (int i = 0; i < STREAM && err == MPI_SUCCESS; i++)
        err = begins(x) ? send(x) : receive(x);
    if (err != MPI_SUCCESS)
        return err;
    return begins(x) ? MPI_Recv(NULL, 0, MPI_BYTE, other(x), TAG, x->comm, MPI_STATUS_IGNORE)
                     : MPI_Send(NULL, 0, MPI_BYTE, other(x), TAG, x->comm);
}

static int one_by_one(pg_ctx *x)
{
    int err = MPI_SUCCESS;
    for (int i = 0; i < STREAM / 2 && err == MPI_SUCCESS; i++)
        err = by_send(x);
    return err;
}

static int sendrecv(pg_ctx *x)
{
    if (!takes_part(x))
        return MPI_SUCCESS;
    int n = (int)x->count, peer = other(x);
    return MPI_Sendrecv(x->send, n, x->type, peer, TAG, x->recv, n, x->type, peer, TAG, x->comm,
                        MPI_STATUS_IGNORE);
}

static int psendrecv(pg_ctx *x)
{
    if (!takes_part(x))
        return MPI_SUCCESS;
    int n = (int)x->count, peer = other(x);
    return PMPI_Sendrecv(x->send, n, x->type, peer, TAG, x->recv, n, x->type, peer, TAG, x->comm,
                         MPI_STATUS_IGNORE);
}

static int isend_irecv(pg_ctx *x)
{
    if (!takes_part(x))
        return MPI_SUCCESS;
    int n = (int)x->count, peer = other(x);
    MPI_Request r[2];
    int err = MPI_Irecv(x->recv, n, x->type, peer, TAG, x->comm, &r[0]);
    if (err == MPI_SUCCESS)
        err = MPI_Isend(x->send, n, x->type, peer, TAG, x->comm, &r[1]);
    return err == MPI_SUCCESS ? pg_wait_all(2, r) : err;
}

static int make_requests(pg_ctx *x)
{
    int n = (int)x->count, err = prepare(x);
    if (err != MPI_SUCCESS || !takes_part(x))
        return err;
    int peer = other(x);
    err = MPI_Send_init(x->send, n, x->type, peer, TAG, x->comm, &x->request);
    return pg_first(err, MPI_Recv_init(x->recv, n, x->type, peer, TAG, x->comm, receiving(x)));
}

static void free_requests(pg_ctx *x)
{
    if (takes_part(x)) {
        MPI_Request_free(&x->request);
        MPI_Request_free(receiving(x));
    }
    pg_release(x);
}

const pg_function pg_messages[] = {
    {"MPI_Send", prepare, by_send, pg_release},
    {"MPI_Ssend", prepare, by_ssend, pg_release},
    {"MPI_Isend", prepare, by_isend, pg_release},
    {"MPI_Send_init", make_requests, by_start, free_requests},
    {"MPI_Send/stream", prepare, stream, pg_release},
    {"MPI_Send/one_by_one", prepare, one_by_one, pg_release},
    {"MPI_Sendrecv", prepare, sendrecv, pg_release},
    {"MPI_Sendrecv/isend+irecv", prepare, isend_irecv, pg_release},
    {"identity:MPI_Send", prepare, by_psend, pg_release},
    {"identity:MPI_Sendrecv", prepare, psendrecv, pg_release},
    {NULL},
};
