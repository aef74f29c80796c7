/* A kernel at work in a search by sums: its coordinates, its sums, the predictors along a path, and
 * their scores. */
#ifndef SRI_SUMS_CANDIDATE_H
#define SRI_SUMS_CANDIDATE_H

#include "sums/products.h"
#include "sums/search.h"
#include "sums/parts.h"

/* How the kernels of a search are judged. */
typedef struct sri_sums_judging {
    const sri_sums_spec *spec;
    sri_parting parting;
    sri_sums_parts parts;
    int64_t judged;      /* folds that are held out; 0: none                     */
    int64_t turn, turns; /* which kernel this is, and how many there will be: for progress */
    sri_sums_facts *facts;
} sri_sums_judging;

typedef struct sri_sums_candidate {
    int64_t number; /* in the grid of kernels */
    sri_kernel kernel;
    sri_whitening whitening;
    sri_sums_source source;
    sri_sums sums;
    sri_sums_question question;
    sri_products products;    /* in place of sums                       */
    sri_sums_path path;       /* trained on all rows                    */
    sri_sums_path *without;   /* judged folds: trained without each     */
    sri_leverages *leverages; /* groups of outputs; NULL: rows are not left out one by one */
    sri_score *score;         /* of each point                          */
    int64_t setting;          /* of the filter, whose question this is  */
    int64_t first_row;        /* of its points in the table of all      */
} sri_sums_candidate;

/* Sees a candidate with the scores of one setting of the filter. */
typedef specreg_status sri_sums_each(specreg_context *ctx, void *payload, sri_sums_candidate *c);

/* The parts that the rule and the coding divide rows into; they are freed also after a failure. */
specreg_status sri_sums_choose_parts(specreg_context *ctx, sri_sums_judging *s);
/* From the kernel to sums that are 0. */
specreg_status sri_sums_candidate_prepare(specreg_context *ctx, const sri_sums_judging *s,
                                          sri_sums_candidate *c);
void sri_sums_candidate_free(const sri_sums_judging *s, sri_sums_candidate *c);
/* The part of it that depends on the setting of the filter. */
void sri_sums_setting_free(const sri_sums_judging *s, sri_sums_candidate *c);
/* The rows in all folds but one; -1: in all. */
int64_t sri_sums_rows(const sri_sums_judging *s, const sri_sums *sums, int64_t without);
/* The rows of the smallest training set. */
int64_t sri_sums_smallest(const sri_sums_judging *s, const sri_sums *sums);

/* From the kernel to the scores of all points: a pass over the rows, or sums that are given, and a
 * second pass where the sums do not tell.  The sums serve every setting of the filter: `each`
 * (NULL: nobody) sees one after the other, and the best remains. */
specreg_status sri_sums_evaluate(specreg_context *ctx, const sri_sums_judging *s,
                                 sri_sums_candidate *c, sri_sums_each *each, void *payload);
/* Before a second pass: predictors and leverages as functions of kernel values, where rounding
 * allows it. */
specreg_status sri_sums_expand(specreg_context *ctx, const sri_sums_judging *s,
                               sri_sums_candidate *c);
/* The best point of its path, the smoother one of equals. */
int64_t sri_sums_best(const sri_sums_candidate *c);
/* Which of the kernels all rows are asked about: stays (as many as there are kernels). */
specreg_status sri_sums_race(specreg_context *ctx, const sri_sums_judging *s, bool *stays);
/* Held-out residuals of point k, n x T, NaN for rows that were not asked: where the rule holds out
 * every row.  At most SRI_HELD_ROWS rows are asked. */
enum { SRI_HELD_ROWS = 16384 };
specreg_status sri_sums_hold_out(specreg_context *ctx, const sri_sums_judging *s,
                                 const sri_sums_candidate *c, int64_t k, sri_fitted *out);
/* The coefficients of point k, newly allocated. */
specreg_status sri_sums_coefficients(specreg_context *ctx, const sri_sums_candidate *c, int64_t k,
                                     sri_fitted *out);
/* The winner of the best kernel, as a result; the centres are the caller's. */
specreg_status sri_sums_take_winner(specreg_context *ctx, const sri_sums_judging *s,
                                    sri_sums_candidate *c, sri_search_result *out,
                                    sri_points **centres);

#endif
