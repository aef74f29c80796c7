#include "model/approx.h"

#include <math.h>

#include "sums/conjugate.h"

enum {
    EXACT_ROWS = 5000, /* so many are always exact */
    LEAST = 100,
    MOST = 16000,
    RACE_ROWS = 65536, /* that judge kernels before all rows do */
    MANY = 2000        /* fewer centres have sums, which give more digits, while they fit */
};

/* What is asked of fewer centres, to see whether it goes together. */
static sri_sums_spec spec_of(const sri_prepared *p, const sri_approx *approx)
{
    return (sri_sums_spec){.problem = &p->problem, .search = &p->spec, .approx = approx};
}

/* Rows and outputs as fewer centres see them: no filter makes a point of each output there. */
static int64_t rows_of(const sri_prepared *p)
{
    return p->problem.reader.layout.joint ? p->data.points.rows : p->problem.n;
}

static int64_t outputs_of(const sri_prepared *p)
{
    const sri_layout *layout = &p->problem.reader.layout;
    return layout->joint ? layout->T : p->problem.T;
}

static bool goes_together(specreg_context *ctx, const sri_prepared *p)
{
    const sri_approx rectangle = {.kind = SRI_APPROX_RECTANGLE};
    const sri_sums_spec spec = spec_of(p, &rectangle);
    return sri_sums_check(ctx, &spec) == SPECREG_OK;
}

specreg_status sri_approx_choose(specreg_context *ctx, sri_prepared *p, sri_approx_kind *out)
{
    const sri_recipe *recipe = p->call->recipe;
    double seconds;
    *out = SRI_APPROX_EXACT;
    if (recipe->search.approx.kind != SRI_APPROX_AUTO || rows_of(p) <= EXACT_ROWS ||
        !sri_rule_judges(&p->rule) || p->corpus.vocabulary)
        return SPECREG_OK;
    SRI_CALL(sri_prepare_nominal_seconds(ctx, p, &seconds));
    if (seconds > recipe->resources.time && goes_together(ctx, p))
        *out = SRI_APPROX_RECTANGLE;
    return SPECREG_OK;
}

double sri_approx_patience(const sri_prepared *p)
{
    const sri_recipe *recipe = p->call->recipe;
    return recipe->search.approx.kind != SRI_APPROX_EXACT && rows_of(p) > EXACT_ROWS
               ? recipe->resources.time
               : 0;
}

/* The rows of all passes over them, where a pass is over all rows for one kernel. */
static double rows_of_kernels(const sri_prepared *p, double rows)
{
    const double kernels = (double)sri_kernel_grid_count(&p->grid);
    return rows > 2 * RACE_ROWS && kernels > 2 ? kernels * RACE_ROWS + 2 * rows : kernels * rows;
}

/* How much longer a kernel value takes than with few columns. */
static double width_of(const sri_prepared *p)
{
    return fmax(1, (double)p->problem.points->p / 28);
}

/* The classes that have sums of their own in each fold, and the groups of outputs that are solved
 * for one by one, at most one for each output. */
static double classes_apart(const sri_prepared *p)
{
    return sri_has_own_rows(&p->problem) ? (double)p->problem.n_classes : 1;
}

static double groups_of_outputs(const sri_prepared *p)
{
    return sri_has_own_rows(&p->problem) ? (double)p->problem.T : 1;
}

/* Seconds of a search with m centres by sums. */
static double seconds_by_sums(const sri_prepared *p, double rows, double m)
{
    const sri_rates rates = sri_prepare_nominal_rates();
    const double kernels = (double)sri_kernel_grid_count(&p->grid);
    const double folds = 6, passes = p->problem.n_classes ? 1.6 : 1;
    return rows_of_kernels(p, rows) * passes *
               (2 * m * m / rates.gemm + m * width_of(p) / rates.values) +
           kernels * folds * groups_of_outputs(p) * 12 * m * m * m / rates.gemm;
}

/* Parameters, outputs and training sets, which conjugate gradients have a column for each. */
static double columns_of(const sri_prepared *p)
{
    enum { AUTOMATIC = 51 };
    const sri_rule *rule = &p->rule;
    const int64_t points = p->spec.path ? p->spec.path->count : AUTOMATIC;
    int64_t sets = 1;
    if (rule->ops->by_sums == SRI_SUMS_HELD_OUT)
        sets += rule->ops->folds ? rule->ops->folds(rule, &p->problem) : 1;
    return (double)(sets * (rule->ops->fixed ? 1 : points) * outputs_of(p));
}

/* An iteration passes over the rows once for every step, the others once for every solve. */
static void count_passes(const sri_prepared *p, sri_conjugate_size *size)
{
    const sri_filter *f = p->spec.filter;
    const sri_values *path = p->spec.path;
    const double end = path ? path->v[path->count - 1] : 1;
    size->solves = f->ops->resolvents ? f->ops->resolvents(f, end).order : 1;
    if (!sri_goes_by_steps(f) || !path)
        return;
    size->steps = path->v[path->count - 1];
    size->columns /= (double)path->count;
}

/* Conjugate gradients with m centres.  Kernel values stay in memory where they fit. */
static sri_conjugate_size size_of(const sri_prepared *p, double rows, double m)
{
    const sri_rates rates = sri_prepare_nominal_rates();
    const double left = (double)p->problem.resources.memory - sri_conjugate_bytes(m, columns_of(p));
    sri_conjugate_size size = {.rows = rows,
                               .m = m,
                               .columns = columns_of(p),
                               .value = 8 * rows * m < 0.6 * left
                                            ? SRI_VALUE_KEPT
                                            : width_of(p) * rates.gemm / rates.values,
                               .residual = p->call->recipe->search.approx.residual};
    count_passes(p, &size);
    return size;
}

static double seconds_by_products(const sri_prepared *p, double rows, double m)
{
    const sri_rates rates = sri_prepare_nominal_rates();
    const sri_conjugate_size size = size_of(p, rows, m);
    const int64_t looked = rows < RACE_ROWS ? (int64_t)rows : RACE_ROWS;
    return rows_of_kernels(p, rows) / rows * sri_conjugate_flops(&size, looked) / rates.gemm;
}

static double bytes_by_sums(const sri_prepared *p, double m)
{
    enum { AT_WORK = 6, FOLDS = 5, BLOCK_ROWS = 2 * 2048 };
    const double order = m + (double)(p->problem.unpenalised.l + outputs_of(p) + 1);
    const double leverages = p->rule.ops->by_sums == SRI_SUMS_LEFT_OUT ? groups_of_outputs(p) : 0;
    const double matrices = AT_WORK + 2 * FOLDS * classes_apart(p) + 2 * leverages;
    return 8 * order * (matrices * order + BLOCK_ROWS);
}

/* What asks for less memory where the other has too much, else for less time. */
sri_solver sri_approx_solver(const sri_prepared *p, int64_t rows, int64_t m)
{
    const sri_approx *asked = &p->call->recipe->search.approx;
    const double memory = (double)p->problem.resources.memory;
    const sri_sums_spec spec = spec_of(p, asked);
    if (asked->solver != SRI_SOLVER_AUTO)
        return asked->solver;
    if (sri_conjugate_refuses(&spec) || sri_conjugate_bytes((double)m, columns_of(p)) > memory)
        return SRI_SOLVER_SUMS;
    if (bytes_by_sums(p, (double)m) > memory)
        return SRI_SOLVER_CG;
    return m >= MANY && seconds_by_products(p, (double)rows, (double)m) <
                            seconds_by_sums(p, (double)rows, (double)m)
               ? SRI_SOLVER_CG
               : SRI_SOLVER_SUMS;
}

static double seconds_of(const sri_prepared *p, int64_t rows, int64_t m)
{
    return (sri_approx_solver(p, rows, m) == SRI_SOLVER_CG
                ? seconds_by_products
                : seconds_by_sums)(p, (double)rows, (double)m);
}

static double bytes_of(const sri_prepared *p, int64_t rows, int64_t m)
{
    return sri_approx_solver(p, rows, m) == SRI_SOLVER_CG
               ? sri_conjugate_bytes((double)m, columns_of(p))
               : bytes_by_sums(p, (double)m);
}

int64_t sri_approx_most(const sri_prepared *p, int64_t rows)
{
    const double time = p->call->recipe->resources.time;
    const double memory = (double)p->problem.resources.memory;
    int64_t most = LEAST;
    for (int64_t m = LEAST; m <= MOST && m < rows_of(p); m += LEAST)
        if (seconds_of(p, rows, m) <= time && bytes_of(p, rows, m) <= memory)
            most = m;
    return most < rows_of(p) ? most : rows_of(p);
}

specreg_status sri_approx_planned(specreg_context *ctx, sri_prepared *p, int64_t rows,
                                  sri_approx_plan *out)
{
    const sri_approx *asked = &p->call->recipe->search.approx;
    *out = (sri_approx_plan){.kind = asked->kind};
    if (asked->kind == SRI_APPROX_AUTO)
        SRI_CALL(sri_approx_choose(ctx, p, &out->kind));
    if (out->kind <= SRI_APPROX_EXACT)
        return SPECREG_OK;
    out->m = asked->m ? asked->m : sri_approx_most(p, rows);
    out->seconds = seconds_of(p, rows, out->m);
    out->seconds_here =
        out->seconds * sri_prepare_nominal_rates().gemm / sri_machine_now(&p->call->machine).gemm;
    out->bytes = bytes_of(p, rows, out->m);
    if (out->kind != SRI_APPROX_RECTANGLE || sri_approx_solver(p, rows, out->m) != SRI_SOLVER_CG)
        return SPECREG_OK;
    const sri_conjugate_size size = size_of(p, (double)rows, (double)out->m);
    out->passes = sri_conjugate_passes(&size, (double)sri_conjugate_sample(&size, rows));
    return SPECREG_OK;
}
