/* Functions of one or two numbers, over a grid: those of some points of the path. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "data/grid_points.h"
#include "portrait/parts.h"

enum { ON_A_LINE = 160, IN_A_PLANE = 32, FEWEST_IN_A_PLANE = 16, FEWEST_POINTS = 6 };

struct sri_functions {
    sri_portrait_sample *s;
    sri_portrait_curve *curve;
    sri_sample grid; /* its points as rows                                            */
    double *A;       /* n x (points T): coefficients of the functions                 */
    double *beta;    /* points x l x T                                                */
    double *F, *one; /* cells x (points T); cells x T                                 */
    int64_t taken;   /* points                                                        */
};

/* Numbers alone, one or two, of rows with all their outputs. */
static bool has_curve(const sri_problem *problem, const sri_kernel *kernel)
{
    const sri_reader *reader = &problem->reader;
    const sri_encoder *e = reader->encoder;
    if (!e || e->sparse || e->n_features < 1 || e->n_features > 2 || e->p != e->n_features ||
        reader->words || reader->layout.kind != SRI_LAYOUT_ROWS || reader->features_file ||
        sri_kernel_is_field(kernel) || problem->points->stored != SRI_STORED_DENSE ||
        !problem->points->rows.x.x || problem->points->rows.x.p != e->p)
        return false;
    for (int64_t i = 0; i < e->n_features; i++)
        if (e->feature[i].is_text || e->feature[i].part)
            return false;
    return true;
}

/* How many functions are shown, and on how fine a grid. */
static void choose_counts(const sri_portrait_sample *s, int64_t outputs, sri_portrait_curve *c)
{
    const int64_t path = s->out->path.count, numbers = s->size.numbers / outputs;
    const int64_t cells = numbers / (2 * FEWEST_POINTS);
    if (c->axes == 1) {
        c->count[0] = ON_A_LINE;
        c->count[1] = 1;
    } else {
        int64_t side = (int64_t)sqrt((double)cells);
        side = side > IN_A_PLANE ? IN_A_PLANE : side;
        c->count[0] = c->count[1] = side < FEWEST_IN_A_PLANE ? FEWEST_IN_A_PLANE : side;
    }
    const int64_t most = numbers / (c->count[0] * c->count[1]);
    c->points = most < 1 ? 1 : most < path ? most : path;
}

/* At equal steps, with the chosen one. */
static specreg_status choose_points(specreg_context *ctx, const sri_portrait_sample *s,
                                    sri_portrait_curve *c)
{
    specreg_status st = SPECREG_OK;
    const int64_t path = s->out->path.count, chosen = s->out->path.chosen;
    int64_t nearest = 0;
    SRI_SCRATCH(ctx, &s->out->memory, c->point, c->points, 1);
    for (int64_t i = 0; i < c->points; i++) {
        c->point[i] = c->points > 1 ? i * (path - 1) / (c->points - 1) : path - 1;
        if (llabs(c->point[i] - chosen) < llabs(c->point[nearest] - chosen))
            nearest = i;
    }
    if (chosen >= 0)
        c->point[nearest] = chosen;
done:
    return st;
}

/* The range of an input in the sample, and a twentieth more on both sides. */
static void find_range(const sri_portrait_sample *s, int axis, double *least, double *largest)
{
    const sri_problem *problem = &s->sub.problem;
    const sri_feature *f = &problem->reader.encoder->feature[axis];
    *least = INFINITY;
    *largest = -INFINITY;
    for (int64_t i = 0; i < problem->n; i++) {
        const double x =
            sri_feature_unscale(f, problem->points->rows.x.x[i * problem->points->rows.x.p + axis]);
        *least = fmin(*least, x);
        *largest = fmax(*largest, x);
    }
    const double margin = (*largest - *least) / 20;
    *least -= margin;
    *largest += margin;
}

/* Its points as a table, and that as rows. */
static specreg_status make_grid(specreg_context *ctx, sri_functions *functions)
{
    specreg_status st = SPECREG_OK;
    sri_portrait_curve *c = functions->curve;
    specreg_table *table = NULL;
    sri_reader reader = functions->s->sub.problem.reader;
    const char *name[2] = {NULL, NULL};
    sri_grid_spec spec = {.axes = c->axes, .count = {1, 1, 1}, .spacing = {1, 1, 1}};
    for (int a = 0; a < c->axes; a++) {
        const int64_t last = c->count[a] - 1;
        find_range(functions->s, a, &spec.origin[a], &spec.last[a]);
        SRI_REQUIRE(ctx, spec.last[a] > spec.origin[a] && isfinite(spec.last[a] - spec.origin[a]),
                    SPECREG_E_UNAVAILABLE, "an input has one value");
        spec.count[a] = c->count[a];
        spec.spacing[a] = (spec.last[a] - spec.origin[a]) / (double)last;
        SRI_SCRATCH(ctx, &functions->s->out->memory, c->axis[a], c->count[a], 1);
        for (int64_t i = 0; i <= last; i++)
            c->axis[a][i] = spec.origin[a] + spec.spacing[a] * (double)i;
        name[a] = c->input[a] = reader.encoder->feature[a].name;
    }
    SRI_TRY(sri_grid_points(ctx, &spec, name, &table));
    reader.target = NULL;
    SRI_TRY(sri_sample_read(ctx, &reader, table, &functions->grid));
done:
    specreg_table_free(table);
    return st;
}

/* Some training rows, for the picture. */
static specreg_status take_rows(specreg_context *ctx, sri_functions *functions)
{
    enum { MOST = 400 };
    specreg_status st = SPECREG_OK;
    const sri_problem *problem = &functions->s->sub.problem;
    sri_portrait_curve *c = functions->curve;
    sri_arena *memory = &functions->s->out->memory;
    const int64_t p = problem->points->rows.x.p, T = problem->T;
    c->rows = problem->n < MOST ? problem->n : MOST;
    for (int a = 0; a < c->axes; a++) {
        const sri_feature *f = &problem->reader.encoder->feature[a];
        SRI_SCRATCH(ctx, memory, c->x[a], c->rows, 1);
        for (int64_t i = 0; i < c->rows; i++)
            c->x[a][i] =
                sri_feature_unscale(f, problem->points->rows.x.x[i * problem->n / c->rows * p + a]);
    }
    if (problem->classes)
        SRI_SCRATCH(ctx, memory, c->classes, c->rows, 1);
    else
        SRI_SCRATCH(ctx, memory, c->y, c->rows, T);
    for (int64_t i = 0; i < c->rows; i++) {
        const int64_t row = i * problem->n / c->rows;
        if (problem->classes)
            c->classes[i] = problem->classes[row];
        else
            memcpy(c->y + i * T, problem->Y + row * T, (size_t)T * sizeof *c->y);
    }
done:
    return st;
}

/* Outputs of a regression; of two classes one, of more a score each. */
static int64_t shown_outputs(const sri_problem *problem)
{
    return !problem->classes ? problem->T : problem->n_classes == 2 ? 1 : problem->n_classes;
}

specreg_status sri_functions_new(specreg_context *ctx, sri_portrait_sample *s, sri_functions **out)
{
    specreg_status st = SPECREG_OK;
    const sri_problem *problem = &s->sub.problem;
    sri_functions *functions = NULL;
    *out = NULL;
    if (!has_curve(problem, &s->of->found->kernel))
        return st;
    SRI_CALLOC(ctx, functions, 1, 1);
    functions->s = s;
    sri_portrait_curve *c = functions->curve = &s->out->curve;
    c->axes = (int)problem->reader.encoder->n_features;
    c->outputs = shown_outputs(problem);
    choose_counts(s, c->outputs, c);
    SRI_TRY(choose_points(ctx, s, c));
    st = make_grid(ctx, functions);
    if (st == SPECREG_E_NOMEM || st == SPECREG_E_CANCELLED)
        goto done;
    if (st != SPECREG_OK || functions->grid.n != c->count[0] * c->count[1]) {
        c->axes = 0;
        st = SPECREG_OK;
        goto done;
    }
    const int64_t T = problem->T, cells = functions->grid.n, l = problem->unpenalised.l;
    SRI_TRY(take_rows(ctx, functions));
    SRI_CALLOC(ctx, functions->A, problem->n, c->points * T);
    SRI_CALLOC(ctx, functions->beta, c->points, l * T);
    SRI_ALLOC(ctx, functions->F, cells, c->points * T);
    SRI_ALLOC(ctx, functions->one, cells, T);
    SRI_SCRATCH(ctx, &s->out->memory, c->f, c->points * c->outputs, cells);
    SRI_MOVE(*out, functions);
done:
    s->out->curve.axes = 0; /* until it is finished */
    sri_functions_free(functions);
    return st;
}

void sri_functions_free(sri_functions *functions)
{
    if (!functions)
        return;
    sri_sample_free(&functions->grid);
    sri_free(functions->A);
    sri_free(functions->beta);
    sri_free(functions->F);
    sri_free(functions->one);
    sri_free(functions);
}

specreg_status sri_functions_take(specreg_context *ctx, sri_functions *functions,
                                  const sri_path_point *point)
{
    (void)ctx;
    const sri_problem *problem = &functions->s->sub.problem;
    sri_portrait_curve *c = functions->curve;
    const int64_t T = problem->T, width = c->points * T, l = problem->unpenalised.l;
    for (int64_t k = 0; k < c->points; k++) {
        if (c->point[k] != point->index)
            continue;
        for (int64_t i = 0; i < problem->n * T; i++)
            functions->A[i / T * width + k * T + i % T] = point->alpha[i];
        if (l && point->beta)
            memcpy(functions->beta + k * l * T, point->beta, (size_t)(l * T) * sizeof *point->beta);
    }
    return SPECREG_OK;
}

/* What is shown of a cell with T outputs. */
static void show_cell(const sri_problem *problem, const double *F, double *scores, double *out,
                      int64_t step)
{
    const int64_t k = problem->classes ? problem->n_classes : problem->T;
    if (problem->classes)
        sri_coding_scores(problem->coding, F, scores);
    else
        scores = (double *)F;
    if (problem->classes && k == 2) {
        *out = (scores[1] - scores[0]) / 2;
        return;
    }
    for (int64_t j = 0; j < k; j++)
        out[j * step] = scores[j];
}

specreg_status sri_functions_finish(specreg_context *ctx, sri_functions *functions)
{
    specreg_status st = SPECREG_OK;
    const sri_problem *problem = &functions->s->sub.problem;
    const sri_kernel *kernel = &functions->s->of->found->kernel;
    sri_portrait_curve *c = functions->curve;
    const int64_t T = problem->T, width = c->points * T, cells = functions->grid.n,
                  l = problem->unpenalised.l;
    const sri_predictors f = {kernel, problem->points, functions->A, width};
    double *scores = NULL;
    SRI_ALLOC(ctx, scores, problem->n_classes > 0 ? problem->n_classes : 1, 1);
    SRI_TRY(sri_predict_rows(ctx, &f, &functions->grid.rows, functions->F));
    for (int64_t k = 0; k < c->points; k++) {
        for (int64_t i = 0; i < cells; i++)
            memcpy(functions->one + i * T, functions->F + i * width + k * T,
                   (size_t)T * sizeof *functions->one);
        SRI_TRY(
            sri_coupling_mix(ctx, sri_problem_coupling(problem, kernel), cells, functions->one));
        if (l && functions->grid.P)
            sri_features_add(functions->grid.P, cells, l, functions->beta + k * l * T, T,
                             functions->one);
        for (int64_t i = 0; i < cells; i++)
            show_cell(problem, functions->one + i * T, scores, c->f + k * c->outputs * cells + i,
                      cells);
    }
    c->axes = (int)problem->reader.encoder->n_features;
done:
    sri_free(scores);
    return st;
}
