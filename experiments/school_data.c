/* Students of many schools: reading them, dividing them, and the width of the kernel. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "school.h"

const char *const school_names[SCHOOL_COLS] = {"x1",  "x2",  "x3",  "x6",  "x7",  "x8",  "x9",
                                               "x10", "x11", "x12", "x13", "x14", "x15", "x16",
                                               "x17", "x18", "x19", "x20", "x21", "task"};

void school_free(students *s)
{
    free(s->x);
    free(s->y);
    free(s->first);
}

static int64_t column_named(const specreg_table *table, const char *name)
{
    for (int64_t k = 0; k < specreg_table_cols(table); k++)
        if (strcmp(specreg_table_name(table, k), name) == 0)
            return k;
    return -1;
}

/* The rows of a school must follow each other in the file. */
static int find_schools(const char *path, students *s)
{
    s->first = cli_alloc((size_t)s->n + 1, sizeof *s->first);
    for (int64_t i = 0; i < s->n; i++)
        if (i == 0 ||
            s->x[i * SCHOOL_COLS + SCHOOL_BITS] != s->x[(i - 1) * SCHOOL_COLS + SCHOOL_BITS])
            s->first[s->schools++] = i;
    s->first[s->schools] = s->n;
    for (int64_t k = 0; k < s->schools; k++)
        if (s->first[k + 1] - s->first[k] < 3)
            return cli_fail(CLI_FAILED, "%s: row %lld: a school needs 3 students in a row", path,
                            (long long)s->first[k] + 1);
    return s->schools ? CLI_OK : cli_fail(CLI_FAILED, "%s: no students", path);
}

static int take_students(const specreg_table *table, const char *path, students *s)
{
    s->n = specreg_table_rows(table);
    s->x = exp_zeros(s->n * SCHOOL_COLS);
    s->y = exp_zeros(s->n);
    for (int k = 0; k <= SCHOOL_COLS; k++) {
        const char *name = k < SCHOOL_COLS ? school_names[k] : "y";
        const int64_t from = column_named(table, name);
        if (from < 0)
            return cli_fail(CLI_FAILED, "%s: there is no column '%s'", path, name);
        for (int64_t i = 0; i < s->n; i++) {
            const double v = specreg_table_number(table, i, from);
            if (!isfinite(v))
                return cli_fail(CLI_FAILED, "%s: row %lld: column '%s' is not a number", path,
                                (long long)i + 1, name);
            *(k < SCHOOL_COLS ? &s->x[i * SCHOOL_COLS + k] : &s->y[i]) = v;
        }
    }
    return find_schools(path, s);
}

int school_read(cli *c, students *s)
{
    specreg_table *table = NULL;
    int rc = exp_check_data_folder(c);
    if (rc)
        return rc;
    char *path = cli_format("%s/school/school.csv.gz", exp_data_folder(c));
    rc = exp_check_file(path, "of the data");
    if (!rc)
        rc = cli_check(c, specreg_table_read(c->ctx, path, NULL, &table));
    if (!rc)
        rc = take_students(table, path, s);
    specreg_table_free(table);
    free(path);
    return rc;
}

void school_keep(students *s, int64_t schools)
{
    if (schools < s->schools) {
        s->schools = schools;
        s->n = s->first[schools];
    }
}

void school_split_free(school_split *s)
{
    for (int role = 0; role < EXP_ROLES; role++) {
        free(s->x[role]);
        free(s->y[role]);
    }
}

/* Each role gets ceil(n / 5) students of a school of n: 3124 of all schools. */
static void deal(const students *all, exp_random random, school_split *s)
{
    int64_t *order = cli_alloc((size_t)all->n, sizeof *order);
    *s = (school_split){0};
    for (int role = 0; role < EXP_ROLES; role++) {
        s->x[role] = exp_zeros(all->n * SCHOOL_COLS);
        s->y[role] = exp_zeros(all->n);
    }
    for (int64_t k = 0; k < all->schools; k++) {
        const int64_t size = all->first[k + 1] - all->first[k], share = (size + 4) / 5;
        for (int64_t i = 0; i < size; i++)
            order[i] = all->first[k] + i;
        exp_shuffle(&random, order, size);
        for (int64_t i = 0; i < 3 * share; i++) {
            const int64_t role = i / share, to = s->n + i % share;
            memcpy(s->x[role] + to * SCHOOL_COLS, all->x + order[i] * SCHOOL_COLS,
                   SCHOOL_COLS * sizeof(double));
            s->y[role][to] = all->y[order[i]];
        }
        s->n += share;
    }
    free(order);
}

/* The model has no constant: the mean training score is subtracted. */
static void centre(school_split *s)
{
    const double mean = exp_mean(s->y[EXP_TRAIN], s->n);
    for (int role = 0; role < EXP_ROLES; role++)
        for (int64_t i = 0; i < s->n; i++)
            s->y[role][i] -= mean;
}

void school_divide(const students *all, exp_random random, school_split *s)
{
    deal(all, random, s);
    centre(s);
}

/* Adds the distances from row i to the k nearest others to *sum.  `r2` is a workspace of n
 * numbers. */
static void add_nearest(const double *x, int64_t n, int64_t i, int64_t k, double *r2, double *sum)
{
    for (int64_t j = 0; j < n; j++) {
        r2[j] = 0.0;
        for (int b = 0; b < SCHOOL_BITS; b++) {
            const double d = x[i * SCHOOL_COLS + b] - x[j * SCHOOL_COLS + b];
            r2[j] += d * d;
        }
    }
    exp_sort(r2, n);
    for (int64_t j = 1; j <= k && j < n; j++) /* the first is the row itself */
        *sum += sqrt(r2[j]);
}

double school_width(const school_split *s)
{
    const int64_t n = s->n, k = n / 5 > 0 ? n / 5 : 1;
    double *r2 = exp_zeros(n), sum = 0.0;
    for (int64_t i = 0; i < n; i++)
        add_nearest(s->x[EXP_TRAIN], n, i, k, r2, &sum);
    free(r2);
    return sum / (double)(n * k);
}
