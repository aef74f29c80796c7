#include "select/neighbours.h"

#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "core/memory.h"

typedef struct near {
    double d2;
    int64_t i;
} near;

static double distance2(const sri_points *points, int64_t i, int64_t j)
{
    const double *x = points->rows.x.x + i * points->p, *z = points->rows.x.x + j * points->p;
    double sum = 0;
    for (int64_t k = 0; k < points->p; k++)
        sum += (x[k] - z[k]) * (x[k] - z[k]);
    return sum;
}

/* The k nearest others of point i, by insertion; of equal distances the first. */
static void find_nearest(const sri_points *points, int64_t i, int64_t k, near *list)
{
    int64_t count = 0;
    for (int64_t j = 0; j < points->n; j++) {
        const double d2 = j == i ? INFINITY : distance2(points, i, j);
        if (j == i || (count == k && d2 >= list[k - 1].d2))
            continue;
        int64_t at = count < k ? count++ : k - 1;
        for (; at > 0 && list[at - 1].d2 > d2; at--)
            list[at] = list[at - 1];
        list[at] = (near){d2, j};
    }
}

static bool has_neighbour(const near *list, int64_t k, int64_t j)
{
    for (int64_t c = 0; c < k; c++)
        if (list[c].i == j)
            return true;
    return false;
}

/* Each edge at both of its ends; weight has squared distances. */
static specreg_status join(specreg_context *ctx, const near *nearest, int64_t k, sri_graph *g)
{
    SRI_NEW_ZERO(ctx, g->start, g->n + 1, 1);
    SRI_NEW(ctx, g->to, 2 * g->n * k, 1);
    SRI_NEW(ctx, g->weight, 2 * g->n * k, 1);
    SRI_NEW(ctx, g->diagonal, g->n, 1);
    for (int pass = 0; pass < 2;
         pass++) { /* count, then enter; start[i] is then the end of i - 1 */
        for (int64_t i = 0; i < g->n; i++)
            for (int64_t c = 0; c < k; c++) {
                const near *e = &nearest[i * k + c];
                const bool mutual = has_neighbour(nearest + e->i * k, k, i);
                const int64_t ends[2] = {i, e->i};
                for (int end = 0; end < (mutual ? 1 : 2); end++) {
                    if (!pass) {
                        g->start[ends[end] + 1]++;
                        continue;
                    }
                    const int64_t at = g->start[ends[end]] + (int64_t)g->diagonal[ends[end]];
                    g->to[at] = ends[1 - end];
                    g->weight[at] = e->d2;
                    g->diagonal[ends[end]]++;
                }
            }
        for (int64_t i = 0; !pass && i < g->n; i++) {
            g->start[i + 1] += g->start[i];
            g->diagonal[i] = 0;
        }
    }
    return SPECREG_OK;
}

static void weigh(const sri_graph_spec *spec, sri_graph *g)
{
    const int64_t edges = g->start[g->n];
    double sum = 0;
    for (int64_t e = 0; e < edges; e++)
        sum += g->weight[e] / (double)edges;
    for (int64_t e = 0; e < edges; e++)
        g->weight[e] = spec->heat && sum > 0 ? exp(-g->weight[e] / (2 * sum)) : 1;
    for (int64_t i = 0; i < g->n; i++) {
        g->diagonal[i] = 0;
        for (int64_t e = g->start[i]; e < g->start[i + 1]; e++)
            g->diagonal[i] += g->weight[e];
    }
    if (!spec->normalised)
        return;
    for (int64_t i = 0; i < g->n; i++)
        for (int64_t e = g->start[i]; e < g->start[i + 1]; e++)
            g->weight[e] /= sqrt(g->diagonal[i] * g->diagonal[g->to[e]]);
    for (int64_t i = 0; i < g->n; i++)
        g->diagonal[i] = 1;
}

/* Connected parts, by walking along the edges. */
static specreg_status count_parts(specreg_context *ctx, sri_graph *g)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    int64_t *stack, height = 0;
    bool *seen;
    SRI_SCRATCH(ctx, &scratch, stack, g->n, 1);
    SRI_SCRATCH_ZERO(ctx, &scratch, seen, g->n, 1);
    for (int64_t i = 0; i < g->n; i++) {
        if (seen[i])
            continue;
        g->parts++;
        seen[i] = true;
        stack[height++] = i;
        while (height) {
            const int64_t at = stack[--height];
            for (int64_t e = g->start[at]; e < g->start[at + 1]; e++)
                if (!seen[g->to[e]]) {
                    seen[g->to[e]] = true;
                    stack[height++] = g->to[e];
                }
        }
    }
done:
    sri_arena_free(&scratch);
    return st;
}

specreg_status sri_graph_make(specreg_context *ctx, const sri_points *points,
                              const sri_graph_spec *spec, sri_graph *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = points->n, k = spec->neighbours;
    near *nearest = NULL;
    *out = (sri_graph){.n = n};
    SRI_REQUIRE(ctx, k < n, SPECREG_E_SHAPE,
                "laplacian: %lld neighbours, but there are only %lld rows in all", (long long)k,
                (long long)n);
    SRI_ALLOC(ctx, nearest, n, k);
#pragma omp parallel for schedule(dynamic, 16)
    for (int64_t i = 0; i < n; i++)
        find_nearest(points, i, k, nearest + i * k);
    SRI_TRY(join(ctx, nearest, k, out));
    weigh(spec, out);
    SRI_TRY(count_parts(ctx, out));
done:
    sri_free(nearest);
    if (st != SPECREG_OK)
        sri_graph_free(out);
    return st;
}

void sri_graph_apply(const sri_graph *g, int64_t t, const double *X, double *Y)
{
    for (int64_t r = 0; r < t; r++) {
        const double *x = X + r * g->n;
        for (int64_t i = 0; i < g->n; i++) {
            double sum = g->diagonal[i] * x[i];
            for (int64_t e = g->start[i]; e < g->start[i + 1]; e++)
                sum -= g->weight[e] * x[g->to[e]];
            Y[r * g->n + i] = sum;
        }
    }
}

void sri_graph_free(sri_graph *graph)
{
    sri_free(graph->diagonal);
    sri_free(graph->weight);
    sri_free(graph->to);
    sri_free(graph->start);
    *graph = (sri_graph){0};
}
