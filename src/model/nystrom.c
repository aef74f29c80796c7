/* Whitened coordinates: with K_mm = L L' of the kernel between m rows, the centres, those of any x
 * are b(x) = L^-1 k_m(x), so that <b(x), b(z)> = k_m(x)' K_mm^-1 k_m(z). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "kernel/registry.h"
#include "model/coordinates.h"
#include "sums/whiten.h"

/* "100" or a list such as m=100,centers=rpcholesky. */
static specreg_status parse(specreg_context *ctx, const char *text, sri_approx *out)
{
    char spec[4096];
    SRI_CHECK(ctx, *text, SPECREG_E_ARG, "nystrom: how many centres? Give the option nystrom");
    const int length =
        snprintf(spec, sizeof spec, "nystrom:%s%s", strchr(text, '=') ? "" : "m=", text);
    SRI_CHECK(ctx, length < (int)sizeof spec, SPECREG_E_ARG, "nystrom: the text is too long");
    return sri_approx_parse(ctx, spec, out);
}

static specreg_status check(specreg_context *ctx, const specreg_table *t, const sri_recipe *recipe)
{
    const sri_kernel_grid *grid = &recipe->search.kernel;
    const bool documents = !t->sparse && t->format && strcmp(t->format, "text") == 0;
    SRI_CHECK(ctx,
              !sri_kernel_is_field(&grid->base) && !sri_kernel_is_matrix(&grid->base) &&
                  !sri_kernel_grid_indexed(grid),
              SPECREG_E_ARG, "nystrom: kernel %s does not go with it",
              sri_kernel_term_name(&grid->base.term[0]));
    SRI_CHECK(ctx, !sri_kernel_grid_couples(grid), SPECREG_E_ARG,
              "nystrom: there are no outputs that could share a matrix");
    SRI_CHECK(ctx, !documents && !*recipe->data.text, SPECREG_E_ARG,
              "%s: nystrom is for numbers: make features of documents first (--text)", t->source);
    return SPECREG_OK;
}

/* a = L^-T, and how much of the kernel's trace the centres capture. */
static specreg_status find_coefficients(specreg_context *ctx, const sri_points *points,
                                        sri_whitening *w, sri_coordinates *c)
{
    c->n = c->m = sri_whitening_rank(w);
    SRI_NEW_ZERO(ctx, c->a, c->n, c->m);
    for (int64_t j = 0; j < c->m; j++)
        c->a[j * (c->m + 1)] = 1;
    sri_whitening_coefficients(w, c->m, c->a);
    c->approx.facts =
        (sri_sums_facts){.rows = points->n, .looked = points->n, .m = w->asked, .rank = c->m};
    return sri_whitening_captured(ctx, w, points, &c->approx.facts.captured);
}

static specreg_status choose(specreg_context *ctx, const sri_approx *approx, sri_prepared *p,
                             const sri_kernel *kernel, sri_coordinates *c)
{
    specreg_status st = SPECREG_OK;
    const sri_points *points = p->data.points.own.points;
    sri_whitening w = {0};
    int64_t *row = NULL, *number = NULL, count;
    SRI_TRY(sri_dataset_numbers(ctx, &p->data, &number));
    const sri_centre_pool pool = {kernel, points, number, p->call->recipe->resources.seed,
                                  approx->file};
    SRI_TRY(sri_centres_choose(ctx, approx, &pool, &row, &count));
    SRI_TRY(sri_whitening_make(ctx, kernel, points, row, count, &w));
    c->approx.kind = approx->kind;
    c->approx.centres = approx->centres->name;
    SRI_TRY(find_coefficients(ctx, points, &w, c));
    SRI_MOVE(p->data.points.centres, w.centres);
done:
    sri_free(number);
    sri_free(row);
    sri_whitening_free(&w);
    return st;
}

specreg_status specreg_nystrom(specreg_context *ctx, const specreg_table *train,
                               const specreg_options *options, specreg_model **out)
{
    SRI_MAKES(ctx, out, train);
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    sri_prepared p = {0};
    sri_approx approx = {0};
    sri_coordinates c = {.kind = SRI_MODEL_NYSTROM, .name = "b"};
    sri_threads threads = {0};
    SRI_TRY(parse(ctx, sri_option_value(options, SRI_OPT_NYSTROM), &approx));
    SRI_TRY(sri_call_enter(ctx, options, &call));
    SRI_TRY(check(ctx, train, call.recipe));
    SRI_TRY(sri_prepare_inputs(ctx, &call, train, &p));
    sri_search_threads(p.data.rows.n, &threads);
    SRI_TRY(sri_prepare_kernels(ctx, &p));
    /* automatic widths lie around the median distance: the middle one is that itself */
    const sri_kernel kernel = sri_kernel_grid_at(&p.grid, sri_kernel_grid_count(&p.grid) / 2);
    SRI_TRY(choose(ctx, &approx, &p, &kernel, &c));
    SRI_TRY(sri_coordinates_model(ctx, &p.data, &call, &kernel, &c, out));
done:
    sri_coordinates_free(&c);
    sri_approx_free(&approx);
    sri_threads_leave(&threads);
    sri_prepared_free(&p);
    sri_call_leave(&call);
    return st;
}
