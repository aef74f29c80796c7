/* Four related functions and samples of them. */
#include "related.h"

#include <math.h>
#include <stdlib.h>

static const double noise = 0.1; /* the deviation: variance 0.01 */

/* The weights of the three Gaussians.  The paper plots the functions but does not give the numbers;
 * these were chosen after six settings had been tried, see docs/EXPERIMENTS.md. */
static const double weight[RELATED_TASKS][3] = {
    {0.7, -0.4, 0.4},
    {-0.4, 0.7, -0.7},
    {0.4, 0.4, 0.7},
    {-0.7, -0.7, 0.4},
};

/* sin(2 pi x) + 0.6 (a sum of Gaussians of width 0.1). */
static double target(int task, double x)
{
    static const double centre[3] = {0.05, 0.4, 0.7};
    double local = 0.0;
    for (int k = 0; k < 3; k++) {
        const double u = (x - centre[k]) / 0.1;
        local += weight[task][k] * exp(-0.5 * u * u);
    }
    return sin(2.0 * 3.14159265358979323846 * x) + 0.6 * local;
}

/* ---------------------------------------------------------------------- samples */

related_sample related_draw(exp_random random, int64_t n, bool same)
{
    related_sample s = {.n = n,
                        .x = exp_zeros(RELATED_TASKS * n),
                        .y = exp_zeros(RELATED_TASKS * n)};
    for (int64_t i = 0; i < RELATED_TASKS * n; i++)
        s.x[i] = same && i >= n ? s.x[i - n] : exp_uniform(&random);
    for (int64_t i = 0; i < RELATED_TASKS * n; i++)
        s.y[i] = target((int)(i / n), s.x[i]) + noise * exp_normal(&random);
    return s;
}

void related_free(related_sample *s)
{
    free(s->x);
    free(s->y);
}

int related_tasks(cli *c, const related_sample *s, specreg_table **out)
{
    static const char *const names[] = {"x", "task"}, *const y[] = {"y"};
    double *x = exp_zeros(2 * RELATED_TASKS * s->n);
    for (int64_t i = 0; i < RELATED_TASKS * s->n; i++) {
        x[2 * i] = s->x[i];
        x[2 * i + 1] = (double)(i / s->n + 1);
    }
    const int rc = exp_table(c, RELATED_TASKS * s->n, (exp_columns){x, 2, names},
                             (exp_columns){s->y, 1, y}, out);
    free(x);
    return rc;
}

int related_vectors(cli *c, const related_sample *s, specreg_table **out)
{
    static const char *const names[] = {"x"}, *const targets[] = {"y1", "y2", "y3", "y4"};
    double *y = exp_zeros(RELATED_TASKS * s->n);
    for (int64_t i = 0; i < RELATED_TASKS * s->n; i++)
        y[i % s->n * RELATED_TASKS + i / s->n] = s->y[i];
    const int rc = exp_table(c, s->n, (exp_columns){s->x, 1, names},
                             (exp_columns){y, RELATED_TASKS, targets}, out);
    free(y);
    return rc;
}
