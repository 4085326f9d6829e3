/* Programs that a library which counts their calls must not change, nor be misled by.
 *
 *     odd covered    writes over its arguments and environment, as setproctitle does
 *     odd _exit      ends by _exit
 *     odd stack      a thread with the least stack gets the signals at which a part is written
 *     odd fork       a forked child is told to end
 *     odd kinds N    Bcast of 1 to N bytes */
#define _GNU_SOURCE
#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;
static pid_t own;

/* In place of the C library's: a child that sleeps at its end is seen by its exit code. */
int nanosleep(const struct timespec *t, struct timespec *left)
{
    if (own != 0 && getpid() != own)
        _exit(77);
    return clock_nanosleep(CLOCK_REALTIME, 0, t, left);
}

static void cover(int argc, char **argv)
{
    char *end = argv[argc - 1] + strlen(argv[argc - 1]);
    int n = 0;
    for (; environ[n] != NULL; n++)
        if (environ[n] == end + 1)
            end = environ[n] + strlen(environ[n]);
    char **copy = calloc((size_t)n + 1, sizeof *copy);
    for (int i = 0; i < n; i++)
        copy[i] = strdup(environ[i]);
    environ = copy;
    memset(argv[0], 't', (size_t)(end - argv[0]));
}

static void *idle(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static void with_little_stack(void)
{
    pthread_t t;
    pthread_attr_t a;
    pthread_attr_init(&a);
    pthread_attr_setstacksize(&a, PTHREAD_STACK_MIN);
    pthread_create(&t, &a, idle, NULL);
    for (int i = 0; i < 20; i++) {
        pthread_kill(t, i % 2 ? SIGUSR2 : SIGCONT);
        usleep(2000);
    }
}

static void end_child(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        idle(NULL);
    kill(child, SIGTERM);
    waitpid(child, &status, 0);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGTERM)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    char what[16], *buffer;
    int kinds = argc > 2 ? atoi(argv[2]) : 0, x = 1, y;
    snprintf(what, sizeof what, "%s", argv[1]);
    if (strcmp(what, "covered") == 0)
        cover(argc, argv);
    MPI_Init(NULL, NULL);
    own = getpid();
    buffer = calloc(1, (size_t)kinds + 1);
    for (int n = 1; n <= kinds; n++)
        MPI_Bcast(buffer, n, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (strcmp(what, "_exit") == 0)
        _exit(0);
    if (strcmp(what, "stack") == 0)
        with_little_stack();
    if (strcmp(what, "fork") == 0)
        end_child();
    MPI_Finalize();
    return 0;
}
