/* Algorithms with faults, for tests. */
#ifndef PGMPI_FAULTY_H
#define PGMPI_FAULTY_H

#include "mockups.h"

const pg_function *pg_wrong_algorithm(void);
const pg_function *pg_hanging_algorithm(void);
const pg_function *pg_crashing_algorithm(void);

#endif
