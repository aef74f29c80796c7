#include "sums/accumulate.h"

#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "backend/slab.h"
#include "core/arena.h"
#include "sums/crew.h"

/* Coordinates of so many rows are computed together, while they lie in the cache. */
enum { SLICE = 512 };

/* What a worker needs for a block. */
typedef struct workspace {
    double *Z;          /* SLICE x order     */
    sri_sums_room room; /* of the first pass */
} workspace;

typedef struct first_pass {
    const sri_sums_source *source;
    sri_sums *sums;
    workspace *at_place;
    sri_digest *digest; /* of the block at each place */
    sri_block_list *blocks;
    sri_pass_checkpoint *checkpoint; /* NULL: none */
    int64_t settled;                 /* blocks */
    sri_digest chain;                /* of these */
} first_pass;

/* Whether a block is in the sums of the checkpoint. */
static bool is_added(const first_pass *pass, int64_t block)
{
    return pass->checkpoint && block < pass->checkpoint->blocks;
}

/* Room for every block that is worked on at the same time; `sums` NULL: the second pass. */
static specreg_status make_workspaces(specreg_context *ctx, sri_arena *memory, int64_t order,
                                      const sri_sums *sums, workspace **out)
{
    const int places = sri_crew_size();
    SRI_ARENA_NEW(ctx, memory, *out, places, 1);
    for (int k = 0; k < places; k++) {
        SRI_ARENA_NEW(ctx, memory, (*out)[k].Z, SLICE, order);
        if (sums)
            SRI_CALL(sri_sums_room_new(ctx, memory, sums, SRI_BLOCK_ROWS, &(*out)[k].room));
    }
    return SPECREG_OK;
}

/* Some rows of a block. */
typedef struct slice {
    const sri_sample *of;
    int64_t first, n;
} slice;

/* Those from `first` on, at most SLICE and none from `end` on. */
static slice slice_at(const sri_sample *rows, int64_t first, int64_t end)
{
    return (slice){rows, first, end - first < SLICE ? end - first : SLICE};
}

/* Z: z of each row, (b, phi, y, 1), without its weight; or with kernel values in place of b. */
static specreg_status make_coordinates(specreg_context *ctx, const sri_sums_source *source,
                                       slice rows, bool of_centres, double *Z)
{
    const sri_sums_layout *at = &source->at;
    const sri_whitening *w = source->whitening;
    const int64_t order = sri_sums_order(at), l = at->l, T = at->T;
    const sri_rows_view some = sri_view_slice(&rows.of->rows, rows.first, rows.n);
    SRI_CALL(of_centres ? sri_kernel_block(ctx, w->kernel, &some, w->centres, Z, order)
                        : sri_whiten(ctx, w, &some, Z, order));
    for (int64_t i = 0; i < rows.n; i++) {
        double *z = Z + i * order + at->r;
        if (l)
            memcpy(z, rows.of->P + (rows.first + i) * l, (size_t)l * sizeof *z);
        memcpy(z + l, rows.of->Y + (rows.first + i) * T, (size_t)T * sizeof *z);
        z[l + T] = 1;
    }
    return SPECREG_OK;
}

static void weigh(const double *weight, int64_t rows, int64_t order, double *Z)
{
    for (int64_t i = 0; weight && i < rows; i++) {
        const double root = sqrt(weight[i]);
        for (int64_t j = 0; j < order; j++)
            Z[i * order + j] *= root;
    }
}

static specreg_status too_large(specreg_context *ctx, const sri_row_block *block)
{
    return sri_fail(ctx, SPECREG_E_NUMERIC,
                    "rows %lld to %lld: inputs, targets or weights are more than 10,000 times as "
                    "large as those of the rows that were looked at first",
                    (long long)block->first + 1, (long long)(block->first + SRI_BLOCK_ROWS));
}

/* Of the inputs, targets and weights of a block's rows. */
static sri_digest digest_of(const sri_sample *rows, int64_t T)
{
    const sri_matrix *x = &rows->rows.x;
    sri_digest d = {{0}};
    const size_t entries = (size_t)(x->x ? rows->n * x->p : sri_matrix_entries(x));
    if (x->start) {
        sri_digest_add(&d, x->start, (size_t)(rows->n + 1) * sizeof *x->start);
        sri_digest_add(&d, x->index, entries * sizeof *x->index);
    }
    sri_digest_add(&d, x->x ? x->x : x->value, entries * sizeof(double));
    sri_digest_add(&d, rows->Y, (size_t)(rows->n * T) * sizeof *rows->Y);
    if (rows->weight)
        sri_digest_add(&d, rows->weight, (size_t)rows->n * sizeof *rows->weight);
    return d;
}

/* The coordinates of all rows of a block, slice by slice. */
static specreg_status put_block(specreg_context *ctx, const first_pass *pass,
                                const sri_sample *rows, const workspace *work)
{
    for (int64_t first = 0; first < rows->n; first += SLICE) {
        const slice some = slice_at(rows, first, rows->n);
        SRI_CALL(make_coordinates(ctx, pass->source, some, false, work->Z));
        weigh(rows->weight ? rows->weight + first : NULL, some.n, pass->sums->order, work->Z);
        sri_sums_put(pass->sums, &work->room, first, work->Z, some.n);
    }
    return SPECREG_OK;
}

static specreg_status add_block(specreg_context *ctx, void *payload, const sri_row_block *block,
                                int place)
{
    const first_pass *pass = payload;
    const workspace *work = &pass->at_place[place];
    sri_sums *sums = pass->sums;
    if (pass->blocks || pass->checkpoint)
        pass->digest[place] = digest_of(&block->rows, sums->at.T);
    if (is_added(pass, pass->settled + place))
        return SPECREG_OK;
    SRI_CALL(put_block(ctx, pass, &block->rows, work));
    for (int64_t f = 0; f < sums->parts; f++) {
        const int64_t first = block->start[f], rows = block->start[f + 1] - first;
        if (rows && !sri_sums_add(sums, f, &work->room, first, rows))
            return too_large(ctx, block);
    }
    return SPECREG_OK;
}

static specreg_status rows_changed(specreg_context *ctx, const first_pass *pass)
{
    return sri_fail(ctx, SPECREG_E_FORMAT,
                    "%s: the rows before row %lld are not those of the checkpoint: remove it or "
                    "name another file",
                    pass->checkpoint->file.path,
                    (long long)(pass->checkpoint->blocks * SRI_BLOCK_ROWS + 1));
}

/* Sees that the blocks of the checkpoint are those that were read, and writes it now and then. */
static specreg_status settle_checkpoint(specreg_context *ctx, first_pass *pass, int count)
{
    sri_pass_checkpoint *c = pass->checkpoint;
    for (int k = 0; k < count; k++) {
        sri_digest_add(&pass->chain, &pass->digest[k], sizeof pass->digest[k]);
        if (pass->settled + k + 1 == c->blocks &&
            memcmp(&pass->chain, &c->chain, sizeof c->chain) != 0)
            return rows_changed(ctx, pass);
    }
    pass->settled += count;
    return pass->settled > c->blocks && sri_checkpoint_due(&c->file)
               ? sri_pass_checkpoint_write(ctx, c, pass->sums, pass->settled, pass->chain)
               : SPECREG_OK;
}

static specreg_status settle_sums(specreg_context *ctx, void *payload, int count)
{
    first_pass *pass = payload;
    sri_block_list *list = pass->blocks;
    for (int k = 0; list && k < count; k++) {
        SRI_CALL(SRI_GROW(ctx, list->block, list->capacity, list->count + 1));
        list->block[list->count++] = pass->digest[k];
    }
    SRI_CALL(sri_sums_settle(ctx, pass->sums, count));
    return pass->checkpoint ? settle_checkpoint(ctx, pass, count) : SPECREG_OK;
}

/* At the end: the checkpoint has all rows. */
static specreg_status finish_checkpoint(specreg_context *ctx, first_pass *pass)
{
    sri_pass_checkpoint *c = pass->checkpoint;
    if (!c || pass->settled == c->blocks)
        return SPECREG_OK;
    if (pass->settled < c->blocks)
        return rows_changed(ctx, pass);
    return sri_pass_checkpoint_write(ctx, c, pass->sums, pass->settled, pass->chain);
}

specreg_status sri_accumulate(specreg_context *ctx, const sri_sums_source *source, sri_sums *sums,
                              sri_block_list *blocks, sri_pass_checkpoint *checkpoint)
{
    specreg_status st = SPECREG_OK;
    sri_arena memory = {0};
    int64_t rows;
    first_pass own = {.source = source, .sums = sums, .blocks = blocks, .checkpoint = checkpoint};
    if (checkpoint && checkpoint->blocks)
        sri_log(ctx, "checkpoint: %lld blocks of rows are in the sums already",
                (long long)checkpoint->blocks);
    const sri_pass pass = {add_block, settle_sums, &own, "summing over the rows"};
    SRI_TRY(make_workspaces(ctx, &memory, sums->order, sums, &own.at_place));
    SRI_SCRATCH(ctx, &memory, own.digest, sri_crew_size(), 1);
    SRI_TRY(sri_pass_run(ctx, &pass, source->reader, source->blocks, &rows));
    SRI_TRY(sri_sums_close(ctx, sums));
    SRI_TRY(finish_checkpoint(ctx, &own));
done:
    sri_arena_free(&memory);
    return st;
}

/* The second pass: losses of each block at its place, added up in the order of rows. */
typedef struct second_pass {
    const sri_sums_source *source;
    const sri_second_look *look;
    sri_leverages *leverages; /* of each group of outputs, where the look has them */
    workspace *at_place;
    int64_t kinds;          /* of rows with losses of their own: 1, or the classes */
    sri_losses **at_losses; /* for each place, judged x kinds x count              */
    sri_losses *losses;     /* judged x kinds x count                              */
} second_pass;

static int64_t points_of(const sri_second_look *look)
{
    return look->path->count;
}

/* Rows, and what predictors say of them. */
typedef struct predictions {
    const sri_sums_path *by;
    sri_dense Z;
    const sri_truth *truth;
    double *F; /* Z.rows x (count T) */
} predictions;

/* The rows that train a group of outputs. */
typedef struct trained_by {
    sri_dense Z;  /* one after the other: those of all rows where all of them do */
    int64_t *row; /* their places among all                                      */
} trained_by;

static specreg_status choose_rows(specreg_context *ctx, sri_arena *memory, const second_pass *pass,
                                  int64_t group, const predictions *p, trained_by *out)
{
    const sri_sums_parts *parts = pass->look->parts;
    const int64_t ld = p->Z.ld;
    int64_t n = 0;
    double *own;
    out->Z = p->Z;
    SRI_ARENA_NEW(ctx, memory, out->row, p->Z.rows, 1);
    for (int64_t i = 0; i < p->Z.rows; i++)
        if (parts->classes == 1 || sri_parts_trains(parts, group, p->truth->classes[i]))
            out->row[n++] = i;
    if (n == p->Z.rows)
        return SPECREG_OK;
    SRI_ARENA_NEW(ctx, memory, own, n, ld);
    for (int64_t i = 0; i < n; i++)
        memcpy(own + i * ld, p->Z.x + out->row[i] * ld, (size_t)ld * sizeof *own);
    out->Z.rows = n;
    out->Z.x = own;
    return SPECREG_OK;
}

/* Turns predictions of a group of outputs into those of predictors trained without the row. */
static specreg_status leave_out(specreg_context *ctx, const second_pass *pass, int64_t group,
                                const predictions *p)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const sri_output_group *g = &pass->look->parts->group[group];
    const sri_leverages *of = &pass->leverages[group];
    const int64_t T = p->by->T, count = p->by->count;
    const int64_t ldh = sri_slab_padded(sri_leverages_columns(of));
    trained_by rows;
    double *h, *e;
    SRI_TRY(choose_rows(ctx, &scratch, pass, group, p, &rows));
    const int64_t n = rows.Z.rows, size = count * g->count;
    SRI_SCRATCH(ctx, &scratch, h, n, ldh);
    SRI_SCRATCH(ctx, &scratch, e, n, size); /* residuals */
    SRI_TRY(sri_leverages_of(ctx, of, rows.Z.x, rows.Z.ld, n, h));
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < size; c++) {
            const int64_t t = g->output[c % g->count];
            const double f = p->F[(rows.row[i] * count + c / g->count) * T + t];
            e[i * size + c] = p->truth->Y[rows.row[i] * T + t] - f;
        }
    SRI_TRY(sri_outputs_apart(ctx, of->coupling, n * count, e));
    for (int64_t i = 0; i < n; i++) {
        const double w = p->truth->weight ? p->truth->weight[rows.row[i]] : 1;
        for (int64_t c = 0; c < size; c++) {
            const int64_t scale = of->scales.of[c % g->count];
            e[i * size + c] /= 1 - w * h[i * ldh + scale * count + c / g->count];
        }
    }
    SRI_TRY(sri_outputs_together(ctx, of->coupling, n * count, e));
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < size; c++) {
            const int64_t t = g->output[c % g->count];
            p->F[(rows.row[i] * count + c / g->count) * T + t] =
                p->truth->Y[rows.row[i] * T + t] - e[i * size + c];
        }
done:
    sri_arena_free(&scratch);
    return st;
}

/* Predictions, of rows left out one by one where there are leverages. */
static specreg_status predict(specreg_context *ctx, const second_pass *pass, const predictions *p)
{
    const int64_t columns = p->by->count * p->by->T;
    sri_gemm(false, false, p->Z.rows, columns, p->by->width, 1, p->Z.x, p->Z.ld, p->by->W, columns,
             0, p->F, columns);
    for (int64_t g = 0; pass->look->leverages && g < pass->look->parts->groups; g++)
        SRI_CALL(leave_out(ctx, pass, g, p));
    return SPECREG_OK;
}

/* Adds the losses of rows of `first`, the predictions of the first point of the path. */
static specreg_status add_losses(specreg_context *ctx, const second_pass *pass,
                                 const sri_comparison *first, sri_losses *losses)
{
    for (int64_t k = 0; k < points_of(pass->look) && first->n; k++) {
        sri_comparison c = *first;
        c.F += k * first->T;
        SRI_CALL(sri_losses_add(ctx, pass->look->problem, c, &losses[k]));
    }
    return SPECREG_OK;
}

/* Adds the losses of rows whose predictions are F, class by class where these are to count the
 * same. */
static specreg_status judge(specreg_context *ctx, const second_pass *pass, const sri_truth *truth,
                            int64_t rows, const double *F, sri_losses *losses)
{
    specreg_status st = SPECREG_OK;
    const int64_t count = points_of(pass->look);
    int64_t *of_class = NULL;
    sri_comparison c = sri_problem_compare(pass->look->problem, F, *truth, rows);
    c.ldf = count * c.T;
    if (pass->kinds == 1)
        return add_losses(ctx, pass, &c, losses);
    SRI_ALLOC(ctx, of_class, rows, 1);
    c.rows = of_class;
    for (int64_t class = 0; class < pass->kinds; class ++) {
        c.n = 0;
        for (int64_t i = 0; i < rows; i++)
            if (truth->classes[i] == class)
                of_class[c.n++] = i;
        SRI_TRY(add_losses(ctx, pass, &c, losses + class * count));
    }
done:
    sri_free(of_class);
    return st;
}

/* Losses of rows whose weights are multiplied by `factor`. */
static struct sri_loss times(struct sri_loss l, double factor)
{
    const double square = factor * factor;
    return (struct sri_loss){factor * l.v, square * l.vv, factor * l.vx, square * l.vvx,
                             square * l.vvxx};
}

/* Joins the losses of the classes, each of which has the weight 1 in all parts together. */
static void join_classes(const second_pass *pass, sri_losses *losses)
{
    const int64_t count = points_of(pass->look), judged = pass->look->judged;
    for (int64_t class = 0; class < pass->kinds; class ++) {
        const sri_losses *own = pass->losses + class * count;
        double weight = 0;
        for (int64_t f = 0; f < judged; f++)
            weight += own[f * pass->kinds * count].own.v;
        for (int64_t k = 0; k < judged * count && weight > 0; k++) {
            sri_losses one = own[k / count * pass->kinds * count + k % count];
            one.squared = times(one.squared, 1 / weight);
            one.own = times(one.own, 1 / weight);
            sri_losses_join(&losses[k], &one);
        }
    }
}

/* Looks at rows that belong to fold f. */
static specreg_status look_at_rows(specreg_context *ctx, const second_pass *pass,
                                   const sri_row_block *block, int64_t f, slice rows, int place)
{
    specreg_status st = SPECREG_OK;
    const sri_sums_path *by = &pass->look->path[f];
    const sri_sample *all = rows.of;
    const int64_t order = sri_sums_order(&pass->source->at), T = pass->source->at.T;
    const sri_truth truth = {all->Y + rows.first * T,
                             all->classes ? all->classes + rows.first : NULL,
                             all->weight ? all->weight + rows.first : NULL};
    const sri_dense Z = {rows.n, order, pass->at_place[place].Z, order};
    double *F = NULL;
    SRI_ALLOC(ctx, F, rows.n, by->count * T);
    SRI_TRY(make_coordinates(ctx, pass->source, rows, by->of_centres, pass->at_place[place].Z));
    SRI_TRY(predict(ctx, pass, &(predictions){by, Z, &truth, F}));
    if (pass->look->seen)
        pass->look->seen(pass->look->payload, block, rows.first, rows.n, F);
    else if (pass->look->collect)
        sri_collect_put(pass->look->collect, place, f, rows.n, F, &truth);
    else
        SRI_TRY(judge(ctx, pass, &truth, rows.n, F,
                      pass->at_losses[place] + f * pass->kinds * by->count));
done:
    sri_free(F);
    return st;
}

static specreg_status look_at_block(specreg_context *ctx, void *payload, const sri_row_block *block,
                                    int place)
{
    const second_pass *pass = payload;
    const int64_t all = pass->look->judged * pass->kinds * points_of(pass->look);
    memset(pass->at_losses[place], 0, (size_t)all * sizeof **pass->at_losses);
    const int64_t classes = pass->look->parts->classes;
    for (int64_t f = 0; f < pass->look->judged; f++) {
        const int64_t end = block->start[(f + 1) * classes];
        for (int64_t first = block->start[f * classes]; first < end; first += SLICE)
            SRI_CALL(look_at_rows(ctx, pass, block, f, slice_at(&block->rows, first, end), place));
    }
    return SPECREG_OK;
}

static specreg_status settle_losses(specreg_context *ctx, void *payload, int places)
{
    const second_pass *pass = payload;
    const int64_t all = pass->look->judged * pass->kinds * points_of(pass->look);
    if (pass->look->collect)
        return sri_collect_settle(ctx, pass->look->collect, places);
    for (int place = 0; pass->losses && place < places; place++)
        for (int64_t k = 0; k < all; k++)
            sri_losses_join(&pass->losses[k], &pass->at_losses[place][k]);
    return SPECREG_OK;
}

specreg_status sri_look_again(specreg_context *ctx, const sri_sums_source *source,
                              const sri_second_look *look, sri_losses *losses)
{
    specreg_status st = SPECREG_OK;
    sri_arena memory = {0};
    const int places = sri_crew_size();
    int64_t rows;
    const bool apart =
        losses && !look->collect && sri_criterion_of(look->problem)->balances_classes;
    second_pass own = {.source = source,
                       .look = look,
                       .losses = losses,
                       .kinds = apart ? look->problem->n_classes : 1};
    const sri_pass pass = {look_at_block, settle_losses, &own,
                           look->seen ? NULL : "judging the rows"};
    SRI_TRY(make_workspaces(ctx, &memory, sri_sums_order(&source->at), NULL, &own.at_place));
    const int64_t groups = look->leverages ? look->parts->groups : 0;
    SRI_SCRATCH(ctx, &memory, own.leverages, groups, 1);
    for (int64_t g = 0; g < groups; g++)
        SRI_TRY(sri_leverages_pack(ctx, &memory, &look->leverages[g], &own.leverages[g]));
    SRI_SCRATCH(ctx, &memory, own.at_losses, places, 1);
    for (int k = 0; k < places; k++)
        SRI_SCRATCH(ctx, &memory, own.at_losses[k], look->judged * own.kinds, points_of(look));
    if (apart)
        SRI_SCRATCH_ZERO(ctx, &memory, own.losses, look->judged * own.kinds, points_of(look));
    SRI_TRY(sri_pass_run(ctx, &pass, source->reader, source->blocks, &rows));
    if (apart)
        join_classes(&own, losses);
done:
    sri_arena_free(&memory);
    return st;
}
