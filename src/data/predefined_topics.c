/* Shares of topics as predefined features: learned from the counts of the rows that train,
 * folded in for every row, also those.  They add up to 1, so that there is a constant among
 * their sums. */
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "data/predefined.h"
#include "data/text/plsa.h"
#include "data/text/vocabulary.h"

static specreg_status parse(specreg_context *ctx, sri_predefined_term *term)
{
    sri_plsa_how how;
    return sri_plsa_how_parse(ctx, *term->text ? term->text : "auto", &how);
}

/* The counts of the rows: those of documents, or the sparse columns themselves. */
static specreg_status counts_of(specreg_context *ctx, const sri_predefined_rows *rows,
                                sri_matrix *out)
{
    const specreg_table *t = rows->table;
    const sri_matrix *all = t->counts ? t->counts : t->sparse;
    SRI_CHECK(ctx, all && (t->counts || !rows->documents), SPECREG_E_ARG, "features: plsa needs %s",
              rows->documents ? "documents, whose words it can count, as in training"
                              : "documents (--text), or counts in sparse columns");
    return sri_matrix_gather(ctx, all, rows->rows, rows->X->n, out);
}

/* The table's name before what is wrong with its counts. */
static specreg_status named(specreg_context *ctx, const sri_predefined_rows *rows,
                            specreg_status st)
{
    return st == SPECREG_E_NUMERIC ? sri_fail_at(ctx, st, "%s", rows->table->source) : st;
}

static specreg_status learn(specreg_context *ctx, sri_predefined_term *term,
                            const sri_predefined_rows *rows, sri_predefined *p)
{
    specreg_status st = SPECREG_OK;
    sri_plsa_how how;
    sri_matrix counts = {0};
    char text[32];
    SRI_TRY(counts_of(ctx, rows, &counts));
    SRI_TRY(sri_plsa_how_parse(ctx, *term->text ? term->text : "auto", &how));
    SRI_TRY(named(ctx, rows, sri_plsa_learn(ctx, &counts, &how, rows->seed, NULL, &term->topics)));
    term->l = how.topics;
    for (int64_t k = 0; k < term->l; k++) {
        snprintf(text, sizeof text, "topic%lld", (long long)k + 1);
        SRI_TRY(sri_predefined_add_name(ctx, p, text));
    }
done:
    sri_matrix_free(&counts);
    return st;
}

static specreg_status fill(specreg_context *ctx, const sri_predefined_term *term,
                           const sri_predefined_rows *rows, double *P, int64_t width)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = rows->X->n, l = term->l;
    sri_matrix counts = {0};
    double *share = NULL;
    int64_t without;
    SRI_TRY(counts_of(ctx, rows, &counts));
    SRI_ALLOC(ctx, share, n, l);
    SRI_TRY(named(ctx, rows, sri_plsa_fold_in(ctx, term->topics, &counts, share, &without)));
    if (without)
        sri_log(ctx,
                "%s: %lld of %lld documents have no word that the topics know: they get the shares "
                "of all together",
                rows->table->source, (long long)without, (long long)n);
    for (int64_t i = 0; i < n; i++)
        memcpy(P + i * width, share + i * l, (size_t)l * sizeof *P);
done:
    sri_free(share);
    sri_matrix_free(&counts);
    return st;
}

const sri_predefined_ops sri_predefined_plsa = {.name = "plsa",
                                                .only_once = true,
                                                .has_topics = true,
                                                .parse = parse,
                                                .learn = learn,
                                                .fill = fill};
