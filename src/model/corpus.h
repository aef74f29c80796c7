/* A training table as fit takes it: documents become features, everything else stays as it is. */
#ifndef SRI_MODEL_CORPUS_H
#define SRI_MODEL_CORPUS_H

#include "data/text/vocabulary.h"
#include "model/recipe.h"

typedef struct sri_corpus {
    const specreg_table *table; /* what to train on: the table given, or `own`      */
    specreg_table *own;         /* of documents: target, groups, weights, inputs    */
    sri_role_names roles; /* the columns of `table`: the recipe's, or found by number or name */
    int64_t *target_at;
    specreg_vocabulary *vocabulary; /* NULL: not documents                        */
    sri_text_counts counts;
} sri_corpus;

/* Learns the vocabulary from the rows that train, where the recipe has documents.  A corpus is
 * freed also after a failure. */
specreg_status sri_corpus_train(specreg_context *ctx, const specreg_table *table,
                                const sri_recipe *recipe, sri_corpus *out);
/* The rows alone, for their targets and groups: no vocabulary is learned, and an empty column
 * stands where the words would be. */
specreg_status sri_corpus_rows(specreg_context *ctx, const specreg_table *table,
                               const sri_recipe *recipe, sri_corpus *out);
/* The vocabulary from the documents of the rows that train, with their classes where they have
 * some. */
specreg_status sri_corpus_learn(specreg_context *ctx, const specreg_table *table, int64_t documents,
                                const sri_recipe *recipe, const sri_text_how *how,
                                sri_corpus *corpus);
void sri_corpus_free(sri_corpus *corpus);
#endif
