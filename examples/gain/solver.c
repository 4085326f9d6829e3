/* Three ways to spend time in an MPI program.
 *
 *     solver halo N STEPS      a rod of N points for each rank: neighbours exchange their ends, all
 *                              ranks the residual
 *     solver columns N STEPS   a matrix whose columns are divided among the ranks: each adds its
 *                              part to N elements for every rank
 *     solver prefix N STEPS    N sums over the ranks before each and itself
 *
 * Rank 0 prints a checksum. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static double halo(int n, int steps)
{
    double *old = calloc((size_t)n + 2, sizeof *old), *new = calloc((size_t)n + 2, sizeof *new), residual = 0;
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    old[n / 2] = rank + 1;
    for (int step = 0; step < steps; step++) {
        MPI_Sendrecv(&old[1], 1, MPI_DOUBLE, left, 0, &old[n + 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&old[n], 1, MPI_DOUBLE, right, 0, &old[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        double mine = 0;
        for (int i = 1; i <= n; i++) {
            new[i] = .25 * old[i - 1] + .5 * old[i] + .25 * old[i + 1];
            mine += (new[i] - old[i]) * (new[i] - old[i]);
        }
        MPI_Allreduce(&mine, &residual, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        double *last = old;
        old = new, new = last;
    }
    free(old), free(new);
    return residual;
}

static double columns(int n, int steps)
{
    size_t all = (size_t)n * (size_t)size;
    double *part = malloc(all * sizeof *part), *mine = malloc((size_t)n * sizeof *mine), sum = 0;
    for (size_t i = 0; i < all; i++)
        part[i] = (double)(i % 7) + rank;
    for (int step = 0; step < steps; step++) {
        for (size_t i = 0; i < all; i++)
            part[i] = .5 * part[i] + rank;
        MPI_Reduce_scatter_block(part, mine, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        sum += mine[step % n];
    }
    free(part), free(mine);
    return sum;
}

static double prefix(int n, int steps)
{
    double *mine = malloc((size_t)n * sizeof *mine), *before = calloc((size_t)n, sizeof *before), sum = 0;
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < n; i++)
            mine[i] = .5 * before[i] + i % 7 + step % 3;
        MPI_Scan(mine, before, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        sum += before[step % n];
    }
    free(mine), free(before);
    return sum;
}

static const struct {
    const char *name;
    double (*run)(int, int);
} modes[] = {{"halo", halo}, {"columns", columns}, {"prefix", prefix}};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 2 ? atoi(argv[2]) : 1000, steps = argc > 3 ? atoi(argv[3]) : 100;
    double (*run)(int, int) = NULL;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (argc > 1 && strcmp(argv[1], modes[i].name) == 0)
            run = modes[i].run;
    if (run == NULL || n < 1 || steps < 0) {
        if (rank == 0)
            fprintf(stderr, "usage: solver halo|columns|prefix N STEPS\n");
        MPI_Finalize();
        return 2;
    }
    double sum = run(n, steps);
    if (rank == 0)
        printf("%.12g\n", sum);
    MPI_Finalize();
    return 0;
}
