/* What iterations have in common. */
#include "filter/filter.h"

double sri_filter_eval_steps(const sri_filter *filter, double last)
{
    const sri_iteration *it = filter->ops->iteration;
    return it && !(it->has_formula && it->has_formula(filter)) ? last : 0;
}

/* With a = g_i and e = r_i = 1 - s g_i, R is e.  Both are recurred: 1 - s a would cancel. */
void sri_iteration_eval(const sri_filter *self, double s, const double *t, int64_t count, double *g,
                        double *r)
{
    const sri_iteration *it = self->ops->iteration;
    const double most = it->largest_step(self) / self->step;
    double a = 0, a_before = 0, e = 1, e_before = 1;
    int64_t next = 0;
    if (s > most)
        s = most; /* by rounding */
    for (int64_t i = 1; next < count; i++) {
        const sri_step c = it->recurrence(self, i);
        const double ahead = e + c.v * (e - e_before);
        const double a_new = a + c.u * (a - a_before) + c.w * ahead;
        const double e_new = e + c.u * (e - e_before) - c.w * s * ahead;
        a_before = a;
        e_before = e;
        a = a_new;
        e = e_new;
        for (; next < count && t[next] <= (double)i; next++) {
            g[next] = a;
            r[next] = e;
        }
    }
}

void sri_look_ahead(int64_t count, double v, double *R, double *before)
{
    for (int64_t k = 0; k < count; k++) {
        const double now = R[k];
        R[k] = now + v * (now - before[k]);
        before[k] = now;
    }
}
