#include "model/semi.h"

#include <string.h>

#include "core/memory.h"
#include "data/table.h"

/* The inputs of a table's rows after those that are there. */
static specreg_status add_rows(specreg_context *ctx, const sri_prepared *p,
                               const specreg_table *table, sri_matrix *X)
{
    specreg_status st = SPECREG_OK;
    sri_reader reader = p->problem.reader;
    sri_sample sample = {0};
    double *all = NULL;
    reader.target = NULL;
    reader.coding = NULL;
    reader.features = NULL;
    SRI_TRY(sri_sample_read(ctx, &reader, table, &sample));
    SRI_REQUIRE(ctx, sample.n > 0, SPECREG_E_SHAPE, "unlabelled: %s has no rows", table->source);
    const size_t before = (size_t)(X->n * X->p), more = (size_t)(sample.n * sample.rows.x.p);
    SRI_ALLOC(ctx, all, (int64_t)(before + more), 1);
    if (before)
        memcpy(all, X->x, before * sizeof *all);
    memcpy(all + before, sample.rows.x.x, more * sizeof *all);
    const int64_t n = X->n + sample.n;
    sri_matrix_free(X);
    *X = (sri_matrix){.x = all, .n = n, .p = sample.rows.x.p};
    all = NULL;
done:
    sri_free(all);
    sri_sample_free(&sample);
    return st;
}

static specreg_status read_file(specreg_context *ctx, const sri_prepared *p, const char *file,
                                sri_matrix *X)
{
    specreg_status st = SPECREG_OK;
    specreg_options *own = NULL;
    specreg_table *table = NULL;
    SRI_TRY(sri_options_copy(ctx, p->call->recipe->options, &own));
    SRI_TRY(specreg_options_set(ctx, own, "labels", "names"));
    SRI_TRY(specreg_table_read(ctx, file, own, &table));
    SRI_TRY(add_rows(ctx, p, table, X));
done:
    specreg_table_free(table);
    specreg_options_free(own);
    return st;
}

/* Those of the training table, then those of the file. */
static specreg_status read_rows(specreg_context *ctx, const sri_prepared *p, sri_matrix *X)
{
    specreg_status st = SPECREG_OK;
    const char *file = p->call->recipe->search.semi.file;
    const sri_dataset *d = &p->data;
    specreg_table *part = NULL;
    if (d->n_unlabelled) {
        SRI_TRY(specreg_table_select(ctx, d->table, d->unlabelled, d->n_unlabelled, &part));
        SRI_TRY(add_rows(ctx, p, part, X));
    }
    if (file)
        SRI_TRY(read_file(ctx, p, file, X));
done:
    specreg_table_free(part);
    return st;
}

/* All that the kernel matrix of all rows takes, or its factor and the graph. */
static specreg_status check_memory(specreg_context *ctx, const sri_problem *problem, int64_t N)
{
    const double need = 16 * (double)N * (double)N, have = (double)problem->resources.memory;
    char a[32], b[32];
    SRI_CHECK(ctx, need <= have, SPECREG_E_NOMEM,
              "unlabelled: the kernel matrix of %lld rows in all needs %s of memory, the budget "
              "leaves %s",
              (long long)N, sri_bytes_text(need, a), sri_bytes_text(have, b));
    return SPECREG_OK;
}

specreg_status sri_semi_attach(specreg_context *ctx, sri_prepared *p)
{
    const sri_choices *search = &p->call->recipe->search;
    const sri_semi_spec *spec = &search->semi;
    sri_semi *semi = &p->semi;
    SRI_CHECK(ctx, sri_has_unlabelled(&p->data, search) || !spec->has_graph, SPECREG_E_SHAPE,
              "laplacian: every row of %s has its targets, the graph is also of rows without",
              p->data.table->source);
    if (!sri_has_unlabelled(&p->data, search))
        return SPECREG_OK;
    semi->unlabelled.has_graph = spec->has_graph;
    semi->unlabelled.graph = spec->graph;
    semi->unlabelled.graph.strength = spec->strength.count ? spec->strength.v[0] : 0;
    SRI_CHECK(ctx, sri_kernel_grid_polynomial(&p->grid) < 0, SPECREG_E_ARG,
              "unlabelled: kernel %s is positive with its polynomials only",
              sri_kernel_grid_conditional(&p->grid));
    SRI_CHECK(ctx, spec->has_graph || !p->problem.rows.weight, SPECREG_E_ARG,
              "unlabelled: weights of rows are for --laplacian");
    SRI_CHECK(ctx, spec->has_graph || !p->problem.unpenalised.l, SPECREG_E_ARG,
              "unlabelled: terms without penalty are for --laplacian: leave --features out");
    SRI_CALL(read_rows(ctx, p, &semi->unlabelled.X));
    SRI_CALL(check_memory(ctx, &p->problem, p->problem.n + semi->unlabelled.X.n));
    SRI_CALL(sri_extension_make(ctx, &semi->unlabelled, p->problem.points, &semi->extension));
    p->problem.extension = semi->extension;
    return SPECREG_OK;
}

specreg_status sri_semi_search(specreg_context *ctx, sri_prepared *p, sri_search_result *out)
{
    const sri_values *strength = &p->call->recipe->search.semi.strength;
    sri_semi *semi = &p->semi;
    if (!p->problem.extension || strength->count < 2)
        return sri_search(ctx, &p->problem, &p->spec, out);
    SRI_CHECK(ctx, sri_rule_judges(&p->rule), SPECREG_E_ARG,
              "select: with none the strength of the graph must be a single value: --laplacian "
              "strength=VALUE");
    SRI_NEW(ctx, semi->score, strength->count, 1);
    for (int64_t i = 0; i < strength->count; i++) {
        sri_search_result one = {0};
        semi->unlabelled.graph.strength = strength->v[i];
        SRI_CALL(sri_search(ctx, &p->problem, &p->spec, &one));
        semi->score[i] = one.score.value;
        if (i == 0 || sri_score_better(&one.score, &out->score)) {
            sri_search_result_free(out);
            *out = one;
            semi->chosen = i;
        } else {
            sri_search_result_free(&one);
        }
    }
    semi->unlabelled.graph.strength = strength->v[semi->chosen];
    return SPECREG_OK;
}

specreg_status sri_semi_centres(specreg_context *ctx, sri_prepared *p)
{
    if (!p->problem.extension)
        return SPECREG_OK;
    return sri_extension_points(ctx, &p->semi.unlabelled, p->problem.points,
                                &p->data.points.centres);
}

static specreg_status report_strengths(specreg_context *ctx, const sri_prepared *p,
                                       sri_semi_report *out)
{
    const sri_values *strength = &p->call->recipe->search.semi.strength;
    if (!p->semi.score)
        return SPECREG_OK;
    SRI_NEW(ctx, out->strength, strength->count, 1);
    SRI_NEW(ctx, out->value, strength->count, 1);
    memcpy(out->strength, strength->v, (size_t)strength->count * sizeof *strength->v);
    memcpy(out->value, p->semi.score, (size_t)strength->count * sizeof *p->semi.score);
    out->tried = strength->count;
    return SPECREG_OK;
}

specreg_status sri_semi_report_make(specreg_context *ctx, const sri_prepared *p,
                                    sri_fit_report *report)
{
    const sri_semi_spec *spec = &p->call->recipe->search.semi;
    const sri_extension *x = p->problem.extension;
    sri_semi_report *out = &report->semi;
    if (!x)
        return SPECREG_OK;
    SRI_NEW_TEXT(ctx, out->file, spec->file ? spec->file : p->data.table->source);
    out->rows = p->semi.unlabelled.X.n;
    out->has_graph = spec->has_graph;
    out->graph = p->semi.unlabelled.graph;
    out->parts = x->graph.parts;
    SRI_CALL(report_strengths(ctx, p, out));
    if (!spec->has_graph)
        sri_note(ctx, &report->notes,
                 "%lld rows of %s have no target: all rows make the kernel matrix",
                 (long long)out->rows, out->file);
    else
        sri_note(ctx, &report->notes,
                 "%lld rows of %s have no target; laplacian strength=%g (of %lld), %lld neighbours",
                 (long long)out->rows, out->file, out->graph.strength,
                 (long long)spec->strength.count, (long long)out->graph.neighbours);
    if (x->graph.parts > 1)
        sri_note(
            ctx, &report->notes,
            "the graph of %lld neighbours falls apart into %lld parts, between which it carries "
            "nothing (--laplacian neighbours=)",
            (long long)spec->graph.neighbours, (long long)x->graph.parts);
    return sri_notes_check(ctx, &report->notes);
}

void sri_semi_free(sri_semi *semi)
{
    sri_extension_free(semi->extension);
    sri_matrix_free(&semi->unlabelled.X);
    sri_free(semi->score);
    *semi = (sri_semi){0};
}
