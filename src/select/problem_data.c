#include "select/problem_data.h"

#include "core/memory.h"

void sri_row_data_free(sri_row_data *rows)
{
    sri_free(rows->name);
    sri_free(rows->P);
    sri_free(rows->keep);
    sri_free(rows->group);
    sri_free(rows->weight);
    sri_free(rows->task);
    sri_free(rows->classes);
    sri_free(rows->Y);
    sri_matrix_free(&rows->X);
    *rows = (sri_row_data){0};
}

sri_point_data sri_points_as_rows(const sri_row_data *rows)
{
    return (sri_point_data){.layout = {.kind = SRI_LAYOUT_ROWS, .T = rows->T},
                            .rows = rows->n,
                            .own.problem = {.n = rows->n,
                                            .folds = {.n = rows->n},
                                            .T = rows->T,
                                            .Y = rows->Y,
                                            .classes = rows->classes,
                                            .rows = {.weight = rows->weight,
                                                     .group = rows->group,
                                                     .n_groups = rows->n_groups,
                                                     .keep = rows->keep},
                                            .unpenalised = {.P = rows->P,
                                                            .l = rows->l,
                                                            .name = rows->name}}};
}

/* What rows have, for the points made of them. */
static specreg_status spread_rows(specreg_context *ctx, const sri_row_data *rows,
                                  sri_point_data *out)
{
    const sri_flat *f = &out->flat;
    SRI_NEW(ctx, out->own.group, f->n, 1);
    for (int64_t i = 0; i < f->n; i++)
        out->own.group[i] = rows->group ? rows->group[f->row[i]] : (int32_t)f->row[i];
    out->own.problem.rows.n_groups = rows->group ? rows->n_groups : rows->n;
    return sri_subproblem_rows(ctx, f->row, f->n, &out->own);
}

/* A column of each unpenalised term for every output. */
static specreg_status spread_terms(specreg_context *ctx, const sri_row_data *rows,
                                   sri_point_data *out)
{
    const int64_t l = rows->l, T = rows->T;
    if (!l)
        return SPECREG_OK;
    SRI_CALL(sri_features_flatten(ctx, rows->P, l, T, &out->flat, &out->own.P));
    SRI_NEW(ctx, out->name, l, T);
    for (int64_t k = 0; k < l * T; k++)
        out->name[k] = rows->name[k / T];
    out->own.problem.unpenalised = (sri_features){.P = out->own.P, .l = l * T, .name = out->name};
    return SPECREG_OK;
}

static specreg_status outputs_as_points(specreg_context *ctx, const sri_row_data *rows,
                                        sri_point_data *out)
{
    const sri_rows_view all = {.n = rows->n, .x = rows->X};
    SRI_CALL(sri_layout_flatten(ctx, &out->layout, &all, rows->Y, &out->flat));
    SRI_CALL(spread_rows(ctx, rows, out));
    SRI_CALL(spread_terms(ctx, rows, out));
    const sri_rows_view view = sri_flat_view(&out->flat, &rows->X);
    SRI_CALL(sri_points_of_view(ctx, &view, &out->own.points));
    out->own.points->share = out->flat.share;
    out->own.problem.T = 1;
    out->own.problem.Y = out->flat.Y;
    return SPECREG_OK;
}

specreg_status sri_point_data_make(specreg_context *ctx, const sri_row_data *rows,
                                   sri_layout layout, bool given_matrix, sri_point_data *out)
{
    const sri_rows_view labelled = {.n = rows->n, .x = rows->X, .label = rows->task};
    *out = sri_points_as_rows(rows);
    out->layout = layout;
    const specreg_status st = layout.kind == SRI_LAYOUT_OUTPUTS ? outputs_as_points(ctx, rows, out)
                              : layout.kind == SRI_LAYOUT_TASKS
                                  ? sri_points_of_view(ctx, &labelled, &out->own.points)
                                  : sri_points_of(ctx, &rows->X, given_matrix, &out->own.points);
    out->own.problem.points = out->own.points;
    return st;
}

void sri_point_data_free(sri_point_data *data)
{
    sri_points_free(data->centres);
    sri_subproblem_free(&data->own);
    sri_free(data->name);
    sri_flat_free(&data->flat);
    *data = (sri_point_data){0};
}

/* The columns of Y that rows have. */
static int64_t outputs_of(const sri_point_data *data)
{
    return data->flat.n ? data->layout.T : data->own.problem.T;
}

specreg_status sri_fitted_values(specreg_context *ctx, const sri_point_data *data,
                                 const double *residual, double **out)
{
    const int64_t T = outputs_of(data), count = data->own.problem.n * data->own.problem.T;
    SRI_NEW_ZERO(ctx, *out, data->rows, T);
    for (int64_t k = 0; k < count; k++)
        (*out)[sri_flat_place(&data->flat, T, k)] = data->own.problem.Y[k] - residual[k];
    return SPECREG_OK;
}

/* Row i gets what its outputs have. */
static specreg_status gather_rows(specreg_context *ctx, const sri_point_data *data,
                                  sri_fitted *fitted)
{
    const int64_t T = outputs_of(data);
    double *gathered = NULL;
    SRI_NEW_ZERO(ctx, gathered, data->rows, T);
    for (int64_t k = 0; k < data->flat.n; k++)
        gathered[sri_flat_place(&data->flat, T, k)] = fitted->alpha[k];
    sri_free(fitted->alpha);
    fitted->alpha = gathered;
    fitted->n_centres = data->rows;
    return SPECREG_OK;
}

specreg_status sri_coefficients_take(specreg_context *ctx, const sri_point_data *data,
                                     const sri_kernel *kernel, sri_fitted *fitted,
                                     sri_layout_kind *kind)
{
    const sri_coupling *coupling = sri_kernel_coupling(kernel);
    const bool shared = coupling && !sri_coupling_sees(coupling) && !sri_kernel_is_matrix(kernel);
    *kind = data->layout.kind;
    if (*kind == SRI_LAYOUT_OUTPUTS && (shared || data->layout.field)) {
        SRI_CALL(gather_rows(ctx, data, fitted));
        *kind = SRI_LAYOUT_ROWS;
    }
    if (*kind == SRI_LAYOUT_ROWS)
        SRI_CALL(sri_coupling_mix(ctx, coupling, fitted->n_centres, fitted->alpha));
    return SPECREG_OK;
}

specreg_status sri_centres_take(specreg_context *ctx, sri_row_data *rows, sri_point_data *data,
                                sri_layout_kind kind, sri_points **out)
{
    if (data->centres) {
        SRI_MOVE(*out, data->centres);
        return SPECREG_OK;
    }
    if (data->own.points->stored == SRI_STORED_INDEX)
        return sri_points_of_index(ctx, NULL, rows->n, rows->X.p, out);
    if (kind == data->layout.kind) {
        *out = data->own.points;
        data->own.points = NULL;
    } else {
        SRI_CALL(sri_points_of(ctx, &rows->X, false, out));
    }
    (*out)->owns = true;
    if (kind == SRI_LAYOUT_OUTPUTS) {
        data->flat.X = data->flat.share = NULL;
        data->flat.label = NULL;
    } else {
        rows->X = (sri_matrix){0};
        rows->task = NULL;
    }
    return SPECREG_OK;
}
