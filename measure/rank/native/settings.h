/* The library's control variables, and which of them somebody has set. */
#ifndef PGMPI_SETTINGS_H
#define PGMPI_SETTINGS_H

#include <mpi.h>

enum { PG_SETTING_NAME = 128, PG_SETTING_TEXT = 1024 };

/* Who gave a variable its value. */
enum { PG_UNKNOWN_SOURCE, PG_AS_INSTALLED, PG_BY_ENVIRONMENT, PG_BY_FILE, PG_BY_ITSELF };

typedef struct pg_setting {
    char name[PG_SETTING_NAME];
    char value[PG_SETTING_TEXT]; /* as text, or "" if it has another type */
    char file[PG_SETTING_TEXT];  /* of PG_BY_FILE */
    int source;
} pg_setting;

/* Opens MPI_T and returns how many variables there are, or 0. */
int pg_settings_open(void);

/* Reads variable number i. Returns 0 if the library does not tell it. */
int pg_setting_at(int i, pg_setting *out);

/* Writes the value of a variable as text. Returns 0 if it has a type that is not known. */
int pg_read_value(MPI_T_cvar_handle handle, MPI_Datatype type, int count, char *text, int bytes);

/* Returns an MPI error code. */
int pg_settings_close(void);

#endif
