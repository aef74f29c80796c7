#include "measure/calibration.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"

/* A slope of its own is drawn to the common one by PRIOR/2 (a / common - 1)^2: it may differ by a
 * third or so before the rows have to insist, and a class that seldom wins keeps the common one. */
static const double PRIOR = 10;
static const double LEAST = 1e-12; /* probability of any class */
static const double HUGE_SCORE = 1e100;

/* As sri_decode has it: ties go to the class that comes first. */
static int64_t winner_of(const double *s, int64_t k)
{
    int64_t best = 0;
    for (int64_t c = 1; c < k; c++)
        if (s[c] > s[best])
            best = c;
    return best;
}

static bool is_usable(const double *s, int64_t k)
{
    for (int64_t c = 0; c < k; c++)
        if (!(fabs(s[c]) < HUGE_SCORE))
            return false;
    return true;
}

typedef struct problem {
    const double *scores; /* n x k                           */
    const int32_t *classes;
    int64_t n, k;
    double *weight; /* n, mean 1; 0: left out          */
    double *truth;  /* k: the target of the true class */
    double spread;  /* of the scores about the winner's: the scale of 1/slope */
} problem;

/* Platt's targets: for the true class of m rows not 1 but (m + 1) / (m + 2), the rest spread evenly
 * over the others.  They keep the slope of separable rows finite. */
static void fill_targets(problem *p)
{
    memset(p->truth, 0, (size_t)p->k * sizeof *p->truth);
    for (int64_t i = 0; i < p->n; i++)
        if (p->weight[i] > 0)
            p->truth[p->classes[i]] += p->weight[i];
    for (int64_t c = 0; c < p->k; c++)
        p->truth[c] = (p->truth[c] + 1) / (p->truth[c] + 2);
}

/* Weights of mean 1 for the rows that take part, whose number is returned; and the spread. */
static int64_t fill_weights(problem *p, const double *given)
{
    int64_t count = 0;
    double sum = 0, square = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const double w = given ? given[i] : 1;
        const bool takes_part = w > 0 && isfinite(w) && p->classes[i] >= 0 &&
                                p->classes[i] < p->k && is_usable(p->scores + i * p->k, p->k);
        p->weight[i] = takes_part ? w : 0;
        sum += p->weight[i];
        count += takes_part;
    }
    for (int64_t i = 0; i < p->n && count; i++) {
        const double *s = p->scores + i * p->k, best = s[winner_of(s, p->k)];
        p->weight[i] *= (double)count / sum;
        for (int64_t c = 0; c < p->k && p->weight[i] > 0; c++)
            square += p->weight[i] * (s[c] - best) * (s[c] - best);
    }
    p->spread = square > 0 ? sqrt(square / (double)count) : 1;
    return count;
}

/* The loss of a row is log sum_c exp(a s_c) - a sum_c t_c s_c.  Adds its derivatives in a, times
 * the row's weight: the first is E_p s - E_t s, the second the variance of s under p. */
static void add_row(const problem *p, int64_t i, double a, double *first, double *second)
{
    const double *s = p->scores + i * p->k, best = s[winner_of(s, p->k)];
    const double truth = p->truth[p->classes[i]], other = (1 - truth) / (double)(p->k - 1);
    double sum = 0, mean = 0, square = 0, target = 0;
    for (int64_t c = 0; c < p->k; c++) {
        const double d = s[c] - best, e = exp(a * d);
        sum += e;
        mean += e * d;
        square += e * d * d;
        target += (c == p->classes[i] ? truth : other) * d;
    }
    mean /= sum;
    *first += p->weight[i] * (mean - target);
    *second += p->weight[i] * (square / sum - mean * mean);
}

/* Derivatives of the loss over the rows that class `only` wins (-1: all rows), with the prior where
 * there is a common slope. */
static void derivatives(const problem *p, int64_t only, double common, double a, double *first,
                        double *second)
{
    *first = common > 0 ? PRIOR * (a / common - 1) / common : 0;
    *second = common > 0 ? PRIOR / (common * common) : 0;
    for (int64_t i = 0; i < p->n; i++)
        if (p->weight[i] > 0 && (only < 0 || winner_of(p->scores + i * p->k, p->k) == only))
            add_row(p, i, a, first, second);
}

/* The loss is convex in a: Newton, kept inside a bracket that shrinks.  Its lower end is for scores
 * that say nothing, or the opposite. */
static double best_slope(const problem *p, int64_t only, double common)
{
    enum { STEPS = 200 };
    double low = 1e-3 / p->spread, high = 1e9 / p->spread, a = common > 0 ? common : 1 / p->spread;
    for (int step = 0; step < STEPS; step++) {
        double first, second;
        derivatives(p, only, common, a, &first, &second);
        if (first == 0)
            return a;
        if (first > 0)
            high = a;
        else
            low = a;
        double next = a - first / second;
        if (!(next > low && next < high))
            next = sqrt(low) * sqrt(high);
        if (fabs(next - a) <= 1e-14 * a)
            return next;
        a = next;
    }
    return a;
}

/* Rounding may have made the winner's probability equal to another's: it gets the next number. */
static void keep_winner(int64_t w, int64_t k, double *p)
{
    double most = 0;
    for (int64_t c = 0; c < k; c++)
        if (c != w)
            most = fmax(most, c < w ? nextafter(p[c], 1) : p[c]);
    p[w] = fmax(p[w], most);
}

static void softmax_row(const sri_calibration *calibration, const double *s, int64_t k, double *p)
{
    const int64_t w = winner_of(s, k);
    const double a = calibration->slope[calibration->slopes == 2 ? w : 0];
    const bool usable = is_usable(s, k); /* if not, all classes are as likely */
    double sum = 0;
    for (int64_t c = 0; c < k; c++)
        sum += p[c] = usable ? exp(a * (s[c] - s[w])) : 1;
    for (int64_t c = 0; c < k; c++)
        p[c] = (1 - (double)k * LEAST) * p[c] / sum + LEAST;
}

/* The distribution nearest to slope s + shift: what is below 0 becomes 0, and the others share what
 * is missing from 1, or too much, until none is below 0.  The shift does not matter to that: here
 * the winner stands for 0, so that its share, at least 1 / k, is not lost beside large numbers. */
static void posterior_row(const sri_calibration *calibration, const double *s, int64_t k, double *p)
{
    const double slope = calibration->posterior.slope, floor = calibration->floor;
    const double best = is_usable(s, k) ? s[winner_of(s, k)] : INFINITY;
    int64_t positive = k + 1, before = k + 2; /* the first pass leaves none out */
    double excess = -INFINITY;
    for (int64_t c = 0; c < k; c++)
        p[c] = best < HUGE_SCORE ? fmax(slope * (s[c] - best), -HUGE_SCORE) : 0;
    while (positive < before) {
        double sum = 0;
        before = positive;
        positive = 0;
        for (int64_t c = 0; c < k; c++)
            if (p[c] > excess) {
                sum += p[c];
                positive++;
            }
        excess = (sum - 1) / (double)positive;
    }
    for (int64_t c = 0; c < k; c++)
        p[c] = (1 - (double)k * floor) * fmax(0, p[c] - excess) + floor;
}

static void apply_row(const sri_calibration *calibration, const double *s, int64_t k, double *p)
{
    (calibration->posterior.slope > 0 ? posterior_row : softmax_row)(calibration, s, k, p);
    keep_winner(winner_of(s, k), k, p);
}

/* The mean of -log p over the rows that take part. */
static double log_loss(const problem *p, const sri_calibration *calibration, double *row)
{
    double sum = 0;
    for (int64_t i = 0; i < p->n; i++)
        if (p->weight[i] > 0) {
            apply_row(calibration, p->scores + i * p->k, p->k, row);
            sum -= p->weight[i] * log(row[p->classes[i]]);
        }
    return sum;
}

/* Takes the scores as posteriors where that has no more log-loss than the slopes have. */
static specreg_status choose_map(specreg_context *ctx, const problem *p, sri_posterior posterior,
                                 int64_t count, sri_calibration *out)
{
    sri_calibration other = *out;
    double *row = NULL;
    if (!(posterior.slope > 0))
        return SPECREG_OK;
    other.posterior = posterior;
    other.floor = 1 / (double)(count + p->k);
    SRI_NEW(ctx, row, p->k, 1);
    if (log_loss(p, &other, row) <= log_loss(p, out, row))
        *out = other;
    sri_free(row);
    return SPECREG_OK;
}

specreg_status sri_calibration_fit(specreg_context *ctx, const sri_scored_rows *rows,
                                   sri_calibration *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t k = rows->k;
    problem p = {.scores = rows->scores, .classes = rows->classes, .n = rows->n, .k = k};
    *out = (sri_calibration){0};
    SRI_ALLOC(ctx, p.weight, p.n, 1);
    SRI_ALLOC(ctx, p.truth, k, 1);
    const int64_t count = fill_weights(&p, rows->weight);
    if (!count)
        goto done;
    fill_targets(&p);
    const double common = best_slope(&p, -1, 0);
    out->slopes = k == 2 ? 2 : 1;
    for (int i = 0; i < out->slopes; i++)
        out->slope[i] = k == 2 ? best_slope(&p, i, common) : common;
    SRI_TRY(choose_map(ctx, &p, rows->posterior, count, out));
done:
    sri_free(p.truth);
    sri_free(p.weight);
    return st;
}

void sri_calibration_apply(const sri_calibration *calibration, const double *scores, int64_t m,
                           int64_t k, double *P)
{
    for (int64_t i = 0; i < m; i++)
        apply_row(calibration, scores + i * k, k, P + i * k);
}
