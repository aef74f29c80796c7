/* Models whose outputs are coordinates: sum_i k(x, z_i) a_ij, with no target. */
#include "model/coordinates.h"

#include <stdio.h>

#include "core/memory.h"
#include "model/expansion.h"

/* pc1, pc2, ... or b1, b2, ...: at places that no table has. */
static specreg_status make_target(specreg_context *ctx, const specreg_table *t,
                                  const sri_coordinates *c, sri_target **out)
{
    char name[32];
    const int64_t m = c->m;
    SRI_NEW_ZERO(ctx, *out, 1, 1);
    (*out)->problem = SRI_REGRESSION;
    SRI_NEW_ZERO(ctx, (*out)->name, m, 1);
    (*out)->n_columns = m;
    SRI_NEW(ctx, (*out)->position, m, 1);
    (*out)->table_columns = t->n_columns;
    (*out)->has_names = t->has_header;
    snprintf((*out)->why, sizeof(*out)->why, "components");
    for (int64_t j = 0; j < m; j++) {
        snprintf(name, sizeof name, "%s%lld", c->name, (long long)j + 1);
        SRI_NEW_TEXT(ctx, (*out)->name[j], name);
        (*out)->position[j] = t->n_columns + j;
    }
    return SPECREG_OK;
}

/* Takes over the eigenvalues. */
static specreg_status make_report(specreg_context *ctx, const sri_dataset *d, const sri_call *call,
                                  sri_coordinates *c, sri_kpca_report **out)
{
    const sri_roles *roles = &d->roles;
    SRI_NEW_ZERO(ctx, *out, 1, 1);
    sri_kpca_report *report = *out;
    SRI_CALL(sri_data_report_make(ctx, d, &report->data));
    SRI_NEW_ZERO(ctx, report->carried, roles->n_targets, 1);
    for (; report->n_carried < roles->n_targets; report->n_carried++)
        SRI_NEW_TEXT(ctx, report->carried[report->n_carried],
                     d->table->column[roles->target[report->n_carried]].name);
    report->components = c->m;
    report->centred = c->center;
    report->trace = c->trace;
    SRI_MOVE(report->eigenvalue, c->s);
    report->approx = c->approx;
    report->seed = call->recipe->resources.seed;
    report->threads = call->threads;
    report->times = (sri_times){.read = d->table->read_seconds,
                                .total = sri_call_seconds(call) + d->table->read_seconds,
                                .peak_bytes = sri_memory_peak()};
    return SPECREG_OK;
}

/* The feature 1 of a centred one. */
static specreg_status take_constant(specreg_context *ctx, const sri_dataset *d, sri_coordinates *c,
                                    specreg_model *m)
{
    const sri_predefined_rows rows = {.encoder = m->encoding.encoder, .X = &d->rows.X};
    if (!c->center)
        return SPECREG_OK;
    SRI_CALL(sri_predefined_parse(ctx, "constant", &m->unpenalised.terms));
    SRI_CALL(sri_predefined_learn(ctx, &m->unpenalised.terms, &rows));
    SRI_MOVE(m->unpenalised.beta, c->beta);
    return SPECREG_OK;
}

static specreg_status take_centres(specreg_context *ctx, sri_dataset *d, const sri_kernel *kernel,
                                   sri_coordinates *c, specreg_model *m)
{
    SRI_MOVE(m->expansion.alpha, c->a);
    m->expansion.layout = d->points.layout;
    m->expansion.layout.T = m->T = c->m;
    m->expansion.n = c->n;
    SRI_CALL(sri_centres_take(ctx, &d->rows, &d->points, SRI_LAYOUT_ROWS, &m->expansion.points));
    SRI_CALL(sri_model_make_linear(ctx, kernel, m));
    return sri_model_pack(ctx, kernel, m);
}

specreg_status sri_coordinates_model(specreg_context *ctx, sri_dataset *d, const sri_call *call,
                                     const sri_kernel *kernel, sri_coordinates *c,
                                     specreg_model **out)
{
    specreg_status st = SPECREG_OK;
    specreg_model *m = NULL;
    SRI_CALLOC(ctx, m, 1, 1);
    m->kind = c->kind;
    SRI_TRY(make_target(ctx, d->table, c, &d->target));
    d->rows.T = c->m;
    SRI_TRY(make_report(ctx, d, call, c, &m->report.kpca));
    SRI_TRY(sri_kernel_keep(ctx, kernel, &m->kernel));
    m->encoding.target = d->target;
    m->encoding.encoder = d->encoder;
    d->target = NULL;
    d->encoder = NULL;
    SRI_TRY(take_constant(ctx, d, c, m));
    SRI_TRY(take_centres(ctx, d, kernel, c, m));
    SRI_MOVE(*out, m);
done:
    specreg_model_free(m);
    return st;
}

void sri_coordinates_free(sri_coordinates *c)
{
    sri_free(c->beta);
    sri_free(c->a);
    sri_free(c->V);
    sri_free(c->s);
    *c = (sri_coordinates){0};
}
