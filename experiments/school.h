/* experiment school: students of many schools, and how they are divided. */
#ifndef SCHOOL_H
#define SCHOOL_H

#include "experiment.h"

enum { SCHOOL_BITS = 19, SCHOOL_COLS = SCHOOL_BITS + 1 }; /* inputs of a student; then the school */
extern const char *const school_names[SCHOOL_COLS];

typedef struct students {
    int64_t n, schools;
    double *x, *y;  /* rows of bits and school; scores                              */
    int64_t *first; /* rows are sorted by school: where each begins, and the end */
} students;

typedef struct school_split {
    int64_t n; /* students of each role */
    double *x[EXP_ROLES], *y[EXP_ROLES];
} school_split;

int school_read(cli *c, students *s);
void school_keep(students *s, int64_t schools); /* the first of them, at most so many */
void school_free(students *s);
/* Three fifths of each school, one for each role, with the mean training score subtracted. */
void school_divide(const students *all, exp_random random, school_split *s);
void school_split_free(school_split *s);
/* The width of the kernel: the mean distance to the nearest fifth of the other training rows. */
double school_width(const school_split *s);

#endif
