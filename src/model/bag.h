/* A table as topics see it: counts, a row for each document, and labels. */
#ifndef SRI_MODEL_BAG_H
#define SRI_MODEL_BAG_H

#include "data/text/topics.h"

typedef struct sri_bag {
    int64_t n;
    const sri_matrix *counts;
    sri_matrix *own;                /* where they had to be made from numbers           */
    specreg_table *labels;          /* columns of labels, maybe none; then ours to free */
    int64_t n_labels;               /* how many of its columns                          */
    specreg_vocabulary *vocabulary; /* learned from documents; NULL: counts, or given */
    char **column;                  /* names of the columns of counts, or NULL          */
} sri_bag;

/* For learning: documents where options or the table say so, and then words are learned too.  A bag
 * is freed also after a failure. */
specreg_status sri_bag_learn(specreg_context *ctx, const specreg_table *t,
                             const specreg_options *options, sri_bag *out);
/* For topics that are there: columns as they were in training. */
specreg_status sri_bag_apply(specreg_context *ctx, const specreg_topics *topics,
                             const specreg_table *t, const specreg_options *options, sri_bag *out);
void sri_bag_free(sri_bag *bag);

/* vocabulary.c: the documents of a table as features, after its labels. */
specreg_status sri_vocabulary_table(specreg_context *ctx, const specreg_vocabulary *v,
                                    const specreg_table *t, const specreg_options *options,
                                    specreg_table **out, sri_text_counts *counts);
/* topics.c: the labels of a table, then its shares of topics; how many rows have no word that is
 * known. */
specreg_status sri_topics_table(specreg_context *ctx, const specreg_topics *topics,
                                const specreg_table *t, const specreg_options *options,
                                specreg_table **out, int64_t *unknown);

#endif
