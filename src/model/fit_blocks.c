#include "model/fit_blocks.h"

#include <math.h>

#include "core/text.h"
#include "model/approx.h"
#include "model/claim.h"
#include "model/fit_subset.h"
#include "model/semi.h"
#include "sums/nystrom.h"

/* Rows that are looked at first: they decide about columns, scaling, classes, widths of kernels and
 * centres.  nystrom has a coefficient for every row. */
enum { LOOKED_AT = 65536, MOST_ROWS = 1 << 20 };

/* What was prepared from the first rows. */
typedef struct first_look {
    specreg_table *table;
    sri_blocks *rows; /* the same as blocks */
    sri_prepared p;
    int64_t *number; /* of its rows among all rows of the data */
    int64_t *listed; /* rows that are to be centres            */
} first_look;

static void first_look_free(first_look *look)
{
    sri_free(look->listed);
    sri_free(look->number);
    sri_prepared_free(&look->p);
    sri_blocks_free(look->rows);
    specreg_table_free(look->table);
}

static specreg_status first_look_make(specreg_context *ctx, const sri_call *call,
                                      sri_blocks *blocks, first_look *out)
{
    const sri_approx *approx = &call->recipe->search.approx;
    const bool all = approx->kind == SRI_APPROX_NYSTROM;
    sri_sample_rows which = {.count = all ? MOST_ROWS : LOOKED_AT,
                             .seed = call->recipe->resources.seed};
    int64_t rows;
    SRI_CALL(sri_centres_listed(ctx, approx, &out->listed, &which.n_listed));
    which.listed = out->listed;
    SRI_CALL(sri_blocks_sample(ctx, blocks, &which, &rows, &out->table));
    SRI_CHECK(ctx, !all || rows <= MOST_ROWS, SPECREG_E_ARG,
              "approx: nystrom is for up to %d rows, not %lld: take rectangle", MOST_ROWS,
              (long long)rows);
    SRI_CALL(sri_blocks_of_table(ctx, out->table, &out->rows));
    SRI_CALL(sri_prepare(ctx, call, out->table, &out->p)); /* columns, targets, points */
    SRI_CALL(sri_prepare_sums(ctx, &out->p));              /* kernel grid, rule        */
    SRI_CALL(sri_dataset_numbers(ctx, &out->p.data, &out->number));
    out->p.problem.reader.may_be_empty = true;
    return SPECREG_OK;
}

specreg_status sri_first_rows(specreg_context *ctx, const sri_call *call, sri_blocks *blocks,
                              int64_t *rows, specreg_table **out)
{
    const sri_sample_rows which = {.count = LOOKED_AT, .seed = call->recipe->resources.seed};
    return sri_blocks_sample(ctx, blocks, &which, rows, out);
}

specreg_status sri_fewer_of_blocks(specreg_context *ctx, const sri_call *call, sri_blocks *blocks,
                                   int64_t few, bool *out)
{
    specreg_status st = SPECREG_OK;
    sri_prepared p = {0};
    specreg_table *table = NULL;
    sri_approx_kind kind;
    int64_t rows;
    *out = false;
    SRI_TRY(sri_first_rows(ctx, call, blocks, &rows, &table));
    if (rows <= few)
        goto done;
    SRI_TRY(sri_prepare(ctx, call, table, &p));
    SRI_TRY(sri_semi_attach(ctx, &p));
    p.rows = rows;
    SRI_TRY(sri_prepare_search(ctx, &p));
    SRI_TRY(sri_approx_choose(ctx, &p, &kind));
    *out = kind == SRI_APPROX_RECTANGLE;
done:
    sri_prepared_free(&p);
    specreg_table_free(table);
    return st;
}

static sri_pass_reader reader_of(const sri_prepared *p)
{
    const sri_dataset *d = &p->data;
    const int64_t weights = d->roles.weights, group = d->roles.group;
    return (sri_pass_reader){.reader = &p->problem.reader,
                             .weights = weights >= 0 ? d->table->column[weights].name : NULL,
                             .group = group >= 0 ? d->table->column[group].name : NULL,
                             .class_weight = d->class_weight,
                             .T = p->problem.T,
                             .l = p->problem.unpenalised.l};
}

sri_sums_spec sri_sums_spec_of(const sri_prepared *p, sri_blocks *blocks, const int64_t *number)
{
    return (sri_sums_spec){.problem = &p->problem,
                           .search = &p->spec,
                           .approx = &p->call->recipe->search.approx,
                           .blocks = blocks,
                           .reader = reader_of(p),
                           .number = number};
}

static sri_sums_spec spec_of(const first_look *look, sri_blocks *blocks)
{
    sri_sums_spec spec = sri_sums_spec_of(&look->p, blocks, look->number);
    spec.first = look->rows;
    return spec;
}

/* What the report of the rows looked at does not know. */
static void describe(specreg_context *ctx, const sri_call *call, const sri_sums_facts *facts,
                     sri_fit_report *report)
{
    const sri_approx *approx = &call->recipe->search.approx;
    const sri_conjugate_facts *went = &facts->conjugate;
    report->data.n = facts->rows;
    report->search.approx = (sri_approx_report){approx->kind, approx->centres->name, *facts};
    if (approx->chosen)
        sri_note(ctx, &report->search.notes,
                 "with all %lld rows as centres the search would take more than --time or --memory "
                 "allow: the same command with --approx exact gives that solution",
                 (long long)facts->rows);
    if (went->unreached)
        sri_note(ctx, &report->search.notes,
                 "conjugate gradients end at a residual of %.2g, not %.2g, for %lld of the systems "
                 "of this search: rounding allows no less; a larger lambda, fewer centres or "
                 "solver=sums give more digits",
                 went->residual, approx->residual, (long long)went->unreached);
}

/* A search with so many centres; where their number was not given, it has a checkpoint of its own:
 * NAME.m500. */
static specreg_status search_m(specreg_context *ctx, const sri_sums_spec *spec,
                               const sri_approx *how, sri_search_result *found,
                               sri_points **centres, sri_sums_facts *facts)
{
    specreg_status st = SPECREG_OK;
    sri_search_spec search = *spec->search;
    sri_sums_spec own = *spec;
    sri_buffer name = {0};
    own.approx = how;
    own.search = &search;
    if (search.checkpoint && how->m != spec->approx->m) {
        SRI_TRY(sri_buffer_print(ctx, &name, "%s.m%lld", search.checkpoint, (long long)how->m));
        search.checkpoint = name.data;
    }
    SRI_TRY(sri_sums_search(ctx, &own, found, centres, facts));
done:
    sri_buffer_free(&name);
    return st;
}

/* One search, whose winner takes the place of the best so far where it is better. */
static specreg_status search_with(specreg_context *ctx, const sri_sums_spec *spec, sri_prepared *p,
                                  const sri_approx *how, sri_search_result *best,
                                  sri_sums_facts *facts)
{
    sri_points **centres = &p->data.points.centres;
    sri_search_result found;
    sri_points *its = NULL;
    sri_sums_facts its_facts;
    SRI_CALL(search_m(ctx, spec, how, &found, &its, &its_facts));
    if (*centres && !sri_score_better(&found.score, &best->score)) {
        sri_search_result_free(&found);
        sri_points_free(its);
        return SPECREG_OK;
    }
    sri_search_result_free(best);
    sri_points_free(*centres);
    *best = found;
    *centres = its;
    *facts = its_facts;
    return SPECREG_OK;
}

/* The two best kernels of a search that is over. */
static void keep_best(const sri_search_result *found, int64_t kernels, bool *only)
{
    for (int64_t k = 0; k < kernels; k++)
        only[k] = false;
    for (int kept = 0; kept < 2; kept++) {
        const sri_search_row *best = NULL;
        for (int64_t i = 0; i < found->rows; i++) {
            const sri_search_row *row = &found->row[i];
            if (!row->left && row->candidate < kernels && !only[row->candidate] &&
                (!best || sri_score_better(&row->score, &best->score)))
                best = row;
        }
        if (best)
            only[best->candidate] = true;
    }
}

/* With m given, or a list of centres, one search.  Else m is doubled until the error improves by
 * less than a hundredth, or the next would exceed the time; the first m decides which two kernels
 * the others compare. */
static specreg_status search(specreg_context *ctx, const sri_sums_spec *spec, sri_prepared *p,
                             sri_search_result *found, sri_sums_facts *facts)
{
    enum { FIRST = 500 };
    static const double WORTH = 0.01;
    specreg_status st = SPECREG_OK;
    sri_approx how = *spec->approx;
    sri_sums_spec own = *spec;
    bool *only = NULL;
    const int64_t known = spec->blocks ? sri_blocks_rows(spec->blocks) : p->problem.n;
    const int64_t rows = known < 0 ? p->problem.n : known;
    const bool once = how.m || how.file;
    const int64_t most = once ? how.m : sri_approx_most(p, rows);
    const int64_t kernels = sri_kernel_grid_count(&p->grid);
    double before = INFINITY;
    SRI_TRY(sri_prepared_announce(ctx, p, rows, true));
    SRI_ALLOC(ctx, only, kernels, 1);
    for (how.m = once || FIRST > most ? most : FIRST;;
         how.m = 2 * how.m < most ? 2 * how.m : most) {
        how.solver = spec->given ? SRI_SOLVER_SUMS : sri_approx_solver(p, rows, how.m);
        SRI_TRY(search_with(ctx, &own, p, &how, found, facts));
        const double value = found->score.value;
        if (how.m == most || !(before - value > WORTH * fabs(value)))
            break;
        before = value;
        keep_best(found, kernels, only);
        own.only = only;
    }
done:
    sri_free(only);
    return st;
}

/* Searches, and makes the model of what was found. */
static specreg_status fit_by(specreg_context *ctx, const sri_call *call, const sri_sums_spec *spec,
                             sri_prepared *p, specreg_model **out)
{
    specreg_status st = SPECREG_OK;
    sri_search_result found = {0};
    sri_sums_facts facts;
    sri_fit_report *report = NULL;
    sri_claim claim = {0};
    *out = NULL;
    if (spec->approx->kind == SRI_APPROX_NYSTROM)
        SRI_TRY(sri_nystrom_search(ctx, spec, &found, &facts));
    else
        SRI_TRY(search(ctx, spec, p, &found, &facts));
    SRI_TRY(sri_fit_report_make(ctx, p, &found, &report));
    describe(ctx, call, &facts, report);
    SRI_TRY(sri_claim_make(ctx, p, &found, &claim));
    SRI_TRY(sri_model_make(ctx, p, &found, report, out));
    report = NULL;
    SRI_TRY(sri_claim_check(ctx, &claim, *out, (*out)->report.fit));
done:
    if (st != SPECREG_OK) {
        specreg_model_free(*out);
        *out = NULL;
    }
    sri_claim_free(&claim);
    sri_fit_report_free(report);
    sri_search_result_free(&found);
    return st;
}

specreg_status sri_fit_blocks(specreg_context *ctx, const sri_call *call, sri_blocks *blocks,
                              specreg_model **out)
{
    first_look look = {0};
    specreg_status st = first_look_make(ctx, call, blocks, &look);
    if (st == SPECREG_OK && call->recipe->search.approx.kind == SRI_APPROX_SUBSET) {
        st = sri_fit_subset(ctx, &look.p, look.number, out);
    } else if (st == SPECREG_OK) {
        const sri_sums_spec spec = spec_of(&look, blocks);
        st = fit_by(ctx, call, &spec, &look.p, out);
    }
    first_look_free(&look);
    return st;
}

specreg_status sri_fit_table_by_blocks(specreg_context *ctx, const sri_call *call,
                                       const specreg_table *train, specreg_model **out)
{
    sri_blocks *blocks = NULL;
    SRI_CALL(sri_blocks_of_table(ctx, train, &blocks));
    const specreg_status st = sri_fit_blocks(ctx, call, blocks, out);
    sri_blocks_free(blocks);
    return st;
}

/* A look at a table that is there already. */
static specreg_status look_at_table(specreg_context *ctx, const sri_call *call,
                                    const specreg_table *first, first_look *out)
{
    sri_blocks *blocks = NULL;
    SRI_CALL(sri_blocks_of_table(ctx, first, &blocks));
    const specreg_status st = first_look_make(ctx, call, blocks, out);
    sri_blocks_free(blocks);
    return st;
}

specreg_status sri_sums_try_basis(specreg_context *ctx, const sri_call *call,
                                  const specreg_table *first)
{
    first_look look = {0};
    specreg_status st = look_at_table(ctx, call, first, &look);
    if (st == SPECREG_OK) {
        const sri_sums_spec spec = spec_of(&look, NULL);
        st = sri_sums_check(ctx, &spec);
    }
    first_look_free(&look);
    return st;
}

specreg_status sri_sums_add_blocks(specreg_context *ctx, const sri_call *call,
                                   const specreg_table *first, sri_blocks *blocks,
                                   sri_stored_sums *out)
{
    specreg_status st = SPECREG_OK;
    first_look look = {0};
    sri_block_list list = {0};
    SRI_TRY(look_at_table(ctx, call, first, &look));
    const sri_sums_spec spec = spec_of(&look, blocks);
    SRI_TRY(sri_sums_of_kernels(ctx, &spec, &out->sums, &out->kernels, &list));
    SRI_MOVE(out->block, list.block);
    out->blocks = list.count;
done:
    sri_free(list.block);
    first_look_free(&look);
    return st;
}

specreg_status sri_fit_stored(specreg_context *ctx, const sri_call *call,
                              const specreg_table *first, sri_stored_sums *stored,
                              specreg_model **out)
{
    first_look look = {0};
    specreg_status st = look_at_table(ctx, call, first, &look);
    if (st == SPECREG_OK) {
        sri_sums_spec spec = spec_of(&look, NULL);
        spec.given = stored->sums;
        spec.n_given = stored->kernels;
        if (!call->recipe->search.criterion) /* error rates take a look at rows */
            look.p.problem.judging.criterion = &sri_measure_mse;
        st = fit_by(ctx, call, &spec, &look.p, out);
    }
    first_look_free(&look);
    return st;
}
