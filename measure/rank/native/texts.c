#include "rank.h"

int pg_text_lengths(pg_ctx *x, int length, int *all)
{
    return MPI_Gather(&length, 1, MPI_INT, all, 1, MPI_INT, 0, x->own);
}

int pg_texts(pg_ctx *x, const void *mine, int length, void *all, const int *lengths, const int *displs)
{
    return MPI_Gatherv(mine, length, MPI_BYTE, all, lengths, displs, MPI_BYTE, 0, x->own);
}
