/* Unpenalised terms: from the options to the columns of a problem. */
#include "core/memory.h"
#include "data/text/documents.h"
#include "model/dataset.h"
#include "op/projection.h"

static specreg_status read_table(specreg_context *ctx, const char *path, specreg_table **out)
{
    if (sri_is_folder(path))
        return sri_fail(ctx, SPECREG_E_IO, "%s: is a directory", path);
    return specreg_table_read(ctx, path, NULL, out);
}

specreg_status sri_features_read(specreg_context *ctx, const sri_predefined *p, const char *path,
                                 specreg_table **out)
{
    *out = NULL;
    if (*path && !sri_predefined_path(p))
        return sri_fail(ctx, SPECREG_E_ARG, "features-file: there are no features from a file");
    return *path ? read_table(ctx, path, out) : SPECREG_OK;
}

/* Leaves out columns that depend on those before them, until none does, also of P (n x l). */
static specreg_status drop_dependent(specreg_context *ctx, sri_predefined *p, const double *weight,
                                     int64_t n, double *P)
{
    for (;;) {
        const int64_t l = p->l;
        int64_t first, to = 0;
        SRI_CALL(sri_features_dependent(ctx, P, n, l, weight, &first));
        if (first < 0)
            break;
        sri_predefined_leave(p, first);
        for (int64_t k = 0; k < n * l; k++)
            if (k % l != first)
                P[to++] = P[k];
    }
    if (!p->l)
        return sri_fail(ctx, SPECREG_E_NUMERIC, "features: none is left, they are 0 in every row");
    return SPECREG_OK;
}

specreg_status sri_features_learn(specreg_context *ctx, const sri_recipe *recipe, sri_dataset *d)
{
    specreg_status st = SPECREG_OK;
    specreg_table *file = NULL;
    sri_projection *check = NULL;
    sri_predefined *p = &d->features;
    const sri_choices *search = &recipe->search;
    const bool bare = d->rows.n == 1 || (sri_has_unlabelled(d, search) && !search->semi.has_graph);
    if (!search->unpenalised.n_terms || (search->unpenalised_auto && bare))
        return st; /* a constant would be all that a single row tells */
    SRI_TRY(sri_predefined_copy(ctx, &recipe->search.unpenalised, p));
    const char *path = sri_predefined_path(p);
    if (path)
        SRI_TRY(read_table(ctx, path, &file));
    const sri_predefined_rows rows = {.encoder = d->encoder,
                                      .X = &d->rows.X,
                                      .table = d->table,
                                      .rows = d->rows.keep,
                                      .file = file,
                                      .documents = d->table->counts != NULL,
                                      .seed = recipe->resources.seed};
    SRI_TRY(sri_predefined_learn(ctx, p, &rows));
    SRI_TRY(sri_predefined_fill(ctx, p, &rows, &d->rows.P));
    if (p->drop)
        SRI_TRY(drop_dependent(ctx, p, d->rows.weight, d->rows.n, d->rows.P));
    d->rows.l = p->l;
    SRI_ALLOC(ctx, d->rows.name, p->l, 1);
    for (int64_t k = 0; k < p->l; k++)
        d->rows.name[k] = p->name[p->kept[k]];
    const sri_features all = {.P = d->rows.P, .l = p->l, .name = d->rows.name};
    SRI_TRY(sri_projection_new(ctx, &all, d->rows.n, d->rows.weight,
                               &check)); /* told before the work */
done:
    sri_projection_free(check);
    specreg_table_free(file);
    return st;
}
