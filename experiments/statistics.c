/* Means, deviations and medians; the angle between two fields. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment.h"

double *exp_zeros(int64_t count)
{
    return cli_alloc((size_t)count, sizeof(double));
}

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

void exp_sort(double *value, int64_t count)
{
    qsort(value, (size_t)count, sizeof *value, compare);
}

double exp_median(const double *value, int64_t count)
{
    double *sorted = exp_zeros(count);
    memcpy(sorted, value, (size_t)count * sizeof *sorted);
    exp_sort(sorted, count);
    const double median = 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]);
    free(sorted);
    return median;
}

/* By atan2 of the length of the cross product and the inner product: arccos would lose half the
 * digits of small angles. */
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
