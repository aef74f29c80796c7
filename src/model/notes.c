/* What a person should know about a fit, beyond its numbers. */
#include <math.h>

#include "core/text.h"
#include "data/judge.h"
#include "kernel/registry.h"
#include "model/report.h"

int64_t sri_target_moments(const sri_problem *problem, int64_t target, double *mean, double *square)
{
    const sri_points *points = problem->points;
    int64_t count = 0;
    *mean = *square = 0;
    for (int64_t i = 0; i < problem->n; i++) {
        const bool own = !points->share || sri_view_label(&points->rows, i) == target;
        const double y = own ? problem->Y[points->share ? i : i * problem->T + target] : 0;
        count += own;
        *mean += y;
        *square += y * y;
    }
    *mean /= (double)count;
    *square /= (double)count;
    return count;
}

/* There is no constant term: targets far from 0 have to be reached by the kernel. */
static void note_offset(specreg_context *ctx, sri_notes *notes, const sri_problem *problem)
{
    const bool padded = problem->extension && !problem->extension->unlabelled->has_graph;
    const char *help =
        padded ? "subtract the mean, or take --laplacian" : "try --features constant";
    if (problem->classes || problem->unpenalised.l)
        return;
    for (int64_t t = 0; t < problem->reader.target->n_columns; t++) {
        double mean, square;
        if (sri_target_moments(problem, t, &mean, &square) == 0)
            continue;
        if (mean * mean > square - mean * mean) {
            sri_note(ctx, notes,
                     "target '%s' has mean %.4g and deviation %.4g, but the model has no "
                     "constant term: %s",
                     problem->reader.target->name[t], mean, sqrt(fmax(0, square - mean * mean)),
                     help);
            return;
        }
    }
}

/* Numbers that may be the names of classes, and classes that may be counts. */
static void note_classes(specreg_context *ctx, sri_notes *notes, const sri_problem *problem)
{
    char text[400];
    if (sri_target_doubt(problem->reader.target, text, sizeof text))
        sri_note(ctx, notes, "%s", text);
}

static void note_edge(specreg_context *ctx, sri_notes *notes, const char *name, double value,
                      double least, double most)
{
    char text[32];
    if (least < most && (value == least || value == most))
        sri_note(ctx, notes, "%s=%s is the %s value tried: a wider range may do better", name,
                 sri_format_double(value, text), value == least ? "smallest" : "largest");
}

/* Among all kernels tried: those of the grid, and beyond it where it was extended. */
static void note_kernel_edges(specreg_context *ctx, sri_notes *notes, const sri_kernel_grid *grid,
                              const sri_search_result *result)
{
    const sri_kernel *kernel = &result->kernel;
    grid = sri_kernel_family_of(grid, kernel);
    for (int t = 0; t < kernel->n_terms; t++)
        for (int i = 0; i < sri_kernel_param_count(&kernel->term[t]); i++) {
            double least = INFINITY, most = -INFINITY;
            for (int64_t c = 0; c < result->candidates; c++) {
                if (!sri_kernel_same_family(&result->candidate[c], kernel))
                    continue;
                least = fmin(least, result->candidate[c].term[t].param[i]);
                most = fmax(most, result->candidate[c].term[t].param[i]);
            }
            const sri_param param = sri_kernel_param_at(&kernel->term[t], i);
            if (!param.open && least == param.least) /* nothing is allowed beyond */
                least = -INFINITY;
            if (param.most > 0 && most == param.most)
                most = INFINITY;
            if (grid->list[t][i].count > 2)
                note_edge(ctx, notes, param.name, kernel->term[t].param[i], least, most);
        }
}

/* Lists of the filter's own parameters, where they have more than two values. */
static void note_setting_edges(specreg_context *ctx, sri_notes *notes,
                               const sri_filter_grid *settings, const sri_filter *chosen)
{
    for (int i = 0; settings && i < sri_filter_param_count(chosen); i++) {
        const sri_param param = sri_filter_param_at(chosen, i);
        double least = INFINITY, most = -INFINITY;
        bool between = false;
        for (int64_t k = 0; k < settings->count; k++) {
            least = fmin(least, settings->at[k].param[i]);
            most = fmax(most, settings->at[k].param[i]);
        }
        for (int64_t k = 0; k < settings->count; k++)
            between =
                between || (settings->at[k].param[i] > least && settings->at[k].param[i] < most);
        if (!param.open && least == param.least) /* nothing is allowed beyond */
            least = -INFINITY;
        if (param.most > 0 && most == param.most)
            most = INFINITY;
        if (between)
            note_edge(ctx, notes, param.name, chosen->param[i], least, most);
    }
}

static void note_path_edge(specreg_context *ctx, sri_notes *notes, sri_path_kind kind,
                           const sri_search_result *result)
{
    double least = INFINITY, most = -INFINITY;
    for (int64_t i = 0; i < result->rows; i++) {
        const sri_kernel *tried = &result->candidate[result->row[i].candidate];
        if (!sri_kernel_same_family(tried, &result->kernel) ||
            result->row[i].setting != result->row[result->winner].setting)
            continue;
        least = fmin(least, result->row[i].param);
        most = fmax(most, result->row[i].param);
    }
    if (kind != SRI_PATH_LAMBDA) /* one step or component is a fair choice */
        least = -INFINITY;
    if (result->rows > 2)
        note_edge(ctx, notes, sri_path_name(kind), result->param, least, most);
}

/* The null space of a graph's matrix is what all outputs have in common. */
static void note_mean(specreg_context *ctx, sri_notes *notes, const sri_kernel_grid *grid)
{
    for (int t = 0; t < grid->n_outputs; t++)
        if (sri_outputs_mean_is_zero(&grid->outputs[t])) {
            sri_note(ctx, notes,
                     "outputs graph: the diagonal of %s is zero, which holds the mean over the "
                     "outputs at 0: give an output a weight of its own there, or subtract the mean",
                     grid->outputs[t].file);
            return;
        }
}

int64_t sri_kept_eigenvalues(const sri_prepared *p, const sri_search_result *result)
{
    const sri_layout *layout = &p->problem.reader.layout;
    const bool joint = layout->joint && layout->kind == SRI_LAYOUT_ROWS;
    const double of_kernel = result->fitted.df - (double)p->problem.unpenalised.l;
    return llround(of_kernel * (joint ? (double)p->problem.T : 1));
}

/* A cut-off above all eigenvalues leaves the unpenalised terms alone. */
static void note_nothing_kept(specreg_context *ctx, sri_notes *notes, const sri_prepared *p,
                              const sri_search_result *result)
{
    if (result->filter.ops->truncates && isfinite(result->fitted.df) &&
        sri_kept_eigenvalues(p, result) == 0)
        sri_note(ctx, notes,
                 "%s with %s=%.3g keeps no eigenvalue of K/n: the kernel has no part in the model; "
                 "a smaller value keeps some",
                 sri_filter_name(&result->filter), sri_path_name(result->filter.path),
                 result->param);
}

/* 1 / g(0) is what an eigenvalue has to be above, lambda for Tikhonov. */
static void note_rounding(specreg_context *ctx, sri_notes *notes, const sri_search_result *result)
{
    double g, r;
    if (result->report.rounding == 0 || sri_filter_nonlinear(&result->filter) ||
        isnan(result->param))
        return;
    result->filter.ops->eval(&result->filter, 0, &result->param, 1, &g, &r);
    if (result->report.rounding * g > 0.1)
        sri_note(ctx, notes,
                 "single precision rounds the kernel matrix by about %.1e, which is much beside "
                 "%s=%.3g: --precision double tells more",
                 result->report.rounding, sri_path_name(result->filter.path), result->param);
}

/* Columns at which a person should look again, and those that were left out. */
static void note_columns(specreg_context *ctx, sri_notes *notes, const sri_prepared *p)
{
    const sri_dataset *d = &p->data;
    for (int k = SRI_DOUBT_NONE + 1; k < SRI_DOUBTS && !d->table->sparse; k++) {
        sri_buffer text = {0};
        if (sri_doubt_text(ctx, d->table, &d->roles, p->call->recipe->data.dates, (sri_doubt)k,
                           &text) != SPECREG_OK)
            notes->failed = true;
        else if (text.length)
            sri_note(ctx, notes, "%s", text.data);
        sri_buffer_free(&text);
    }
}

static void note_families(specreg_context *ctx, sri_notes *notes, const sri_prepared *p)
{
    if (p->families_left)
        sri_note(ctx, notes,
                 "only %s kernels were tried: comparing other families would take long (--kernel "
                 "'{rbf,laplace,matern}' does it)",
                 p->grid.base.term[0].ops->name);
}

void sri_notes_fit(specreg_context *ctx, const sri_prepared *p, const sri_search_result *result,
                   sri_notes *notes)
{
    note_columns(ctx, notes, p);
    note_offset(ctx, notes, &p->problem);
    note_mean(ctx, notes, &p->grid);
    note_classes(ctx, notes, &p->problem);
    note_families(ctx, notes, p);
    note_kernel_edges(ctx, notes, &p->grid, result);
    note_setting_edges(ctx, notes, p->spec.filters, &result->filter);
    note_nothing_kept(ctx, notes, p, result);
    note_path_edge(ctx, notes, p->spec.filter->path, result);
    note_rounding(ctx, notes, result);
}

void sri_notes_search(specreg_context *ctx, const sri_search_result *result, sri_notes *notes)
{
    const sri_report *report = &result->report;
    if (report->fell_back)
        sri_note(ctx, notes,
                 "the kernel matrix is singular to rounding: %lld factorization%s gave way "
                 "to the full decomposition",
                 (long long)report->fell_back, report->fell_back == 1 ? "" : "s");
    if (report->bound > 1e-6)
        sri_note(ctx, notes,
                 "krylov stopped after %lld steps with a residual bound of %.1e of |y|: the "
                 "smallest lambda may be less exact",
                 (long long)report->steps, report->bound);
    for (int i = 0; i < result->notes.count; i++)
        sri_note(ctx, notes, "%s", result->notes.text[i]);
}
