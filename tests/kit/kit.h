/* The test kit: claims with names, checks with good messages, a few helpers, over cmocka.
 *
 *     #include "kit/kit.h"
 *
 *     TEST(rng, same_seed_gives_the_same_numbers)
 *     {
 *         CHECK_OK(ctx, sri_something(ctx, ...));      // ctx: a fresh context for each test
 *         CHECK_NEAR(x, 0.5, kit_tolerance(n, 1.0));
 *     }
 *
 * There is no main() to write and no list to keep.  The files of a folder are one program:
 * `./unit test_rng` runs every TEST of unit/test_rng.c, `./unit test_rng same_seed` those whose
 * name contains the word. */
#ifndef KIT_H
#define KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "specreg/specreg.h"

#define TEST(suite, claim)                                                    \
    static void test_##suite##_##claim(specreg_context *ctx);                 \
    __attribute__((constructor)) static void register_##suite##_##claim(void) \
    {                                                                         \
        kit_register(__FILE__, #suite "." #claim, test_##suite##_##claim);    \
    }                                                                         \
    static void test_##suite##_##claim(__attribute__((unused)) specreg_context *ctx)

/* ------------------------------------------------------------------ checks */
#define CHECK(cond)                                              \
    do {                                                         \
        if (!(cond))                                             \
            kit_fail(__FILE__, __LINE__, "not true: %s", #cond); \
    } while (0)
#define CHECK_EQ(got, expected) \
    kit_check_eq(__FILE__, __LINE__, #got, (long long)(got), (long long)(expected))
/* Doubles that must agree in every bit (NaN equals NaN). */
#define CHECK_SAME(got, expected) kit_check_same(__FILE__, __LINE__, #got, (got), (expected))
/* |got - expected| <= tol * max(1, |expected|) */
#define CHECK_NEAR(got, expected, tol) \
    kit_check_near(__FILE__, __LINE__, #got, (got), (expected), (tol))
/* The same for arrays, in the largest entry: max|got - expected| <= tol * max(1, max|expected|) */
#define CHECK_ARRAY_NEAR(got, expected, count, tol) \
    kit_check_array(__FILE__, __LINE__, #got, (got), (expected), (count), (tol))
#define CHECK_STR(got, expected) kit_check_str(__FILE__, __LINE__, #got, (got), (expected))
#define CHECK_HAS(text, part) kit_check_has(__FILE__, __LINE__, #text, (text), (part))
/* A call that must succeed; the context's own text is shown when it does not. */
#define CHECK_OK(ctx, call) kit_check_status(__FILE__, __LINE__, #call, (ctx), (call), SPECREG_OK)
/* A call that must fail with this status and say this. */
#define CHECK_FAILS(ctx, call, status, part)                                                  \
    do {                                                                                      \
        kit_check_status(__FILE__, __LINE__, #call, (ctx), (call), (status));                 \
        kit_check_has(__FILE__, __LINE__, "the error text", specreg_last_error(ctx), (part)); \
    } while (0)

/* ----------------------------------------------------------------- helpers */

/* Rounding of a sum of n terms amplified by a condition number: 8 n eps cond. */
double kit_tolerance(int64_t n, double cond);
/* max |a - b| */
double kit_distance(const double *a, const double *b, int64_t count);

/* rows x cols numbers that depend on the seed only; not the library's generator.  free() them. */
/* No samples and no short cuts, as in `make test-all`. */
bool kit_whole(void);

double *kit_uniform(uint64_t seed, int64_t rows, int64_t cols); /* in [0, 1) */
double *kit_normal(uint64_t seed, int64_t rows, int64_t cols);

/* A path in a scratch folder that is removed when the program ends; valid until 16 calls later. */
const char *kit_temp(const char *name);
/* Writes a text there and returns its path. */
const char *kit_temp_file(const char *name, const char *text);
/* All of a file, NUL-terminated; NULL when there is none.  free() it. */
char *kit_read_file(const char *path);
/* How many entries the scratch folder has (to see that nothing is left behind). */
int kit_temp_count(void);

/* A file of the shared data sets, under $SPECREG_DATA; skips the test with a line when absent. */
const char *kit_data(const char *name);
/* Skips the test and says why. */
#define KIT_SKIP(why)       \
    do {                    \
        kit_note_skip(why); \
        skip();             \
    } while (0)

/* OpenBLAS's count of threads, whether it was named at building or stands behind libblas.  Another
 * library has none: what was set is read again. */
bool kit_has_openblas(void);
int kit_blas_threads(void);
void kit_set_blas_threads(int threads);

/* Checks error <= bound and keeps the worst of each name; the program ends with the table
 *     observed worst error            error       bound       share
 * so that a reader sees how close to its bound each claim comes. */
#define CHECK_WORST(name, error, bound) kit_worst(__FILE__, __LINE__, (name), (error), (bound))

/* ------------------------------------------------- behind the macros above */
void kit_register(const char *file, const char *name, void (*function)(specreg_context *));
void kit_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4), noreturn));
void kit_check_eq(const char *file, int line, const char *what, long long got, long long expected);
void kit_check_same(const char *file, int line, const char *what, double got, double expected);
void kit_check_near(const char *file, int line, const char *what, double got, double expected,
                    double tol);
void kit_check_array(const char *file, int line, const char *what, const double *got,
                     const double *expected, int64_t count, double tol);
void kit_check_str(const char *file, int line, const char *what, const char *got,
                   const char *expected);
void kit_check_has(const char *file, int line, const char *what, const char *text,
                   const char *part);
void kit_check_status(const char *file, int line, const char *what, specreg_context *ctx,
                      specreg_status got, specreg_status expected);
void kit_worst(const char *file, int line, const char *name, double error, double bound);
void kit_note_skip(const char *why);
void kit_print_worst(void);
int kit_skipped(void);

/* A given full symmetric matrix, kept by reference, as an operator; see op/op.h. */
struct sri_op;
specreg_status kit_op_matrix(specreg_context *ctx, const double *K, int64_t n, struct sri_op **out);

#endif
