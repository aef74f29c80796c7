/* Means and medians, angles between fields, and what becomes of the claims of a paper. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "experiment.h"

double exp_mean(const double *value, int64_t count)
{
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++)
        sum += value[i];
    return sum / (double)count;
}

double exp_stddev(const double *value, int64_t count)
{
    const double mean = exp_mean(value, count);
    double squares = 0.0;
    for (int64_t i = 0; i < count; i++)
        squares += (value[i] - mean) * (value[i] - mean);
    return count > 1 ? sqrt(squares / (double)(count - 1)) : 0.0;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double exp_median(const double *value, int64_t count)
{
    double *sorted = cli_alloc((size_t)count, sizeof *sorted);
    memcpy(sorted, value, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare);
    const double median = 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]);
    free(sorted);
    return median;
}

/* By atan2 of the cross and the inner product: arccos loses half the digits of small angles. */
double exp_angle(const double *v, const double *w, int64_t count)
{
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++) {
        const double *a = v + 2 * i, *b = w + 2 * i;
        const double x = a[1] - b[1], y = b[0] - a[0], z = a[0] * b[1] - a[1] * b[0];
        sum += atan2(sqrt(x * x + y * y + z * z), a[0] * b[0] + a[1] * b[1] + 1.0);
    }
    return sum / (double)count * (180.0 / 3.14159265358979323846);
}

json_t *exp_numbers(const double *value, int64_t count)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < count; i++)
        json_array_append_new(list, isfinite(value[i]) ? json_real(value[i]) : json_null());
    return list;
}

/* -------------------------------------------------------------------- claims */

exp_claims exp_claims_new(const cli *c)
{
    return (exp_claims){.list = json_array(), .show = c->show};
}

void exp_claim(exp_claims *claims, bool holds, const char *paper, const char *format, ...)
{
    va_list args;
    char here[256];
    va_start(args, format);
    vsnprintf(here, sizeof here, format, args);
    va_end(args);
    if (claims->show)
        printf("%-13s %s: %s\n", holds ? "holds" : "does not hold", paper, here);
    claims->held += holds;
    json_array_append_new(claims->list, json_pack("{s:s, s:s, s:b}", "paper", paper, "here", here,
                                                  "holds", (int)holds));
}

int exp_finish(cli *c, const char *name, const exp_request *request, exp_claims *claims,
               json_t *body, const cli_columns *columns)
{
    const int count = (int)json_array_size(claims->list);
    if (claims->show)
        printf("%d of %d claims hold\n", claims->held, count);
    json_t *record = json_pack("{s:s, s:s, s:s, s:I, s:i}", "specreg", specreg_version(), "command",
                               "experiment", "experiment", name, "seed", (json_int_t)request->seed,
                               "repeats", request->repeats);
    json_object_update(record, body);
    json_object_set_new(record, "claims", claims->list);
    json_decref(body);
    int rc = cli_emit_record(c, record);
    if (!rc && columns && c->value[CLI_OUTPUT])
        rc = cli_columns_write(c, columns, c->value[CLI_OUTPUT]);
    return rc;
}
