#include "measure/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

typedef struct scored {
    double score, weight;
    bool positive;
} scored;

typedef struct ranking { /* rows by falling score */
    scored *row;         /* NULL: the curve is not defined */
    int64_t count;
    double positive, negative; /* the weights of both kinds */
} ranking;

static int falling(const void *a, const void *b)
{
    const double x = ((const scored *)a)->score, y = ((const scored *)b)->score;
    return (x < y) - (x > y);
}

static specreg_status sort_scores(specreg_context *ctx, const sri_comparison *p, int32_t c,
                                  ranking *out)
{
    const int64_t k = p->n_classes;
    bool defined = true;
    int64_t positive = 0;
    *out = (ranking){0};
    SRI_NEW(ctx, out->row, p->n, 1);
    for (int64_t i = 0; i < p->n; i++) {
        const int32_t class = sri_row_class(p, i);
        if (class < 0)
            continue;
        const scored row = {sri_class_score(p->scores + i * k, k, c), sri_row_weight(p, i),
                            class == c};
        defined = defined && !isnan(row.score);
        positive += row.positive;
        *(row.positive ? &out->positive : &out->negative) += row.weight;
        out->row[out->count++] = row;
    }
    if (defined && positive > 0 && positive < out->count) {
        qsort(out->row, (size_t)out->count, sizeof *out->row, falling);
    } else {
        sri_free(out->row);
        out->row = NULL;
    }
    return SPECREG_OK;
}

/* One step along the curve: past all rows of the next score; adds their weights. */
static int64_t next_score(const ranking *r, int64_t from, double *hits, double *alarms)
{
    int64_t i = from;
    for (; i < r->count && r->row[i].score == r->row[from].score; i++)
        *(r->row[i].positive ? hits : alarms) += r->row[i].weight;
    return i;
}

/* The area is the share of (positive, negative) pairs in the right order, a tie counting half:
 * summed over the distinct scores, falling, alarms there * (hits before + half the hits there). */
static double area_of(const ranking *r)
{
    double pairs = 0, hits = 0, alarms = 0;
    for (int64_t i = 0; i < r->count;) {
        const double hits_before = hits, alarms_before = alarms;
        i = next_score(r, i, &hits, &alarms);
        pairs += (alarms - alarms_before) * 0.5 * (hits_before + hits);
    }
    return pairs / (hits * alarms);
}

specreg_status sri_curve_area(specreg_context *ctx, const sri_comparison *p, int32_t c,
                              double *area)
{
    ranking r;
    SRI_CALL(sort_scores(ctx, p, c, &r));
    *area = r.row ? area_of(&r) : NAN;
    sri_free(r.row);
    return SPECREG_OK;
}

/* Writes the points of the curve (count + 1 at most); gives how many there are. */
static int64_t trace(const ranking *r, sri_curve_point *point)
{
    double hits = 0, alarms = 0;
    int64_t n = 0;
    point[n++] = (sri_curve_point){INFINITY, 0, 0};
    for (int64_t i = 0; i < r->count;) {
        const double threshold = r->row[i].score;
        i = next_score(r, i, &hits, &alarms);
        point[n++] = (sri_curve_point){threshold, alarms / r->negative, hits / r->positive};
    }
    return n;
}

/* Whether b lies between a and c on a line along an axis. */
static bool is_between(const sri_curve_point *a, const sri_curve_point *b, const sri_curve_point *c)
{
    return (a->fpr == b->fpr && b->fpr == c->fpr) || (a->tpr == b->tpr && b->tpr == c->tpr);
}

/* Moves the corners to the front; gives how many there are. */
static int64_t keep_corners(sri_curve_point *point, int64_t n)
{
    sri_curve_point before = point[0];
    int64_t kept = 1;
    for (int64_t i = 1; i < n; i++) {
        const sri_curve_point here = point[i];
        if (i == n - 1 || !is_between(&before, &here, &point[i + 1]))
            point[kept++] = here;
        before = here;
    }
    return kept;
}

/* Of very many points as many as may be, from the first to the last; gives how many there are. */
static int64_t thin_out(sri_curve_point *point, int64_t n)
{
    enum { STEPS = SRI_CURVE_POINTS - 1 };
    if (n <= SRI_CURVE_POINTS)
        return n;
    for (int64_t k = 0; k <= STEPS; k++) /* k n may overflow, n / STEPS and its rest do not */
        point[k] = point[(n - 1) / STEPS * k + (n - 1) % STEPS * k / STEPS];
    return SRI_CURVE_POINTS;
}

specreg_status sri_curve_make(specreg_context *ctx, const sri_comparison *p, int32_t c,
                              bool corners, sri_curve *out)
{
    specreg_status st = SPECREG_OK;
    ranking r = {0};
    sri_curve_point *point = NULL;
    *out = (sri_curve){.area = NAN};
    SRI_TRY(sort_scores(ctx, p, c, &r));
    if (!r.row)
        goto done;
    SRI_ALLOC(ctx, point, r.count + 1, 1);
    const int64_t n = trace(&r, point);
    const int64_t count =
        thin_out(point, corners || n > SRI_CURVE_POINTS ? keep_corners(point, n) : n);
    SRI_ALLOC(ctx, out->point, count, 1);
    memcpy(out->point, point, (size_t)count * sizeof *point);
    out->count = count;
    out->area = area_of(&r);
done:
    sri_free(point);
    sri_free(r.row);
    return st;
}

void sri_curve_free(sri_curve *curve)
{
    sri_free(curve->point);
    *curve = (sri_curve){0};
}
