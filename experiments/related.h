/* Four related functions on [0, 1], sampled at points of their own or at the same ones. */
#ifndef RELATED_H
#define RELATED_H

#include "experiment.h"

enum { RELATED_TASKS = 4 };
typedef struct related_sample {
    int64_t n;     /* points of each task                                  */
    double *x, *y; /* task by task, n each; x repeats where all tasks have the same points */
} related_sample;

related_sample related_draw(exp_random random, int64_t n, bool same);
void related_free(related_sample *s);
int related_tasks(cli *c, const related_sample *s, specreg_table **out);   /* x, task, y    */
int related_vectors(cli *c, const related_sample *s, specreg_table **out); /* x, y1 .. y4   */

#endif
